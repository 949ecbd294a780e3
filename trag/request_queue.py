"""The line in front of the model: first come, first served, with a visible place and a bound.

Knows nothing about questions or models.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from trag.errors import TragError


class QueueFull(TragError):
    """Refused: as many wait as may."""


class RequestQueue:
    """`slots` are served at once, at most `waiting` more may wait."""

    def __init__(self, slots: int, waiting: int) -> None:
        self._slots = slots
        self._waiting = waiting
        self._tickets: list[object] = []
        self._moved = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[Iterator[int]]:
        """A place in the line until the block ends. Iterate over what it gives: the positions (1 is next) until it is
        one's turn.

        Raises LineFull when the line is at its bound.
        """
        ticket = object()
        with self._moved:
            if len(self._tickets) >= self._slots + self._waiting:
                people = "1 person is" if self._waiting == 1 else f"{self._waiting} people are"
                full = f"{people} already waiting for an answer." if self._waiting else "Nobody may wait for one now."
                raise QueueFull(full, "Ask again in a minute; the question is kept in the box.")
            self._tickets.append(ticket)
        try:
            yield self._positions(ticket)
        finally:
            with self._moved:
                self._tickets.remove(ticket)
                self._moved.notify_all()

    def _positions(self, ticket: object) -> Iterator[int]:
        while (position := self._position(ticket)) > 0:
            yield position
            with self._moved:
                # Woken at least once a second, so that whoever drives this notices an asker who has left.
                if self._position(ticket) == position:
                    self._moved.wait(timeout=1.0)

    def _position(self, ticket: object) -> int:
        with self._moved:
            return self._tickets.index(ticket) - self._slots + 1
