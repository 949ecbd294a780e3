"""Who is using which model: one that was given up is closed when the last who began with it is done.

Knows nothing about which model is the right one.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from trag.llm.model import LanguageModel


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
