"""The answers of runs: each with its place, filtered, and paired with those to the same questions in another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trag.evaluate.comparing import is_right
from trag.evaluate.runs import Result
from trag.record import VERDICTS
from trag.web.forms import number

MOST = 50
"""Answers on a page."""
UNDECIDED = "undecided"
CHOICES = (*VERDICTS, UNDECIDED)
"""The verdicts that can be filtered by."""
Change = Literal["worse", "better", "same", "undecided"]
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run, and its place among the run's answers, which stays as it is."""

    number: int
    result: Result


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """Which answers a page shows: of a system, a kind of question and a verdict ("": all), from the `first` on."""

    system: str = ""
    kind: str = ""
    verdict: str = ""
    first: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> AnswerFilter:
        """The filter in the query of an address; nonsense in it is left alone."""
        verdict = query.get("verdict", "")
        return cls(
            query.get("system", ""),
            query.get("kind", ""),
            verdict if verdict in CHOICES else "",
            number(query.get("first", "")),
        )

    def matches(self, result: Result) -> bool:
        """Whether an answer is shown, on whichever page."""
        return (
            self.system in ("", result.system)
            and self.kind in ("", result.case.kind)
            and self.verdict in ("", result.score.verdict or UNDECIDED)
        )


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
    """The questions that both sides answered, in the order of `after`; each side holds the answers of one system. A
    question that was worded anew is another question."""
    earlier = {(answer.result.case.id, answer.result.case.question): answer for answer in before}
    found: list[Pair] = []
    for answer in after:
        old = earlier.get((answer.result.case.id, answer.result.case.question))
        if old is None:
            continue
        change: Change = "undecided"
        if old.result.score.verdict is not None and answer.result.score.verdict is not None:
            was, now = is_right(old.result.score), is_right(answer.result.score)
            change = "same" if was == now else "better" if now else "worse"
        found.append(Pair(old, answer, change))
    return tuple(found)
