"""Sentences about where units sit, for the model to copy, and the chart's own answer (T-RAG, section 5.3, figure 2).

What is asked (org/questions.py) -> the answer (org/replies.py) and what else helps -> statements within a budget
Knows nothing about models; `count` is whatever measures a text for the one who asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from org import everyday, names, questions, sentences
from org.chart import Chart
from org.entities import Mention, TypeMention
from org.replies import FEW, MANY, MOST_SHARING, of_type, reply
from org.sentences import label, sentence


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or short paragraph about the unit with the id `unit`, true of the chart it was made from."""

    unit: str
    text: str


_MOST_UNITS = 12  # described to one question; a text that names more is no question about them
_INSIDE = re.compile(r"\b(?:in|within|of|at|across)(?: the| our)?\s*$", re.IGNORECASE)
_VERB = re.compile(r"\s*,?\s*(?:does|do|is|are)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:['’]s|[,(>:-]|under)\s*(?:the\s+)?", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?!.*\b(?:and|or|part|under)\b)[\w\s]{0,30}\b(?:of|in|within|inside)\s+(?:(?:the|our)\s+)?", re.IGNORECASE
)


def placement(unit_id: str, chart: Chart) -> Statement:
    """Where a unit sits, up to the top: "A is under B, which is under C."."""
    return Statement(unit_id, sentences.placed(chart.unit(unit_id), chart))


def describe(
    question: str,
    mentions: Sequence[Mention],
    types: Sequence[TypeMention],
    chart: Chart,
    *,
    budget: int,
    count: Callable[[str], int],
) -> tuple[Statement, ...]:
    """What the chart says to a question, most relevant first, `count` of all texts together at most `budget`.

    A list that does not fit is given shorter, with the number that is missing; any other statement that does not fit
    is left out whole.
    """
    chosen: list[Statement] = []
    for versions in _relevant(question, mentions, types, chart):
        for statement in versions:
            if any(statement.text in other.text for other in chosen):
                break
            size = count(statement.text)
            if size <= budget:
                budget -= size
                chosen.append(statement)
                break
    return tuple(chosen)


def answer(question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart) -> Statement | None:
    """The complete answer from the chart alone, None when the question asks for more than the chart holds."""
    return _answer(question, mentions, types, chart, MANY)


def _answer(
    question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart, limit: int
) -> Statement | None:
    asked = questions.read(question, mentions, types, context=_context(question, mentions, chart))
    groups = [[chart.unit(unit) for unit in mention.units] for mention in mentions]
    told = []
    for one in asked:
        sought = tuple(dict.fromkeys(types[place].type for place in one.types))
        against = [groups[place] for place in one.against]
        told.append(reply(one, [groups[place] for place in one.of], against, sought, chart, limit))
    if not told or not all(told):
        return None
    unit = groups[asked[0].of[0]][0] if asked[0].of else chart.root
    return Statement(unit.id, " ".join(dict.fromkeys(told)))


def _relevant(
    question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart
) -> Iterator[Iterator[Statement]]:
    """Statements by relevance, each in versions from long to short, of which one is to be chosen."""
    direct = answer(question, mentions, types, chart)
    if direct:
        shorter = (_answer(question, mentions, types, chart, limit) for limit in (FEW, 0))
        yield chain((direct,), (one for one in shorter if one))
    found = dict.fromkeys(unit for mention in mentions for unit in mention.units[:MOST_SHARING])
    units = [chart.unit(unit) for unit in list(found)[:_MOST_UNITS]]
    for unit in units:
        yield iter((placement(unit.id, chart),))
    for mention in mentions[:_MOST_UNITS]:
        unit = chart.unit(mention.units[0])
        if len(mention.units) == 1 and names.key(mention.text) != names.key(unit.name):
            yield iter((Statement(unit.id, sentence(f"{mention.text} is another name of {label(unit, chart)}")),))
    for unit in units:
        if unit.description:
            yield iter((Statement(unit.id, sentences.described(unit, chart)),))
    if not (direct or types or everyday.is_placing(question)):
        return
    for above in units or ([chart.root] if types else []):
        for noun in dict.fromkeys(mention.type for mention in types):
            yield (Statement(above.id, of_type(noun, above, chart, limit)) for limit in (MANY, FEW, 0))
    for unit in units:
        yield (Statement(unit.id, sentences.children(unit, chart, limit)) for limit in (MANY, FEW, 0))


def _context(question: str, mentions: Sequence[Mention], chart: Chart) -> set[int]:
    """The places of mentions that only tell where another is: "the Library of the School", "in the Foundation"."""
    context = set()
    for place, mention in enumerate(mentions):
        if len(mentions) == 1 or not _INSIDE.search(question[: mention.start]):
            continue
        others = [unit for other in mentions for unit in other.units if other.units != mention.units]
        is_above = len(mention.units) == 1 and all(chart.is_under(unit, mention.units[0]) for unit in others)
        if mention.units == (chart.root.id,) or (is_above and _VERB.match(question, mention.end)):
            context.add(place)
    for place, (first, second) in enumerate(pairwise(mentions), start=1):
        shared = len(chart.named(chart.unit(first.units[0]).name)) > 1
        beside = _WITHIN.fullmatch(question, first.end, second.start) or (
            shared and _ASIDE.fullmatch(question, first.end, second.start)
        )
        if beside and all(chart.is_under(unit, above) for unit in first.units for above in second.units):
            context.add(place)
    return context
