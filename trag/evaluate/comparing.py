"""What could be chance: in the difference between two sets of answers to the same questions, and in a share.

results before, results after -> Comparison; how many of how many -> interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist

from trag.evaluate.cases import Case
from trag.evaluate.runs import Result
from trag.evaluate.scoring import Score

_Z = NormalDist().inv_cdf(0.975)
RIGHT = ("Correct", "Correct-Verbose")
"""The verdicts that count as right (T-RAG, section 6.1: T = C + CV)."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A question whose verdict is another one after than before."""

    case: Case
    before: Score
    after: Score


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the questions that both sides answered.

    `questions` are those with a verdict on both sides, `unpaired` those that only one side asked, or nobody judged on
    one of them. `better` were wrong and are right, `worse` were right and are wrong. `p` is the probability that chance
    alone parts `better` and `worse` at least so far (exact McNemar test, two-sided).
    """

    questions: int
    unpaired: int
    changed: tuple[Changed, ...]
    better: int
    worse: int
    p: float


def compare(before: Sequence[Result], after: Sequence[Result]) -> Comparison:
    """`before` and `after` are each the answers of one system. A question that was worded anew is another question.

    Raises ValueError when one of them holds two answers to a question.
    """
    earlier, later = _by_question(before), _by_question(after)
    changed, paired, better, worse = [], 0, 0, 0
    for question, new in later.items():
        old = earlier.get(question)
        if old is None or old.score.verdict is None or new.score.verdict is None:
            continue
        paired += 1
        if old.score.verdict != new.score.verdict:
            changed.append(Changed(new.case, old.score, new.score))
        better += is_right(new.score) and not is_right(old.score)
        worse += is_right(old.score) and not is_right(new.score)
    unpaired = len(earlier.keys() | later.keys()) - paired
    return Comparison(paired, unpaired, tuple(changed), better, worse, mcnemar(better, worse))


def is_right(score: Score) -> bool:
    """Whether an answer was judged Correct or Correct-Verbose."""
    return score.verdict in RIGHT


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of the exact test: how likely a fair coin, thrown once for each question that went one way or the
    other, falls at least as unevenly."""
    thrown = better + worse
    tail = sum(comb(thrown, heads) for heads in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << thrown))


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


def _by_question(results: Sequence[Result]) -> dict[tuple[str, str], Result]:
    found = {(result.case.id, result.case.question): result for result in results}
    if len(found) < len(results):
        raise ValueError("two answers to one question: compare takes the answers of one system")
    return found
