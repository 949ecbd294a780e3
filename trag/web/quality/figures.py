"""The figures of every run: the share of right answers of each system, how it went from run to run, and how a system is
shown on a plot."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trag.errors import SHOWN, told
from trag.evaluate.comparing import is_right, wilson
from trag.evaluate.running import BASE
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.tables import by_system
from trag.web.language import later

LONGEST = 30
"""Runs that a plot has room for; of more, it shows the newest."""
_SYSTEMS = {
    "trag": (1, later("What people use: passages and the chart are found, and the answer is checked and mended.")),
    "rag": (3, later("Ten passages of the documents and nothing else, as a plain retrieval system answers.")),
    "finetuned": (5, later("The model alone, from what it has learned, with nothing to read.")),
    "finetuned-tree": (4, later("The model with what the chart says of the units in the question, without documents.")),
    "trag-unrepaired": (
        6,
        later("The model with the passages, the pairs and the chart, as it writes: the paper's T-RAG."),
    ),
    "trag-no-tree": (
        2,
        later("The model with the passages and pairs that were found, without the chart and without mending."),
    ),
}
"""Each system's place among the colours and signs, and what it does; in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A system, what it does, and the name of the same without the adapter, "" where no adapter answers."""

    name: str
    said: str
    base: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """Of the `decided` answers of a system `right` are Correct or Correct-Verbose (T-RAG, section 6.1); the `undecided`
    wait for people. `value` and the 95% interval from `low` to `high` are in [0, 1]; without a decided answer `value`
    is None and the interval is everything."""

    system: str
    right: int
    decided: int
    undecided: int
    value: float | None
    low: float
    high: float


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
    """The figures of the runs in one home. What is whole is read once and kept, until people judge an answer of it."""

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
            if run.id in self._kept:
                return self._kept[run.id]
            try:
                found = self.results.results(run.id)
            except SHOWN as error:
                return Measured(run, 0, (), told(error).message)
            measured = Measured(run, len(found), shares(found))
            if run.finished:
                self._kept[run.id] = measured
            return measured


def offered(adapter: str) -> tuple[Offered, ...]:
    """The systems that can be run; `adapter` is the one that answers, "" for none."""
    return tuple(Offered(name, said, f"{name}{BASE}" if adapter else "") for name, (_, said) in _SYSTEMS.items())


def tone(system: str) -> int:
    """Which colour and sign a system has, with the adapter or without, from 1; the last for one that is gone."""
    found, _ = _SYSTEMS.get(system.partition(":")[0], (len(_SYSTEMS), ""))
    return found


def shares(results: Sequence[Result]) -> tuple[Share, ...]:
    """That of each system, in the order of the tables."""
    found: list[Share] = []
    for system, of in by_system(results).items():
        decided = sum(result.score.verdict is not None for result in of)
        right = sum(is_right(result.score) for result in of)
        low, high = wilson(right, decided)
        found.append(Share(system, right, decided, len(of) - decided, right / decided if decided else None, low, high))
    return tuple(found)


def trends(measured: Iterable[Measured]) -> tuple[Trend, ...]:
    """How each set of questions went over time, where it was asked twice at least, that of the newest run first.

    Sets are told apart by what they ask, and called as they were called last; a run that is not whole has no share to
    be compared.
    """
    of_set: dict[str, list[Measured]] = defaultdict(list)
    for each in measured:
        if each.run.finished and not each.problem:
            of_set[each.run.cases_sha256].append(each)
    found: list[Trend] = []
    for newest_first in of_set.values():
        if len(newest_first) < 2:
            continue
        earliest_first = newest_first[:LONGEST][::-1]
        points: dict[str, list[Point]] = defaultdict(list)
        for at, each in enumerate(earliest_first):
            for share in each.shares:
                if share.value is not None:
                    points[share.system].append(Point(at, share))
        series = tuple(Series(system, tuple(of)) for system, of in points.items())
        found.append(Trend(newest_first[0].run.cases_name, tuple(each.run for each in earliest_first), series))
    return tuple(found)
