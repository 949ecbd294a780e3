"""The background job that puts right what was not as it should be when the app was started: the index, of which there
is nothing after another encoder was chosen, and documents that an earlier version has read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.background import BackgroundJob
from trag.ingest.index import outdated
from trag.progress import Cancelled

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """How far a `step` of it has come: `done` of `total` documents."""

    step: str = ""
    done: int = 0
    total: int = 0


class Indexing(BackgroundJob[IndexingProgress]):
    """The indexing of one home that goes on, or went on last. Whoever asks goes first, and finds the documents that are
    not through by their words."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        super().__init__("The making of the search index", ready, busy)
        self._home = home

    def begin(self) -> None:
        """Put right what there is to put right, if anything. Raises TragError while that goes on."""
        if self._home.late or outdated(self._home.stock):
            self._start(IndexingProgress(), self._index)

    def _index(self, stop: threading.Event) -> bool:
        def progress(step: str, done: int, total: int) -> None:
            self._tell(IndexingProgress(step, done, total), part=step, done=done, total=total)
            self._give_way()
            if stop.is_set():
                raise Cancelled

        try:
            self._home.put_right(progress)
        except Cancelled:
            return False
        return True
