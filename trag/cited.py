"""What an answer rests on, as its record keeps it: the units that were named, the chart's statements, the passages;
and where to look when there is no answer.

Knows nothing about how they were found.
"""

from __future__ import annotations

from collections.abc import Iterable

from org.chart import Chart
from org.linking.entities import Mention
from org.query.sentences import Statement
from store.passage import Excerpt
from trag.record import Entity, Source

NEAREST = 3
"""How many passages whoever gets no answer is led to at most."""


def entities(mentions: Iterable[Mention], chart: Chart | None) -> tuple[Entity, ...]:
    """The units of `chart` that the question names; a shared name gives each of its units."""
    return tuple(
        Entity(unit, chart.unit(unit).name, mention.text, mention.start, mention.end)
        for mention in mentions
        for unit in mention.units
        if chart
    )


def sources(statements: Iterable[Statement], excerpts: Iterable[Excerpt], chart: Chart | None) -> tuple[Source, ...]:
    """Statements, numbered chart-1, chart-2, ..., then excerpts under the ids of their passages."""
    from_chart = (_of_chart(number, statement, chart) for number, statement in enumerate(statements, 1))
    return (*from_chart, *map(_of_documents, excerpts))


def leading(sources: Iterable[Source]) -> tuple[Source, ...]:
    """The first passage of each section of a document, in their order: where a reader who got no answer may look."""
    first: dict[tuple[str, str], Source] = {}
    for source in sources:
        if source.kind != "chart":
            first.setdefault((source.document, source.section), source)
    return tuple(first.values())


def _of_chart(number: int, statement: Statement, chart: Chart | None) -> Source:
    path = chart.path(statement.unit) if chart and statement.unit else ()
    return Source(
        id=f"chart-{number}",
        kind="chart",
        document=f"Organization chart {statement.version}",
        section=" > ".join(unit.name for unit in path),
        page=None,
        text=statement.text,
        score=1.0,
    )


def _of_documents(excerpt: Excerpt) -> Source:
    passage = excerpt.passage
    return Source(
        id=passage.id,
        kind=passage.kind,
        document=passage.document,
        section=passage.section,
        page=passage.page,
        text=excerpt.text,
        score=round(passage.score, 4),
        question=passage.question,
    )
