"""The addresses of programs, and the page that tells people about them.

The gate has found out who asks. Whatever goes wrong is told as JSON, in the shape of the address. Knows nothing about
how an answer is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from trag.errors import SHOWN
from trag.events import Event
from trag.record import AnswerRecord
from trag.web.api import render
from trag.web.api.answering import Answerer, Listening
from trag.web.api.description import description
from trag.web.api.openai_compatible import MODEL, PATH, Completion, chat, model
from trag.web.api.questions import Asked, asked
from trag.web.api.refusals import Refused, refusal
from trag.web.api.streams import streamed, unsilent
from trag.web.visitors import caller

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from trag.ask import Assistant
    from trag.home import Home
    from trag.web.active_runs import ActiveRuns

STREAM = "text/event-stream"


class ProgramsPage:
    """What the routes share."""

    def __init__(self, answerer: Answerer) -> None:
        self.answerer = answerer
        self.since = int(time.time())

    def routes(self, router: APIRouter) -> None:
        """Every address of programs, and the page about them."""
        router.get("/api")(self.show)
        router.get("/api/openapi.json")(lambda: JSONResponse(description()))
        router.post("/api/ask")(_explained(self.ask))
        router.post(PATH)(_explained(self.chat))
        router.get("/v1/models")(lambda: JSONResponse({"object": "list", "data": [model(self.since)]}))
        router.get(f"/v1/models/{MODEL}")(lambda: JSONResponse(model(self.since)))

    def show(self, request: Request) -> Response:
        """The page about them."""
        return HTMLResponse(render.programs(str(request.base_url).rstrip("/"), description()))

    async def ask(self, request: Request) -> Response:
        """Our own way to ask."""
        listening = await self._begin(request, asked(await _body(request)))
        if STREAM in request.headers.get("accept", ""):
            return await _streaming(listening, streamed)
        return await _whole(
            request, listening, lambda record: Response(record.to_json(), media_type="application/json")
        )

    async def chat(self, request: Request) -> Response:
        """The way of OpenAI's clients."""
        wanted, question = chat(await _body(request))
        listening, completion = await self._begin(request, question), Completion()
        if wanted.stream:
            usage = bool(wanted.stream_options and wanted.stream_options.include_usage)
            return await _streaming(listening, lambda events: completion.streamed(events, usage=usage))
        return await _whole(request, listening, lambda record: JSONResponse(completion.whole(record)))

    async def _begin(self, request: Request, question: Asked) -> Listening:
        return await self.answerer.begin(question, caller(request))


class _Stream(StreamingResponse):
    """A response that goes on while an answer is written, and ends it when the program leaves."""

    listening: Listening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.listening.leave()


def mount(app: FastAPI, home: Home, askings: ActiveRuns, *, ready: Callable[[], Assistant]) -> None:
    """The addresses of programs in `app`. `ready` gives the assistant as soon as it is open."""
    router = APIRouter()
    ProgramsPage(Answerer(home, askings, ready)).routes(router)
    app.include_router(router)


async def _body(request: Request) -> bytes:
    """The body of a request, which says that it is JSON: a form of another site's page cannot."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "The question is no JSON.", "Send it with Content-Type: application/json.")
    return await request.body()


async def _streaming(
    listening: Listening, told: Callable[[AsyncIterator[Event | None]], AsyncIterator[str]]
) -> Response:
    """A stream of what `told` makes of the events, begun when the first of them is there, or is long in coming: a full
    line has a status of its own."""
    events = unsilent(aiter(listening))
    try:
        first = await anext(events)
    except BaseException:
        listening.leave()
        raise

    async def all_of_them() -> AsyncIterator[Event | None]:
        yield first
        async for event in events:
            yield event

    response = _Stream(told(all_of_them()), media_type=STREAM, headers={"cache-control": "no-store"})
    response.listening = listening
    return response


async def _whole(request: Request, listening: Listening, told: Callable[[AnswerRecord], Response]) -> Response:
    """The answer in one piece, for a program that is still there."""
    answered, left = asyncio.ensure_future(listening.record()), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((answered, left), return_when=asyncio.FIRST_COMPLETED)
        return told(answered.result()) if answered.done() else Response(status_code=400)
    finally:
        listening.leave()
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
