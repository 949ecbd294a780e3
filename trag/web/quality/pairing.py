"""Two sets of answers to the same questions, side by side: what became better, worse, or stayed.

answers before, answers after -> Pairs.  The counts and their test are trag.evaluate.comparing's. Knows nothing about
pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trag.evaluate.comparing import is_right
from trag.evaluate.runs import Result

Change = Literal["worse", "better", "same", "undecided"]
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run, and its place among the run's answers, which stays as it is."""

    number: int
    result: Result


@dataclass(frozen=True, slots=True)
class Pair:
    """Both answers to a question. "undecided": nobody has judged one of them."""

    before: Answer
    after: Answer
    change: Change


def numbered(results: Sequence[Result]) -> tuple[Answer, ...]:
    """Every answer of a run with its place."""
    return tuple(Answer(number, result) for number, result in enumerate(results))


def pairs(before: Sequence[Answer], after: Sequence[Answer]) -> tuple[Pair, ...]:
    """The questions that both sides answered, in the order of `after`; each side holds the answers of one system."""
    earlier = {_question(answer): answer for answer in before}
    return tuple(
        Pair(earlier[question], answer, _change(earlier[question].result, answer.result))
        for answer in after
        if (question := _question(answer)) in earlier
    )


def _question(answer: Answer) -> tuple[str, str]:
    return answer.result.case.id, answer.result.case.question


def _change(before: Result, after: Result) -> Change:
    if before.score.verdict is None or after.score.verdict is None:
        return "undecided"
    was, now = is_right(before.score), is_right(after.score)
    return "same" if was == now else "better" if now else "worse"
