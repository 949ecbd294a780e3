"""A model in place of a person: what it says of the answers that the gold leaves undecided.

the answers of a run, a model -> labels, with the model as the one who gave them.  Nothing calls it by itself, and what
the gold or a person has decided is not put to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prompts
from trag.evaluate.cases import Case
from trag.evaluate.running import retried
from trag.llm.model import ModelDied
from trag.llm.remote import RequestRefused

if TYPE_CHECKING:
    from trag.evaluate.runs import Result, Results, Run
    from trag.llm.model import LanguageModel
    from trag.record import Verdict

_TOKENS = 16
_VERDICT = re.compile(
    r"[\W_]*(?:verdict\b[\W_]*)?(?:(?P<wrong>incorrect)|correct(?P<verbose>[\W_]+verbose)?)(?=[\W_]*$|[.,:;!*_]|\s+[(-]|\n)",
    re.IGNORECASE,
)
"""A verdict that opens a reply, alone or set off from what follows."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How many undecided answers the model gave a verdict on, and on how many it gave none: it said something else, or
    could not be asked."""

    decided: int
    unread: int


def judge(results: Results, run: Run, model: LanguageModel, progress: Callable[[int, int], None]) -> Judged:
    """Puts each undecided answer of a run to `model` and keeps its verdict before the next is asked, so that what was
    interrupted goes on. An answer that it cannot be asked about stays undecided.

    Raises TragError when the model cannot be reached.
    """
    undecided = [result for result in results.results(run.id) if result.score.verdict is None]
    unread = 0
    for number, result in enumerate(undecided):
        progress(number, len(undecided))
        if found := verdict(_said(result, model)):
            results.label(run, result.system, result.case.id, found, by=f"the model {model.identity.name}")
        else:
            unread += 1
    progress(len(undecided), len(undecided))
    return Judged(len(undecided) - unread, unread)


def verdict(said: str) -> Verdict | None:
    """The verdict that what a model said opens with, None where there is none."""
    found = _VERDICT.match(said)
    if not found:
        return None
    return "Incorrect" if found["wrong"] else "Correct-Verbose" if found["verbose"] else "Correct"


def right(case: Case) -> str:
    """What makes an answer right, in words."""
    told = [case.answer] if case.answer else []
    if case.refuse:
        told.append("Nothing answers the question, so the answer must say so.")
    told += [f"It says: {' or '.join(alternatives)}." for alternatives in case.gold]
    if case.units:
        told.append(f"It names these and no others: {', '.join(case.units)}.")
    told += [f"It names at least {some.at_least} of: {', '.join(some.units)}." for some in case.some]
    if case.count is not None:
        told.append(f"The number is {case.count}.")
    if case.polarity:
        told.append(f"The answer is {case.polarity}.")
    if case.forbidden:
        told.append(f"It does not say: {', '.join(case.forbidden)}.")
    return " ".join(told)


def _said(result: Result, model: LanguageModel) -> str:
    """What the model says of an answer, "" where it cannot be asked about it: it is too long, is refused, or ends the
    model twice."""
    messages = prompts.judge(result.case.question, right(result.case), result.record.answer)

    def said() -> str:
        if model.count(messages) + _TOKENS > model.context:
            return ""
        return "".join(part for part in model.stream(messages, max_tokens=_TOKENS) if isinstance(part, str))

    try:
        return retried(said)
    except (ModelDied, RequestRefused):
        return ""
