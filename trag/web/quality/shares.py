"""The share of answers that are right, with the interval that chance leaves around it.

results -> Share.  Knows nothing about pages or plots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trag.evaluate.comparing import is_right, wilson
from trag.evaluate.runs import Result
from trag.evaluate.tables import by_system


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


def shares(results: Sequence[Result]) -> tuple[Share, ...]:
    """That of each system, in the order of the tables."""
    return tuple(_share(system, of) for system, of in by_system(results).items())


def _share(system: str, results: Sequence[Result]) -> Share:
    decided = sum(result.score.verdict is not None for result in results)
    right = sum(is_right(result.score) for result in results)
    low, high = wilson(right, decided)
    return Share(system, right, decided, len(results) - decided, right / decided if decided else None, low, high)
