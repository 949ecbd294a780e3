"""Whether a text of the chart holds the words that somebody asks for, as whole words or as the beginnings of some.

Knows nothing about what the texts are, or in which language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from org.chart import Unit

_WORD = re.compile(r"\w+")
_NONE = 3
_SHORTEST = 4
"""Letters that two words must share to be forms of one: "complaint" and "complaints", but not "it" and "Italy"."""


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
