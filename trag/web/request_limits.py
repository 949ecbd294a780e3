"""What one caller may take of the server: so many requests in a while, so many of them under way, and so many at work.

Threads are what pages run out of first. Whoever sends much at once waits for their own turns, without a thread.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread

from trag.web.api.responses import AGAIN, Refused

if TYPE_CHECKING:
    from starlette.types import Message, Send

WINDOW = float(AGAIN)
"""Seconds over which requests are counted."""
AT_WORK = 2
"""Requests of one caller that are worked at, each in a thread: a page, and what it asks for by itself."""
_Found = TypeVar("_Found")
_END: ContextVar[Callable[[], None]] = ContextVar("end", default=lambda: None)
"""What ends the turn of a request."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The most requests that a caller can send in WINDOW, and can have under way: waiting for their turn, worked at or
    being answered, since each of those holds a connection."""

    sent: int
    under_way: int


PERSON = Allowance(500, 64)
ADDRESS = Allowance(2_000, 128)
"""What nobody who is in has sent; a whole building may share an address."""


class Turns:
    """So many at once for each key; the others of that key wait, first come, first served. For one event loop."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._lines: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, key: str) -> asyncio.Semaphore:
        """The turns of a key, kept for as long as somebody has or awaits one."""
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = asyncio.Semaphore(self._at_once)
        return line


class RequestLimits:
    """What each caller has taken; a caller is a person, or an address. For one event loop."""

    def __init__(self) -> None:
        self._turns = Turns(AT_WORK)
        self._under_way: Counter[str] = Counter()
        self._since = time.monotonic()
        self._sent: Counter[str] = Counter()

    def count(self, caller: str, allowed: Allowance) -> None:
        """One more request. Raises Refused beyond what is allowed."""
        now = time.monotonic()
        if now - self._since >= WINDOW:
            self._since = now
            self._sent.clear()
        self._sent[caller] += 1
        if self._sent[caller] > allowed.sent:
            raise Refused(429, "Too many requests came from you within seconds.", f"Try again in {AGAIN} seconds.")

    @asynccontextmanager
    async def turn(self, caller: str, allowed: Allowance, send: Send) -> AsyncIterator[Send]:
        """A turn to be worked at, which is over when the response begins: how fast somebody reads it, and how long it
        goes on, is nobody else's matter. Gives the `send` to answer with. Raises Refused where too much is under way.
        """
        if self._under_way[caller] >= allowed.under_way:
            raise Refused(429, f"You have {allowed.under_way} requests under way.", "Wait until they are answered.")
        self._under_way[caller] += 1
        line, held = self._turns.of(caller), False

        def end() -> None:
            nonlocal held
            if held:
                held = False
                line.release()

        async def answer(message: Message) -> None:
            end()
            await send(message)

        try:
            held = await line.acquire()
            _END.set(end)
            yield answer
        finally:
            end()
            self._under_way[caller] -= 1
            if not self._under_way[caller]:
                del self._under_way[caller]


def give_turn_back() -> None:
    """End the turn of the request that is answered here: it waits for something that other pages do without."""
    _END.get()()


def apart(route: Callable[..., _Found], threads: CapacityLimiter) -> Callable[..., Awaitable[_Found]]:
    """The same route in threads of its own, so that what takes long there holds up no other page."""

    @wraps(route)
    async def waits(*values: Any, **named: Any) -> _Found:
        give_turn_back()
        return await to_thread.run_sync(partial(route, *values, **named), limiter=threads)

    return waits
