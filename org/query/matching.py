"""Whether a text of the chart holds the words that somebody asks for, as whole words or as the beginnings of some.

Knows nothing about what the texts are, or in which language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

from org.chart import Chart, Unit

_WORD = re.compile(r"\w+")
_CELL = 8
"""Words of a cell that a text may name."""
_NONE = 3
_SHORTEST = 4
"""Letters that two words must share to be forms of one: "complaint" and "complaints", but not "it" and "Italy"."""

_cells: WeakKeyDictionary[Chart, frozenset[tuple[str, ...]]] = WeakKeyDictionary()


def holding(text: str, units: Iterable[Unit], texts: Callable[[Unit], Sequence[str]]) -> list[Unit]:
    """The units that have the text in one of their `texts`: as all of it, else as words of it, else as beginnings of
    words; those of the first way that finds any."""
    wanted = words(text)
    if not wanted:
        return []
    starts = [word[:_SHORTEST] for word in wanted]
    found: dict[int, list[Unit]] = {}
    for unit in units:
        cells = [cell for cell in map(str.casefold, texts(unit)) if all(start in cell for start in starts)]
        if cells and (way := min(_way(words(cell), wanted) for cell in cells)) < _NONE:
            found.setdefault(way, []).append(unit)
    return found[min(found)] if found else []


def names_cell(text: str, chart: Chart) -> bool:
    """Whether all of what a cell beside the names and the description says stands in the text: a title, the name of a
    head, a room. A bare number does not count."""
    if chart not in _cells:
        cells = (text for unit in chart.units.values() for text in (unit.head, *(cell for _, cell in unit.attributes)))
        told = {tuple(words(cell)) for cell in cells} - {()}
        _cells[chart] = frozenset(
            cell for cell in told if len(cell) <= _CELL and not (len(cell) == 1 and cell[0].isdigit())
        )
    found = words(text)
    return any(
        tuple(found[start : start + length]) in _cells[chart]
        for length in range(1, _CELL + 1)
        for start in range(len(found) - length + 1)
    )


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.casefold())


def _way(cell: list[str], wanted: list[str]) -> int:
    """How a cell has the words: 0 as all of it, 1 as words of it, 2 as beginnings of words or words that begin so."""
    if cell == wanted:
        return 0
    if set(wanted) <= set(cell):
        return 1
    return 2 if all(any(_is_form(one, word) for one in cell) for word in wanted) else _NONE


def _is_form(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter) >= _SHORTEST and longer.startswith(shorter))
