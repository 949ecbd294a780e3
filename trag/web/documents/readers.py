"""Who may read a document, in names: everyone, or units of the chart and everybody below them.

Knows nothing about pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from org.chart import Chart, Unit
from store.passage import EVERYONE, Audience

FOUND = 20
"""Units that a search gives."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A unit of an audience: its id, its name, and the unit above it, "" at the top. `known`: the chart has it."""

    id: str
    name: str
    under: str = ""
    known: bool = True


def readers(audience: Audience, chart: Chart | None) -> tuple[Reader, ...] | None:
    """The units of an audience, None for everyone. One that the chart in use does not have goes by its id."""
    if EVERYONE in audience:
        return None
    units = chart.units if chart else {}
    named = [_reader(units[id], chart) if id in units else Reader(id, id, known=False) for id in audience]
    return tuple(sorted(named, key=lambda reader: reader.name.casefold()))


def find(chart: Chart | None, words: str) -> tuple[Reader, ...]:
    """The units whose name or another name of theirs holds all of these words, names that begin so first."""
    wanted = words.casefold().split()
    if chart is None or not wanted:
        return ()
    found: list[tuple[bool, int, Unit]] = []
    for unit in chart.units.values():
        names = " ".join((unit.name, *unit.aliases)).casefold()
        if all(word in names for word in wanted):
            found.append((not unit.name.casefold().startswith(wanted[0]), len(unit.name), unit))
    return tuple(_reader(unit, chart) for _, _, unit in sorted(found, key=lambda each: each[:2])[:FOUND])


def _reader(unit: Unit, chart: Chart | None) -> Reader:
    return Reader(unit.id, unit.name, chart.unit(unit.parent).name if chart and unit.parent else "")
