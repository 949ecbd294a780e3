"""The background job that puts right what the index did not have when the app was started: all of it after another
encoder was chosen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.background import BackgroundJob

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """How far it has come: `done` of `total` documents."""

    done: int
    total: int


class Indexing(BackgroundJob[IndexingProgress]):
    """The indexing of one home that goes on, or went on last. Whoever asks goes first, and finds the documents that are
    not through by their words."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        super().__init__("The making of the search index", ready, busy)
        self._home = home

    def begin(self) -> None:
        """Put right what there is to put right, if anything. Raises TragError while that goes on."""
        if self._home.late:
            self._start(IndexingProgress(0, len(self._home.late)), self._index)

    def _index(self, stop: threading.Event) -> bool:
        def progress(step: str, done: int, total: int) -> None:
            self._give_way()
            self._tell(IndexingProgress(done, total), done=done, total=total)

        whole = self._home.put_right(progress, stop.is_set)
        if whole:
            self._tell(IndexingProgress(len(self._home.late), len(self._home.late)))
        return whole
