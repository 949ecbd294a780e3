"""What a sheet's XML says of its cells beside their values: which are merged, and which rows and columns are hidden.

openpyxl tells this only of sheets that it holds in memory whole, which a large one must not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from openpyxl.utils.cell import range_boundaries

from trag.ingest.parse.sheets import COLUMNS, ROWS

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_HIDDEN = rb"[^>]*\bhidden=\"(?:1|true)\"[^>]*>"
_ROW = re.compile(rb"<(?:\w+:)?row\b" + _HIDDEN)
_COLUMN = re.compile(rb"<(?:\w+:)?col\b" + _HIDDEN)
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d{1,7})\"")
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_AREAS = 5_000
_PLACES = 1_000_000
"""Merged areas that are looked at, and the places they may take, of one sheet."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`merged` has the first place of an area for each other place in it. Rows and columns count from 1."""

    merged: dict[tuple[int, int], tuple[int, int]]
    hidden_rows: frozenset[int]
    hidden_columns: frozenset[int]
    not_computed: int
    """Formulas without a stored value."""


NOTHING = Layout({}, frozenset(), frozenset(), 0)
"""The layout of a sheet at which nobody has looked."""


def layout(xml: bytes) -> Layout:
    """The layout of a sheet, as far as ROWS and COLUMNS."""
    rows = {int(number["r"]) for number in _numbers(_ROW, xml) if "r" in number}
    columns = {
        column
        for number in _numbers(_COLUMN, xml)
        if {"min", "max"} <= number.keys()
        for column in range(int(number["min"]), min(int(number["max"]), COLUMNS) + 1)
    }
    merged = dict(islice(_places(xml), _PLACES))
    return Layout(merged, frozenset(rows), frozenset(columns), len(_NOT_COMPUTED.findall(xml)))


def _numbers(pattern: re.Pattern[bytes], xml: bytes) -> Iterator[dict[str, str]]:
    for match in pattern.finditer(xml):
        yield {name.decode(): value.decode() for name, value in _NUMBER.findall(match[0])}


def _places(xml: bytes) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for match in islice(_MERGED.finditer(xml), _AREAS):
        left, top, right, bottom = range_boundaries(match[1].decode())
        for row in range(top, min(bottom, ROWS) + 1):
            for column in range(left, min(right, COLUMNS) + 1):
                if (row, column) != (top, left):
                    yield (row, column), (top, left)
