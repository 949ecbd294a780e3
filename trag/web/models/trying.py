"""A model tried before anybody relies on it: the same five questions of this organization put to it and to the one that
answers, which goes on answering people.

approved pairs, example questions -> five cases -> answers of both, side by side
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from trag import appearance
from trag.background import BackgroundJob
from trag.errors import SHOWN, TragError, in_one_line
from trag.evaluate.cases import Case
from trag.evaluate.comparing import is_right
from trag.evaluate.running import answered_by
from trag.finetune.dataset.home_dataset import case_of_answer
from trag.finetune.gate import SYSTEM, spread
from trag.llm.files import base_name
from trag.llm.local import LocalModel
from trag.llm.opening import trial
from trag.models.local import OfferedModel, check_room
from trag.web.language import later

if TYPE_CHECKING:
    from collections.abc import Callable

    from trag.ask import Assistant
    from trag.home import Home

log = logging.getLogger(__name__)

QUESTIONS = 5
_LOOKED_AT = 100
"""Approved pairs at most of which five are taken whose answer tells what is right."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, in how many seconds; whether that holds the pair's answer, None where nobody can say."""

    text: str
    seconds: float
    right: bool | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A question, the pair's answer ("" where it is no pair's), what the tried model answered, and what the present one
    did, None where that could not."""

    question: str
    answer: str
    tried: Reply
    present: Reply | None


@dataclass(frozen=True, slots=True)
class Tried:
    """A model that is tried, because `by` asked for it, beside the `present` one, "" where `alone` says why there is
    none. `load_seconds` and `tokens_per_second` are 0 until it is loaded."""

    name: str
    by: str
    total: int
    present: str = ""
    alone: str = ""
    load_seconds: float = 0.0
    tokens_per_second: float = 0.0
    replies: tuple[Compared, ...] = ()

    @property
    def judged(self) -> int:
        """How many of the questions that were answered are a pair's."""
        return sum(bool(each.answer) for each in self.replies)

    @property
    def right(self) -> tuple[int, int]:
        """How many answers hold the pair's, of the tried model and of the present one."""
        tried = sum(each.tried.right is True for each in self.replies)
        return tried, sum(each.present is not None and each.present.right is True for each in self.replies)


class TryOut(BackgroundJob[Tried]):
    """The trial of an app that goes on, or went on last."""

    def __init__(self, home: Home, busy: Callable[[], bool]) -> None:
        super().__init__("A trial of a model", lambda: None, busy)
        self._home = home

    def begin(self, model: OfferedModel, cases: Sequence[Case], *, by: str, where: str = "") -> None:
        """Raises TragError while another goes on, without a question, and where there is too little memory for both
        models."""
        self._refuse_second()
        if not cases:
            raise TragError(
                later("There is nothing to ask it: no example question, no approved pair, no chart and no document."),
                later("Give this organization a chart or documents first, or example questions on the page Settings."),
            )
        check_room(model)
        self._start(Tried(model.name, by, len(cases)), partial(self._ask_all, model, cases, by, where))

    def _ask_all(self, model: OfferedModel, cases: Sequence[Case], by: str, where: str, stop: threading.Event) -> bool:
        home, about = self._home, Tried(model.name, by, len(cases))
        with ExitStack() as closing:
            opened = home.other_model(model.setting)
            closing.callback(opened.close)
            if isinstance(opened, LocalModel):
                how = trial(opened)
                about = replace(about, load_seconds=how.load_seconds, tokens_per_second=how.tokens_per_second)
            tried, present = home.assistant_with(opened), None
            try:
                present = replace(home.assistant, records=None)
                closing.enter_context(home.leases.hold(present.model))
                about = replace(about, present=base_name(home.settings.model))
            except SHOWN as error:
                about = replace(about, alone=in_one_line(error))
            for case in cases:
                self._tell(about, part="asking", done=len(about.replies), total=about.total)
                self._give_way()
                first = _reply(tried, case, stop)
                second = _reply(present, case, stop) if present and first else None
                if first is None or (present and second is None):
                    return False
                about = replace(about, replies=(*about.replies, Compared(case.question, case.answer, first, second)))
        self._tell(about, part="asking", done=about.total, total=about.total)
        held = f"; {about.right[0]} of {about.judged} hold the pair's answer" if about.judged else ""
        home.records.audit.add(by, "model tried", model.name, where=where, result=f"{about.total} questions{held}")
        return True


def _reply(assistant: Assistant, case: Case, stop: threading.Event) -> Reply | None:
    """None when `stop` came before it was whole."""
    result = answered_by(assistant, SYSTEM, case, stop)
    if result is None:
        return None
    judged = bool(case.answer) and result.score.verdict is not None
    text = result.record.answer or result.record.interrupted
    return Reply(text, result.record.seconds.total, is_right(result.score) if judged else None)


def five_questions(home: Home, usual: Iterable[str]) -> tuple[Case, ...]:
    """What every model is asked here, the same as long as the pairs and the examples are: first questions of approved
    pairs whose answer tells what is right, then the examples that the organization has chosen, then the `usual`
    ones."""
    pairs = spread(home.records.library.pairs(states={"approved"}), _LOOKED_AT)
    found = (case_of_answer(each.id, each.question, each.answer, "document", home.organization) for each in pairs)
    cases = spread(tuple(filter(None, found)), QUESTIONS)
    asked = {case.question for case in cases}
    examples = dict.fromkeys([*appearance.current(home).examples, *usual])
    more = islice((each for each in examples if each not in asked), QUESTIONS - len(cases))
    return (*cases, *(Case(f"example {number}", question, "example") for number, question in enumerate(more, 1)))
