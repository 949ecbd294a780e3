"""Sentences about where units sit, for the model to copy, and the chart's own answer (T-RAG, section 5.3, figure 2).

What is asked -> the answer (org/answering) and what else helps -> statements within a budget
Knows nothing about models; `count` is whatever measures a text for the one who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from org.answering import particulars, sentences, subjects
from org.answering.replies import FEW, MANY, MOST_SHARING, of_type, opening, others, reply
from org.answering.sentences import label, sentence
from org.chart import Chart, Unit
from org.entities import Mention, TypeMention
from org.finding import names
from org.finding.sentence import is_placing


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or short paragraph about the unit with the id `unit`, true of the chart of that `version`."""

    unit: str
    text: str
    version: str


_MOST_UNITS = 12  # described to one question; a text that names more is no question about them


def placement(unit_id: str, chart: Chart) -> Statement:
    """Where a unit sits, up to the top: "A is under B, which is under C."."""
    return Statement(unit_id, sentences.placed(chart.unit(unit_id), chart), chart.version)


def corrections(unit_id: str, chart: Chart) -> tuple[Statement, ...]:
    """Where a unit sits and how many are under it: what sets a wrong word about it right."""
    unit = chart.unit(unit_id)
    below = (Statement(unit_id, sentences.totals(unit, chart), chart.version),) if chart.total(unit_id) else ()
    return (placement(unit_id, chart), *below)


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
    is left out whole. Of a name that many share, and of many names, the number that is not told is said.
    """
    chosen: list[Statement] = []
    for versions in _relevant(question, mentions, types, chart, chosen):
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
    if cells := particulars.asked(question, mentions, chart):
        return Statement(cells[0].unit, particulars.reply(cells, chart), chart.version)
    asked = subjects.read(question, mentions, types, chart)
    told = [reply(one, chart, limit) for one in asked]
    if not told or not all(told):
        return None
    unit = asked[0].groups[0][0] if asked[0].groups else chart.root
    return Statement(unit.id, " ".join(dict.fromkeys(told)), chart.version)


def _relevant(
    question: str,
    mentions: Sequence[Mention],
    types: Sequence[TypeMention],
    chart: Chart,
    chosen: Sequence[Statement],
) -> Iterator[Iterator[Statement]]:
    """Statements by relevance, each in versions from long to short, of which one is to be chosen; `chosen` are those
    that were, which grows as the statements are asked for."""

    def said(unit: Unit, *texts: str) -> Iterator[Statement]:
        return (Statement(unit.id, text, chart.version) for text in texts if text)

    direct = answer(question, mentions, types, chart)
    if direct:
        shorter = (_answer(question, mentions, types, chart, limit) for limit in (FEW, 0))
        yield chain((direct,), (one for one in shorter if one))
    is_about_chart = bool(direct or types or is_placing(question))
    if not is_about_chart:  # "the endowment of the Foundation": that it is the Foundation's, all is
        mentions = [mention for mention in mentions if mention.units != (chart.root.id,)]
    found = dict.fromkeys(unit for mention in mentions for unit in mention.units[:MOST_SHARING])
    units = [chart.unit(unit) for unit in list(found)[:_MOST_UNITS]]
    sharing = dict.fromkeys(mention.units for mention in mentions if len(mention.units) > 1)
    shared = [tuple(chart.unit(unit) for unit in group) for group in sharing]
    for group in shared:
        if len(group) > MOST_SHARING:
            yield said(group[0], opening(group))
    for unit in units:
        yield iter((placement(unit.id, chart),))
    for group in shared:
        told = sum(_is_placed(unit, chart, chosen) for unit in group[:MOST_SHARING])
        if 0 < told < len(group):
            yield said(group[0], others(group, told))
    if left := [chart.unit(unit) for unit in list(found)[_MOST_UNITS:]]:
        yield said(left[0], *(_left_out(left, chart, limit) for limit in (MANY, FEW, 0)))
    for mention in mentions[:_MOST_UNITS]:
        unit = chart.unit(mention.units[0])
        if len(mention.units) == 1 and names.key(mention.text) != names.key(unit.name):
            yield said(unit, sentence(f"{mention.text} is another name of {label(unit, chart)}"))
    for unit in units:
        yield said(unit, sentences.described(unit, chart))
    for unit in units:
        for text in particulars.described(unit, chart):
            yield said(unit, text)
    if not is_about_chart:
        return
    for above in units or ([chart.root] if types else []):
        for noun in dict.fromkeys(mention.type for mention in types):
            yield (Statement(above.id, of_type(noun, above, chart, limit), chart.version) for limit in (MANY, FEW, 0))
    for unit in units:
        yield (Statement(unit.id, sentences.children(unit, chart, limit), chart.version) for limit in (MANY, FEW, 0))


def _is_placed(unit: Unit, chart: Chart, chosen: Sequence[Statement]) -> bool:
    text = sentences.placed(unit, chart)
    return any(text in statement.text for statement in chosen)


def _left_out(units: Sequence[Unit], chart: Chart, limit: int) -> str:
    """The units of a question with too many to tell of each."""
    number = sentences.counted(len(units), "more unit")
    named = f": {sentences.several(units, chart, limit)}" if limit else ""
    return sentence(f"the question names {number}{named}")
