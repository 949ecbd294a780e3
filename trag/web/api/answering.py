"""A program's question on its way: asked in a thread, heard in the event loop, stopped when the program leaves.

Knows nothing about JSON, or how an answer is told.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from fastapi.concurrency import run_in_threadpool

from trag.condense import Turn
from trag.errors import SHOWN
from trag.events import Answer, Event
from trag.people import CurrentUser
from trag.people.permissions import readers
from trag.record import AnswerRecord
from trag.web.active_runs import ActiveRuns, history
from trag.web.api.questions import Asked
from trag.web.api.refusals import Refused

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home

BROKEN = "The answer broke off because of a fault in the program. Its log says more."


class Listening:
    """One question, as the program that asked it hears it. Iterate over it once; `leave` stops what is written.

    Iterating raises one of SHOWN when there is no answer.
    """

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[Event | Exception | None] = asyncio.Queue()

    def events(self, ask: Callable[[threading.Event], Iterator[Event]], stop: threading.Event) -> Iterator[Event]:
        """What `ask` yields, told to the listener once whoever iterates has taken it in: a program that hears its
        answer may ask the next question at once."""
        self._stop = stop
        return self._told(ask, stop)

    def leave(self) -> None:
        """Nobody listens any more: what is written by now is kept."""
        self._stop.set()

    async def __aiter__(self) -> AsyncIterator[Event]:
        over = False
        while (heard := await self._heard.get()) is not None:
            if isinstance(heard, Exception):
                raise heard
            over = isinstance(heard, Answer)
            yield heard
        if not over:
            raise Refused(500, BROKEN)

    async def record(self) -> AnswerRecord:
        """The answer, for those who do not watch it being written."""
        async for event in self:
            if isinstance(event, Answer):
                return event.record
        raise AssertionError("iterating ends with an answer, or raises")

    def _told(self, ask: Callable[[threading.Event], Iterator[Event]], stop: threading.Event) -> Iterator[Event]:
        try:
            for event in ask(stop):
                yield event
                self._tell(event)
        except SHOWN as error:
            self._tell(error)
            raise
        finally:
            self._tell(None)

    def _tell(self, heard: Event | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: the app has ended, and nobody listens
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers programs. They wait in the same line as people, and in a conversation there is one question at a time,
    whoever asks it."""

    home: Home
    askings: ActiveRuns
    ready: Callable[[], Assistant]

    async def begin(self, asked: Asked, caller: CurrentUser) -> Listening:
        """Ask for `caller`. Raises Refused for a conversation that is not theirs, or in which something is being
        answered, and LineFull when they have as many questions under way as one person may."""
        said = asked.history
        if asked.conversation:
            said = await run_in_threadpool(self._said, asked.conversation, caller.person)
        place, listening = asked.conversation or uuid4().hex, Listening()

        def ask(stop: threading.Event) -> Iterator[Event]:
            try:
                assistant, held = self.ready(), readers(caller, self.home.organization.chart)
                yield from assistant.ask(
                    asked.question,
                    history=said,
                    conversation=asked.conversation,
                    stop=stop,
                    readers=held,
                    asker=caller.person,
                )
            finally:
                self.askings.forget(place, stop)

        if not self.askings.begin(place, asked.question, lambda stop: listening.events(ask, stop), by=caller.person):
            raise Refused(409, "Another question is being answered in this conversation.", "Wait for its answer.")
        return listening

    def _said(self, conversation: str, owner: str) -> tuple[Turn, ...]:
        if not self.home.records.owns(owner, conversation):
            raise Refused(404, "There is no such conversation of yours.")
        return history(self.home.records, conversation)
