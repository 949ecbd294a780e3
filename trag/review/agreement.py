"""How answers were judged, by week, document, unit and model, and how far two reviewers agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import sqrt
from typing import NamedTuple

from store.reviews import Agreement, Count
from trag.errors import later
from trag.record import VERDICTS

LONGEST = 26
"""Weeks that a plot has room for; of more, it shows the last."""
_Z = 1.959964
_WORDS = (
    (0.0, later("slight")),
    (0.2, later("fair")),
    (0.4, later("moderate")),
    (0.6, later("substantial")),
    (0.8, later("almost perfect")),
)
"""What a kappa above each of these is called (Landis and Koch 1977)."""


class Part(NamedTuple):
    """`some` of `of` answers."""

    some: int
    of: int

    @property
    def share(self) -> float:
        """In [0, 1]; 0.0 of none."""
        return self.some / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """How the answers of one `value` stand: a week's Monday, a document, a unit's id or a model."""

    value: str
    correct: int
    verbose: int
    incorrect: int
    waiting: int

    @property
    def judged(self) -> int:
        """Answers with a verdict that holds."""
        return self.correct + self.verbose + self.incorrect

    @property
    def answers(self) -> int:
        """All of them."""
        return self.judged + self.waiting

    @property
    def right(self) -> Part:
        """Correct or Correct-Verbose (T-RAG, section 6.1) of what was judged."""
        return Part(self.correct + self.verbose, self.judged)

    @property
    def wordy(self) -> Part:
        """Correct-Verbose of what was judged."""
        return Part(self.verbose, self.judged)


@dataclass(frozen=True, slots=True)
class Kappa:
    """How far two reviewers agree beyond chance (Cohen 1960), on `pairs` answers that each judged on their own.

    `table[i][j]` answers were given the i-th of VERDICTS by the first and the j-th by the second; `agreed` is the share
    of the same verdict. `value` is None where it says nothing: no pair, or one verdict for all.
    """

    pairs: int
    agreed: float
    value: float | None
    low: float
    high: float
    table: tuple[tuple[int, ...], ...]

    @property
    def word(self) -> str:
        """What such a kappa is called."""
        if self.value is None:
            return ""
        return next((word for above, word in reversed(_WORDS) if self.value > above), "poor")


def rows(counts: Iterable[Count]) -> tuple[Row, ...]:
    """A row for each value, the one with most verdicts first."""
    by_value: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for count in counts:
        by_value[count.value][count.review_status if count.review_status in VERDICTS else "waiting"] += count.answers
    found = (Row(value, *(counts[key] for key in (*VERDICTS, "waiting"))) for value, counts in by_value.items())
    return tuple(sorted(found, key=lambda row: (-row.judged, -row.answers, row.value)))


def total(rows: Iterable[Row]) -> Row:
    """All of them together."""
    found = tuple(rows)
    parts = ("correct", "verbose", "incorrect", "waiting")
    return Row("", *(sum(getattr(row, part) for row in found) for part in parts))


def weeks(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The weeks from the first to the last, also those without an answer; at most LONGEST, the last ones."""
    by_monday = {date.fromisoformat(row.value): row for row in rows}
    if not by_monday:
        return ()
    first, last = min(by_monday), max(by_monday)
    number = min((last - first).days // 7 + 1, LONGEST)
    mondays = [last - timedelta(weeks=ago) for ago in reversed(range(number))]
    return tuple(by_monday.get(monday, Row(monday.isoformat(), 0, 0, 0, 0)) for monday in mondays)


def kappa(agreements: Iterable[Agreement]) -> Kappa:
    """The agreement of the first two reviewers of every answer that has two."""
    given = {(each.first, each.second): each.answers for each in agreements}
    table = tuple(tuple(given.get((first, second), 0) for second in VERDICTS) for first in VERDICTS)
    pairs = sum(map(sum, table))
    if not pairs:
        return Kappa(0, 0.0, None, -1.0, 1.0, table)
    agreed = sum(table[at][at] for at in range(len(VERDICTS))) / pairs
    firsts, seconds = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    chance = sum(first * second for first, second in zip(firsts, seconds, strict=True)) / pairs**2
    if chance == 1.0:
        return Kappa(pairs, agreed, None, -1.0, 1.0, table)
    value = (agreed - chance) / (1 - chance)
    spread = _Z * sqrt(agreed * (1 - agreed) / pairs) / (1 - chance)
    return Kappa(pairs, agreed, value, max(value - spread, -1.0), min(value + spread, 1.0), table)
