"""The model that writes pairs of a home's documents, begun and stopped on the page of the documents.

Whoever asks goes first: a passage that is being written about is begun again after them. Knows nothing about how pairs
are written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trag.background import BackgroundJob
from trag.cancellation import Cancelled

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Writing:
    """How far it has come: `done` of `total` sections; `pairs` are how many new ones came of it, 0 until it is over."""

    done: int = 0
    total: int = 0
    pairs: int = 0


class PairWriting(BackgroundJob[Writing]):
    """The writing of one home that goes on, or went on last."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        """See Undertaking."""
        super().__init__("The writing of pairs", ready, busy)
        self._home = home

    def begin(self, *, by: str) -> None:
        """Write about the sections that have no pairs yet. Raises TragError while that goes on."""
        self._start(Writing(), partial(self._write, by))

    def _write(self, by: str, stop: threading.Event) -> bool:
        def pause() -> None:
            self._give_way()
            if stop.is_set():
                raise Cancelled

        def progress(step: str, done: int, total: int) -> None:
            self._tell(Writing(done, total), done=done, total=total)

        written = self._home.write_pairs(
            by=by, progress=progress, pause=pause, interrupted=lambda: stop.is_set() or self._busy()
        )
        self._tell(Writing(written.sections, written.total, written.pairs))
        return written.whole
