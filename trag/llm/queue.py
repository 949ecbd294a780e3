"""Who waits for the model, first come, first served, and who is using it: a model that was given up is closed when the
last who began with it is done."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from trag.errors import TragError
from trag.llm.model import LanguageModel


class QueueFull(TragError):
    """Refused: as many wait as may."""


class RequestQueue:
    """`slots` are served at once, at most `waiting` more may wait, which may change at any time."""

    def __init__(self, slots: int, waiting: int) -> None:
        self._slots = slots
        self.waiting = waiting
        self._tickets: list[object] = []
        self._moved = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[Iterator[int]]:
        """A place in the line until the block ends. Iterate over what it gives: the positions (1 is next) until it is
        one's turn.

        Raises QueueFull when the line is at its bound.
        """
        ticket = object()
        with self._moved:
            if len(self._tickets) >= self._slots + self.waiting:
                people = "1 person is" if self.waiting == 1 else f"{self.waiting} people are"
                full = f"{people} already waiting for an answer." if self.waiting else "Nobody may wait for one now."
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


class Leases:
    """The models of one home and who holds them. Any thread may call any method."""

    def __init__(self) -> None:
        self._holders = Counter[int]()
        # Kept for good: somebody may have taken a model a moment before it was given up, and hold it only now.
        self._given_up: dict[int, LanguageModel] = {}
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, model: LanguageModel) -> Iterator[None]:
        """The model stays open until the block ends, whatever takes its place meanwhile."""
        key = id(model)
        with self._lock:
            self._holders[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders[key] -= 1
                done = key in self._given_up and not self._holders[key]
            if done:
                model.close()

    def give_up(self, model: LanguageModel) -> None:
        """Nobody new will use it: close it now, or when its last holder is done."""
        with self._lock:
            self._given_up[id(model)] = model
            done = not self._holders[id(model)]
        if done:
            model.close()
