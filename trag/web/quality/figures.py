"""The figures of every run: the share of right answers of each system, and how it went from run to run.

Runs -> Measured -> Trends.  What is whole is read once and kept, until people judge one of its answers. Knows nothing
about pages.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trag.errors import SHOWN
from trag.evaluate.runs import Results, Run
from trag.web.quality.shares import Share, shares

LONGEST = 30
"""Runs that a plot has room for; of more, it shows the newest."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, how many answers it has, and what share of them is right; `problem` says why they cannot be read."""

    run: Run
    answers: int
    shares: tuple[Share, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A share, and which of the runs of its trend it is of, from 0."""

    at: int
    share: Share


@dataclass(frozen=True, slots=True)
class Series:
    """The shares of one system, the earliest first."""

    system: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """The whole runs of one set of questions, the earliest first, and the shares of each system in them."""

    name: str
    runs: tuple[Run, ...]
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of the runs in one home."""

    results: Results
    _kept: dict[str, Measured] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def all(self) -> tuple[Measured, ...]:
        """Those of every run, the newest first."""
        return tuple(self._of(run) for run in self.results.runs())

    def forget(self, run_id: str) -> None:
        """Read a run again when it is asked for next: an answer was judged, or the run is gone."""
        with self._lock:
            self._kept.pop(run_id, None)

    def _of(self, run: Run) -> Measured:
        with self._lock:
            if run.id not in self._kept:
                measured = self._read(run)
                if not run.finished or measured.problem:
                    return measured
                self._kept[run.id] = measured
            return self._kept[run.id]

    def _read(self, run: Run) -> Measured:
        try:
            found = self.results.results(run.id)
        except SHOWN as error:
            return Measured(run, 0, (), error.message)
        return Measured(run, len(found), shares(found))


def trends(measured: Iterable[Measured]) -> tuple[Trend, ...]:
    """How each set of questions went over time, where it was asked twice at least, that of the newest run first.

    Sets are told apart by what they ask, and called as they were called last; a run that is not whole has no share to
    be compared.
    """
    of_set: dict[str, list[Measured]] = defaultdict(list)
    for each in measured:
        if each.run.finished and not each.problem:
            of_set[each.run.cases_sha256].append(each)
    return tuple(_trend(found) for found in of_set.values() if len(found) > 1)


def _trend(newest_first: Sequence[Measured]) -> Trend:
    earliest_first = newest_first[:LONGEST][::-1]
    points: dict[str, list[Point]] = defaultdict(list)
    for at, each in enumerate(earliest_first):
        for share in each.shares:
            if share.value is not None:
                points[share.system].append(Point(at, share))
    series = tuple(Series(system, tuple(found)) for system, found in points.items())
    return Trend(newest_first[0].run.cases_name, tuple(each.run for each in earliest_first), series)
