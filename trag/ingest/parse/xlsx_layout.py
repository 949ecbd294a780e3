"""What a workbook says of a sheet beside the values of its cells: which are merged, which rows and columns are hidden,
how many pictures lie on it.

openpyxl tells this only of sheets that it holds in memory whole, which a large one must not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from zipfile import ZipFile

from lxml import etree
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.utils.cell import range_boundaries

from trag.ingest.parse.pictures import is_told_in_office
from trag.ingest.parse.sheets import COLUMNS, ROWS

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_HIDDEN = rb"[^>]*\bhidden=\"(?:1|true)\"[^>]*>"
_ROW = re.compile(rb"<(?:\w+:)?row\b" + _HIDDEN)
_COLUMN = re.compile(rb"<(?:\w+:)?col\b" + _HIDDEN)
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d{1,7})\"")
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
_SIZE = ".//{http://schemas.openxmlformats.org/drawingml/2006/main}xfrm/{*}ext"
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


def pictures(archive: ZipFile, path: str) -> int:
    """How many pictures lie on the sheet at `path`. Raises ValueError or SyntaxError for a damaged part."""
    entries = set(archive.namelist())
    if get_rels_path(path) not in entries:
        return 0
    related = get_dependents(archive, get_rels_path(path))
    drawings = [each.target for each in related if each.Type.endswith("/drawing") and each.target in entries]
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return sum(_pictures(etree.fromstring(archive.read(each), parser)) for each in drawings)


def _pictures(drawing: etree._Element) -> int:
    count = 0
    for picture in drawing.iter(f"{{{_DRAWING}}}pic"):
        # An anchor to one place has a size of its own; of one between two places the picture itself has it.
        anchored = picture.getparent()
        size = None if anchored is None else anchored.find(f"{{{_DRAWING}}}ext")
        size = picture.find(_SIZE) if size is None else size
        width, height = (int(size.get(side) or 0) or None if size is not None else None for side in ("cx", "cy"))
        count += is_told_in_office(picture, width, height)
    return count


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
