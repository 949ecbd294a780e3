"""What a program is told: an answer while it is written, as server-sent events (WHATWG HTML, 9.2), its words as plain
text, or why there is none, in the shape that its address promises."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from typing import Any

from starlette.responses import JSONResponse

from trag.brief.record import BriefRecord
from trag.briefs import Briefed
from trag.errors import SHOWN, TragError, in_one_line, told
from trag.events import Answer, Found, Retry, Token, Waiting
from trag.flow.record import Chosen, PlannedStep
from trag.json_lines import as_line
from trag.llm.queue import QueueFull
from trag.plans import Plan
from trag.web.active_runs import RunEvent
from trag.workflow.record import Workflow
from trag.workflows import Drafted

QUIET = 15.0
"""Seconds without an event after which a listener is told that there is none. Proxies cut off who says nothing (nginx:
after 60 seconds), and a large model may read longer than that before it writes."""
COMMENT = ":\n\n"
"""What keeps a connection open and says nothing."""
AGAIN = 10
"""Seconds after which it is worth asking again when the line is full."""
TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
"""What OpenAI calls a refusal; the others are invalid_request_error, and server_error from 500 on."""

# What goes on after "]" is a picture, a link or where one leads; after "<" it is a tag or an address.
_OPENS = re.compile(r"(?<=\])(?=[(\[:])|(?<=<)(?=[a-z/!?])", re.IGNORECASE)


class Refused(TragError):
    """A program's question that is not answered, and the HTTP status that says so."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


def refusal(path: str, error: Any) -> JSONResponse:
    """The response to a request to `path` that failed with `error`, which is one of SHOWN."""
    return response(path, status_of(error), error_text(error))


def response(path: str, status: int, message: str) -> JSONResponse:
    """A refusal as JSON, with the headers that go with its status."""
    headers = {"cache-control": "no-store"}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status == 429:
        headers["retry-after"] = str(AGAIN)
    return JSONResponse(refusal_body(path, status, message), status, headers)


def refusal_body(path: str, status: int, message: str) -> Mapping[str, Any]:
    """The body of a refusal: OpenAI's shape where OpenAI's clients ask."""
    if not path.startswith("/v1/"):
        return {"detail": message}
    kind = TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def status_of(error: Any) -> int:
    """The HTTP status of an error: what is neither the program's fault nor a full line is the assistant's."""
    if isinstance(error, Refused):
        return error.status
    return 429 if isinstance(error, QueueFull) else 503


def error_text(error: Any) -> str:
    """What an error says to a program, in one line."""
    full = isinstance(error, QueueFull)
    return f"{error.message} Ask again in {AGAIN} seconds." if full else in_one_line(told(error))


async def with_silences(events: AsyncIterator[RunEvent]) -> AsyncIterator[RunEvent | None]:
    """The events as they come, and None whenever none came for a while."""
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            await asyncio.wait((coming,), timeout=QUIET)
            if not coming.done():
                yield None
            elif event := coming.result():
                yield event
                coming = asyncio.ensure_future(anext(events, None))
            else:
                return
    finally:
        coming.cancel()


async def streamed(events: AsyncIterator[RunEvent | None]) -> AsyncIterator[str]:
    """Each event as text, which tells the draft and takes it back; a comment where there was none for a while, and
    `error` in place of the record when there is none."""
    try:
        async for event in events:
            match event:
                case None:
                    yield COMMENT
                case Waiting(position):
                    yield server_sent({"position": position}, "waiting")
                case Found():
                    yield server_sent(asdict(event), "found")
                case Token(text):
                    yield server_sent({"text": text}, "token")
                case Retry(reason):
                    yield server_sent({"reason": reason}, "retry")
                case Chosen():
                    yield server_sent(asdict(event), "chosen")
                case PlannedStep():
                    yield server_sent(asdict(event), "step")
                case Workflow():
                    yield server_sent(event.values(), "draft")
                case BriefRecord():
                    yield server_sent(json.loads(event.to_json()), "draft")
                case Briefed(record):
                    yield server_sent(json.loads(record.to_json()), "brief")
                case Drafted(record):
                    yield server_sent(json.loads(record.to_json()), "workflow")
                case Answer(record) | Plan(record):
                    yield server_sent(json.loads(record.to_json()), type(event).__name__.lower())
    except SHOWN as error:
        yield server_sent({"detail": error_text(error)}, "error")


def server_sent(data: Any, name: str = "") -> str:
    """A server-sent event with JSON, which is one line, for its data."""
    kind = f"event: {name}\n" if name else ""
    return f"{kind}data: {as_line(data)}\n\n"


def unmarked(text: str) -> str:
    """`text` for a window that may read it as Markdown or HTML, where a picture is fetched as soon as it is shown, and
    its address may carry away what was answered: a space stands wherever it would become a picture, a tag or a link
    under other words, as in "![a] (b)". An address that stands open stays whole."""
    return _OPENS.sub(" ", text)
