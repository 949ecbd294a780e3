"""Examples of condensing: a follow-up after other turns, and the question that it stands for.

Two questions about units of a chart make a dialogue: the second without the name it asks about ("it", "and ...?").
Some follow-ups stand alone already. Others, about anything, are written by hand (follow_ups.jsonl).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import prompts
from org.linking.entities import Organization
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases.generation import drawn
from trag.finetune.dataset.chart_queries import expression_of, linked, reply_of
from trag.finetune.dataset.examples import Example

_FOLLOW_UPS = Path(__file__).with_name("follow_ups.jsonl")
KIND = "condense"
_ALONE = 0.35  # of the follow-ups stand alone
_LONGER = 0.4  # of the dialogues have a turn before that is about something else
_IT = ("it", "it", "that", "that one", "this unit", "them")
_AND = ("and {}?", "And {}?", "what about {}?", "how about {}", "and for {}?", "same for {}?", "ok and {}")


def from_organization(
    source: str, organization: Organization, cases: Sequence[Case], *, chance: Random, number: int
) -> Iterator[Example]:
    """At most `number` follow-ups about the chart of an organization, with its `cases` as turns about other things."""
    chart = organization.chart
    if chart is None:
        return
    facts = [
        fact for fact in drawn(chart, seed=chance.randrange(10**6), number=6 * number) if fact.unit and not fact.other
    ]
    told = [(case.question, case.answer) for case in cases if case.document and case.answer]
    turns: list[tuple[str, str, str]] = []
    for fact in facts:
        question, name = fact.case.question, _written(fact.unit.name if fact.unit else "", fact.case.question)
        given = linked(question, organization)
        expression = expression_of(fact, given)
        if expression and name and (reply := reply_of(expression, given, chart)):
            turns.append((question, name, reply.text))
    for _ in range(number):
        before = chance.sample(told, 1) if told and chance.random() < _LONGER else []
        if len(turns) < 2:
            continue
        (first, name, answer), (second, other, _) = chance.sample(turns, 2)
        if chance.random() < _ALONE:
            follow_up = standalone = chance.choice(told)[0] if told and chance.random() < 0.5 else second
        elif chance.random() < 0.5:
            follow_up, standalone = chance.choice(_AND).format(other), first.replace(name, other)
        else:
            follow_up, standalone = second.replace(other, chance.choice(_IT), 1), second.replace(other, name, 1)
        messages = prompts.condense([*before, (first, answer)], follow_up)
        yield Example(source, KIND, standalone, messages, standalone)


def written() -> Iterator[Example]:
    """The follow-ups that somebody wrote; every tenth is of one source."""
    for number, line in enumerate(_FOLLOW_UPS.read_text(encoding="utf-8").splitlines()):
        one = json.loads(line)
        messages = prompts.condense([(asked, answer) for asked, answer in one["history"]], one["follow_up"])
        yield Example(f"follow-up {number % 10}", KIND, one["standalone"], messages, one["standalone"])


def _written(name: str, question: str) -> str:
    """The unit's name as a question writes it, once, with its article; "" where it does not."""
    start = question.casefold().find(name.casefold())
    if not name or start < 0 or question.casefold().count(name.casefold()) > 1:
        return ""
    article = start - 4 if question[max(0, start - 4) : start].casefold() == "the " else start
    return question[article : start + len(name)]
