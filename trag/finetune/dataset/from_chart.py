"""Examples from questions about a chart: the statements that the pipeline gives, and the words in them that answer.

cases, assistant -> Examples.  What is learned is to find the right statement and say it: the right answer is the
chart's own, where the gold bears it out, and it does not always stand first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

from org.finding import names
from prompts import CANNOT_ANSWER
from store.passage import Passage
from trag.ask import Assistant
from trag.asking import Organization
from trag.evaluate.cases import Case
from trag.finetune.dataset import gold
from trag.finetune.dataset.contexts import Context, example, gather
from trag.finetune.dataset.examples import Asked, Example
from trag.verify.support import Evidence, checked
from trag.words import sentences

_KEPT = (1, 2, 2, 3, 6, 6)  # passages kept of those found
_TOGETHER = (1, 1, 2, 3, 3)  # questions over one context
_OF_EACH = 4  # statements that a further question brings
_BARE = 0.3  # of the contexts of one question: without the chart's own answer, where another statement says it
_LONGEST = 60
"""Words of an answer to learn."""
_TOLD_BY_ONE = ("simple", "complex", "list", "count", "particular")
"""Kinds that a statement about the unit may answer when the chart's own answer is not there."""
_NOT_UNDER = re.compile(r"No, (.+) is not under .+\.$")


@dataclass(frozen=True, slots=True)
class _Question:
    """A case and what the pipeline gives for it alone. `reply` is the chart's own answer, "" where it has none."""

    case: Case
    own: Context

    @property
    def reply(self) -> str:
        return self.own.statements[0] if self.own.about_chart and self.own.statements else ""


def from_chart(
    source: str, cases: Sequence[Case], assistant: Assistant, *, chance: Random, with_documents: float
) -> Iterator[Example]:
    """The cases of the assistant's own chart, one to three over each context; those whose answer is not sure are left
    out. `with_documents` is the share of contexts in which passages stand beside the statements."""
    waiting = list(chance.sample(cases, len(cases)))
    organization = assistant.organization
    while waiting:
        number = chance.choice(_TOGETHER)
        together, waiting = waiting[:number], waiting[number:]
        systems = ["trag" if chance.random() < with_documents else "finetuned-tree", *["finetuned-tree"] * number]
        questions = [
            _Question(case, gather(case.question, assistant, system=system))
            for case, system in zip(together, systems, strict=False)
        ]
        context = _context(questions, organization, chance)
        told = [(one.case, answer) for one in questions if (answer := _answer(one, context, organization))]
        if told and (context.statements or context.passages):  # with neither the model is never asked
            asked = [Asked(case.question, answer, case.kind) for case, answer in told]
            yield example(source, organization.name, context, asked)


def _context(questions: Sequence[_Question], organization: Organization, chance: Random) -> Context:
    """One context for several questions; for a single one the pipeline's, or without the chart's own answer."""
    first = questions[0].own
    passages = _some(first.passages, chance)
    if len(questions) > 1:
        groups = [first.statements, *(one.own.statements[:_OF_EACH] for one in questions[1:])]
        chance.shuffle(groups)
        return Context(tuple(dict.fromkeys(chain.from_iterable(groups))), passages, first.about_chart)
    if first.about_chart and chance.random() < _BARE:
        bare = Context(first.statements[1:], passages, about_chart=False)
        if _answer(questions[0], bare, organization) not in ("", CANNOT_ANSWER):
            return bare
    return replace(first, passages=passages)


def _answer(question: _Question, context: Context, organization: Organization) -> str:
    """What is right to say over this context: the chart's own answer or the first sentence of it, what else the
    statements say of the unit, the case's own answer where they bear it out, or CANNOT_ANSWER where nothing there
    could answer. "" when that is not sure."""
    case, reply = question.case, question.reply
    if case.refuse:
        return "" if reply else CANNOT_ANSWER
    if reply in context.statements:
        verdicts = {said: _verdict(case, said, organization) for said in (reply, sentences(reply)[0])}
        for verdict in ("Correct", "Correct-Verbose"):
            for said, found in verdicts.items():
                if found == verdict and 2 < len(said.split()) <= _LONGEST:
                    return said
    if _verdict(case, case.answer, organization) != "Correct":
        return ""
    if denial := _denial(case, context.statements):
        return denial
    own = [statement for statement in context.statements if statement in question.own.statements]
    if case.kind in _TOLD_BY_ONE and not case.polarity:
        for statement in own:
            if len(statement.split()) <= _LONGEST and _verdict(case, statement, organization) == "Correct":
                return statement
    evidence = [Evidence(str(place), text) for place, text in enumerate(own)]
    if not reply and all(checked(sentence, evidence).supported for sentence in sentences(case.answer)):
        return case.answer
    return CANNOT_ANSWER if _is_elsewhere(case, context, organization) else ""


def _verdict(case: Case, answer: str, organization: Organization) -> str:
    return gold.scored(case, answer, organization).verdict or ""


def _is_elsewhere(case: Case, context: Context, organization: Organization) -> bool:
    """Whether the question names units, and nothing in the context names any of them."""
    chart, finder = organization.chart, organization.finder
    if chart is None or finder is None:
        return False
    text = "\n".join([*context.statements, *(f"{one.section} {one.question} {one.text}" for one in context.passages)])
    found = [chart.unit(unit) for mention in finder.find(case.question) for unit in mention.units]
    keys = f" {names.key(text)} "
    named = [name for unit in found for name in (unit.name, *unit.aliases)]
    return bool(named) and not any(f" {names.key(name)} " in keys for name in named)


def _denial(case: Case, statements: Sequence[str]) -> str:
    """Where a unit really is, for a case that denies that it is under another: "No, the A is under the C."; "" where
    no statement says so."""
    denied = _NOT_UNDER.match(case.answer)
    if not denied:
        return ""
    opening = names.key(f"{denied[1]} is under")
    found = (one for one in statements if f"{names.key(one)} ".startswith(f"{opening} "))
    return next((f"No, {one[0].lower() + one[1:] if one.startswith('The ') else one}" for one in found), "")


def _some(passages: Sequence[Passage], chance: Random) -> tuple[Passage, ...]:
    number = min(len(passages), chance.choice(_KEPT))
    return tuple(passages[place] for place in sorted(chance.sample(range(len(passages)), number)))
