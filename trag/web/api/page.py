"""The addresses of programs, and the page that tells people about them.

The gate has found out who asks. Whatever goes wrong is told as JSON, in the shape of the address.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from trag.errors import SHOWN
from trag.web.active_runs import RunEvent
from trag.web.api.answering import Answerer, AnswerStream, Goal, Kept, Subject, Wish, ask_request, read
from trag.web.api.description import description, programs
from trag.web.api.openai_compatible import MODEL, PATH, Completion, chat, model
from trag.web.api.responses import Refused, refusal, streamed, with_silences
from trag.web.visitors import visit

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

STREAM = "text/event-stream"


def mount(app: FastAPI, answerer: Answerer) -> None:
    """Every address of programs in `app`, and the page about them."""
    since = int(time.time())

    async def told(request: Request, stream: AnswerStream[Kept]) -> Response:
        if STREAM in request.headers.get("accept", ""):
            return await _streaming(stream, streamed)
        return await _whole(request, stream, lambda record: Response(record.to_json(), media_type="application/json"))

    async def ask(request: Request) -> Response:
        return await told(request, await answerer.begin(ask_request(await _body(request)), visit(request)))

    async def plan(request: Request) -> Response:
        return await told(request, await answerer.plan(read(Goal, await _body(request)), visit(request)))

    async def draft(request: Request) -> Response:
        return await told(request, await answerer.draft(read(Wish, await _body(request)), visit(request)))

    async def brief(request: Request) -> Response:
        return await told(request, await answerer.brief(read(Subject, await _body(request)), visit(request)))

    async def chat_completions(request: Request) -> Response:
        wanted, question = chat(await _body(request))
        stream, completion = await answerer.begin(question, visit(request)), Completion()
        if wanted.stream:
            usage = bool(wanted.stream_options and wanted.stream_options.include_usage)
            return await _streaming(stream, lambda events: completion.streamed(events, usage=usage))
        return await _whole(request, stream, lambda record: JSONResponse(completion.whole(record)))

    def show(request: Request) -> Response:
        return HTMLResponse(programs(str(request.base_url).rstrip("/"), description()))

    app.get("/api")(show)
    app.get("/api/openapi.json")(lambda: JSONResponse(description()))
    app.post("/api/ask")(_explained(ask))
    app.post("/api/plan")(_explained(plan))
    app.post("/api/workflow")(_explained(draft))
    app.post("/api/brief")(_explained(brief))
    app.post(PATH)(_explained(chat_completions))
    app.get("/v1/models")(lambda: JSONResponse({"object": "list", "data": [model(since)]}))
    app.get(f"/v1/models/{MODEL}")(lambda: JSONResponse(model(since)))


class _Stream(StreamingResponse):
    """A response that goes on while an answer is written, and ends it when the program leaves."""

    answer: AnswerStream[Any]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.answer.leave()


async def _body(request: Request) -> bytes:
    """The body of a request, which says that it is JSON: a form of another site's page cannot."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "The question is no JSON.", "Send it with Content-Type: application/json.")
    return await request.body()


async def _streaming(
    answer: AnswerStream[Any], as_text: Callable[[AsyncIterator[RunEvent | None]], AsyncIterator[str]]
) -> Response:
    """A stream of what `as_text` makes of the events, begun when the first of them is there, or is long in coming: a
    full line has a status of its own."""
    events = with_silences(aiter(answer))
    try:
        first = await anext(events)
    except BaseException:
        answer.leave()
        raise

    async def all_of_them() -> AsyncIterator[RunEvent | None]:
        yield first
        async for event in events:
            yield event

    response = _Stream(as_text(all_of_them()), media_type=STREAM, headers={"cache-control": "no-store"})
    response.answer = answer
    return response


async def _whole(request: Request, stream: AnswerStream[Kept], as_response: Callable[[Kept], Response]) -> Response:
    """The answer in one piece, for a program that is still there."""
    answered, left = asyncio.ensure_future(stream.record()), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((answered, left), return_when=asyncio.FIRST_COMPLETED)
        return as_response(answered.result()) if answered.done() else Response(status_code=400)
    finally:
        stream.leave()
        for each in (answered, left):
            each.cancel()
            with suppress(asyncio.CancelledError, *SHOWN):
                await each


def _explained(route: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    async def explained(request: Request) -> Response:
        try:
            return await route(request)
        except SHOWN as error:
            return refusal(request.url.path, error)

    return explained
