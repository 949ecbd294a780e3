"""Statements about where units sit, for a model to read (T-RAG, section 5.3, figure 2).

units -> sentences within a budget.  Knows nothing about models; `count` is whatever measures a text for the one who
asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from org.chart import Chart, Unit
from org.entities import Mention
from org.query import sentences

MOST = 12
"""Units that are described to one question; a text that names more is no question about them."""
_LISTED = 20


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or short paragraph about the unit with the id `unit`, true of the chart of that `version`."""

    unit: str
    text: str
    version: str


def placement(unit_id: str, chart: Chart) -> Statement:
    """Where a unit sits, up to the top: "A is under B, which is under C."."""
    return Statement(unit_id, sentences.placed(chart.unit(unit_id), chart), chart.version)


def describe(
    mentions: Sequence[Mention], chart: Chart, *, budget: int, count: Callable[[str], int]
) -> tuple[Statement, ...]:
    """What the chart says of the units that are named: where they sit, then what they do, then what is under them;
    `count` of all texts together at most `budget`. What does not fit is left out whole."""
    named = dict.fromkeys(unit for mention in mentions for unit in mention.units)
    units = [chart.unit(unit) for unit in list(named)[:MOST]]
    chosen: list[Statement] = []
    for unit, text in _told(units, chart):
        size = count(text)
        if size <= budget:
            budget -= size
            chosen.append(Statement(unit.id, text, chart.version))
    return tuple(chosen)


def _told(units: Sequence[Unit], chart: Chart) -> Iterator[tuple[Unit, str]]:
    yield from ((unit, sentences.placed(unit, chart)) for unit in units)
    yield from ((unit, text) for unit in units if (text := sentences.described(unit, chart)))
    for unit in units:
        if below := sentences.several(chart.children(unit.id), chart, _LISTED):
            yield unit, sentences.sentence(f"Directly under {sentences.label(unit, chart)}: {below}")
