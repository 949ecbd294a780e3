"""The share of answers that are right, with the interval that chance leaves around it.

results -> Share.  Knows nothing about pages or plots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from trag.evaluate.comparing import is_right
from trag.evaluate.runs import Result
from trag.evaluate.tables import by_system

_Z = NormalDist().inv_cdf(0.975)


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


def wilson(some: int, of: int) -> tuple[float, float]:
    """The 95% score interval of a proportion (Wilson 1927): it stays within [0, 1], also for few and for none."""
    if not of:
        return 0.0, 1.0
    found, spread = some / of, _Z**2 / of
    middle, half = found + spread / 2, _Z * sqrt(found * (1 - found) / of + spread / (4 * of))
    # At either end the bound is exact; rounding must not leave it beside.
    low = 0.0 if some == 0 else (middle - half) / (1 + spread)
    high = 1.0 if some == of else (middle + half) / (1 + spread)
    return low, high


def _share(system: str, results: Sequence[Result]) -> Share:
    decided = sum(result.score.verdict is not None for result in results)
    right = sum(is_right(result.score) for result in results)
    low, high = wilson(right, decided)
    return Share(system, right, decided, len(results) - decided, right / decided if decided else None, low, high)
