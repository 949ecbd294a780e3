"""An answer told while it is written, as server-sent events: our own ones, which tell the draft and take it back.

Knows nothing about where events come from. (WHATWG HTML, 9.2 Server-sent events.)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from trag.errors import SHOWN
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.json_lines import as_line
from trag.web.api.refusals import words

QUIET = 15.0
"""Seconds without an event after which a listener is told that there is none. Proxies cut off who says nothing (nginx:
after 60 seconds), and a large model may read longer than that before it writes."""
COMMENT = ":\n\n"
"""What keeps a connection open and says nothing."""


async def unsilent(events: AsyncIterator[Event]) -> AsyncIterator[Event | None]:
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


async def streamed(events: AsyncIterator[Event | None]) -> AsyncIterator[str]:
    """Each event as text, a comment where there was none for a while; `error` in place of `answer` when there is
    none."""
    try:
        async for event in events:
            yield told(event) if event else COMMENT
    except SHOWN as error:
        yield sent({"detail": words(error)}, "error")


def told(event: Event) -> str:
    """One event as text."""
    match event:
        case Waiting(position):
            return sent({"position": position}, "waiting")
        case Found():
            return sent(asdict(event), "found")
        case Token(text):
            return sent({"text": text}, "token")
        case Retry(reason):
            return sent({"reason": reason}, "retry")
        case Answer(record):
            return sent(json.loads(record.to_json()), "answer")


def sent(data: Any, name: str = "") -> str:
    """A server-sent event with JSON, which is one line, for its data."""
    kind = f"event: {name}\n" if name else ""
    return f"{kind}data: {as_line(data)}\n\n"
