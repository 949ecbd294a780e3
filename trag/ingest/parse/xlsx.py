"""Excel workbooks: each sheet a section, its rows as text, formulas by the values that were stored with them.

Hidden sheets, rows and columns are left out, and what a picture shows is not read; the notes say so. No link is
followed. What is merged or hidden is looked up in the XML: openpyxl tells it only of sheets that it holds in memory
whole, which a large one must not be.
"""

from __future__ import annotations

import datetime
import io
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any
from zipfile import ZipFile

from lxml import etree

from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import damaged, screen
from trag.ingest.parse.pictures import among, is_counted_in_office, unread
from trag.ingest.parse.sheets import COLUMNS, ROWS, blocks
from trag.ingest.parse.tables import Row
from trag.ingest.reading import Block, Reading

# openpyxl loads numpy where it finds it, only to write its numbers; the child that reads may open no such library.
_had_numpy = "numpy" in sys.modules
if not _had_numpy:
    sys.modules["numpy"] = None  # type: ignore[assignment]
from openpyxl.packaging.relationship import get_dependents, get_rels_path  # noqa: E402
from openpyxl.reader.excel import ExcelReader  # noqa: E402
from openpyxl.utils.cell import range_boundaries  # noqa: E402
from openpyxl.utils.exceptions import InvalidFileException  # noqa: E402

if not _had_numpy:
    del sys.modules["numpy"]

LARGE = 100_000_000
"""Bytes of a sheet from which on nobody looks what is merged or hidden in it."""

_WHAT = "Excel workbook"
_GENERIC = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|ark|лист)\s?\d*", re.IGNORECASE)
_LITERAL = re.compile(r"\"([^\"]*)\"|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[\\_*](.)")
_DECIMALS = re.compile(r"\.(0+)")
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


def parse(content: bytes) -> Reading:
    """An .xlsx file. Raises TragError for a container that is damaged, unpacks to too much, or declares entities."""
    notes = list(screen(content, _WHAT))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the parts that openpyxl does not know and nobody asked for
            reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
            reader.read()
            paths = {sheet.name: relation.target for sheet, relation in reader.parser.find_sheets()}
            shown = [sheet for sheet in reader.wb.worksheets if sheet.sheet_state == "visible"]
            found: list[Block] = []
            places: list[str] = []
            for sheet in shown:
                if len(shown) > 1 or not _GENERIC.fullmatch(sheet.title.strip()):
                    found.append(Block("heading", sheet.title.strip(), 1))
                path = paths[sheet.title]
                laid_out = _Layout()
                if reader.archive.getinfo(path).file_size <= LARGE:
                    laid_out = _layout(reader.archive.read(path))
                else:
                    notes.append(f"too large to see what is merged or hidden in sheet {sheet.title}")
                found += blocks(*_read(sheet, laid_out, notes))
                places += [sheet.title] * _pictures(reader.archive, path)
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        SyntaxError,
        OSError,
    ) as error:
        raise damaged(_WHAT, error) from error
    notes += unread(len(places), among("sheet", places))
    if hidden := [sheet.title for sheet in reader.wb.worksheets if sheet.sheet_state != "visible"]:
        notes.append(f"hidden {'sheets' if len(hidden) > 1 else 'sheet'} {', '.join(hidden)} left out")
    return Reading("Excel", tuple(found), notes=tuple(notes))


def _read(sheet: Any, laid_out: _Layout, notes: list[str]) -> tuple[list[Row], frozenset[int]]:
    """The rows of a sheet as text, and the indices of those that are bold from end to end; adds to `notes`."""
    sheet.reset_dimensions()  # what a file says of its size is often wrong
    rows: list[Row] = []
    bold: set[int] = set()
    origins: dict[tuple[int, int], str] = {}
    wide = False
    errors = 0
    source = enumerate(sheet.iter_rows(), 1)
    for number, cells in islice(source, ROWS):
        wide = wide or len(cells) > COLUMNS
        texts = enumerate(_texts(number, cells[:COLUMNS], laid_out.merged, origins), 1)
        row = tuple(text for at, text in texts if at not in laid_out.hidden_columns)
        if number in laid_out.hidden_rows:
            continue
        held = [cell for cell in cells[:COLUMNS] if cell.value is not None]
        errors += sum(cell.data_type == "e" for cell in held)
        if held and all(cell.font and cell.font.b for cell in held):
            bold.add(len(rows))
        rows.append(row)
    counts = (
        (len(laid_out.hidden_rows), "{} in sheet {} left out", "hidden row"),
        (len(laid_out.hidden_columns), "{} in sheet {} left out", "hidden column"),
        (errors, "{} with an error in sheet {} left out", "cell"),
        (laid_out.not_computed, "{} in sheet {} without a stored value: save the file once in Excel", "formula"),
    )
    notes += [words.format(counted(count, what), sheet.title) for count, words, what in counts if count]
    if next(source, None) is not None:
        notes.append(f"only the first {ROWS:,} rows of sheet {sheet.title} read")
    if wide:
        notes.append(f"only the first {COLUMNS} columns of sheet {sheet.title} read")
    return rows, frozenset(bold)


def _texts(
    number: int,
    cells: tuple[Any, ...],
    merged: dict[tuple[int, int], tuple[int, int]],
    origins: dict[tuple[int, int], str],
) -> Iterator[str]:
    """The texts of a row, with those of merged cells in every place that they reach over, kept in `origins`."""
    width = len(cells)
    while (number, width + 1) in merged:
        width += 1
    for at in range(1, width + 1):
        text = _text(cells[at - 1]) if at <= len(cells) else ""
        if origin := merged.get((number, at)):
            text = text or origins.get(origin, "")
        elif text and merged:
            origins[number, at] = text
        yield text


def _text(cell: Any) -> str:
    """The value of an openpyxl cell as Excel shows it, as far as that says something: decimals, per cent, units."""
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime.datetime):
        return str(value.date()) if value.time() == datetime.time() else f"{value:%Y-%m-%d %H:%M}"
    if not isinstance(value, int | float):
        return str(value).strip()
    percent, thousands, places, unit = _form(str(cell.number_format or ""))
    if percent:
        text = f"{100 * value:.{places}f}%" if places else f"{round(100 * value, 6):g}%"
    elif thousands:
        text = f"{value:,.{places}f}"
    elif places:
        text = f"{value:.{places}f}"
    else:
        text = str(int(value)) if float(value).is_integer() else repr(round(value, 10))
    return f"{text} {unit}" if unit else text


@cache
def _form(number_format: str) -> tuple[bool, bool, int, str]:
    """What the first part of a format such as `#,##0.00 "EUR"`, which is that for amounts above nought, asks for: per
    cent, thousands set apart, decimals, a unit."""
    form = number_format.split(";")[0]
    unit = " ".join(part.strip() for match in _LITERAL.findall(form) for part in match if part.strip(" -()"))
    form = _LITERAL.sub("", form)
    decimals = _DECIMALS.search(form) if "E" not in form else None
    return "%" in form, "," in form, len(decimals[1]) if decimals else 0, unit


@dataclass(frozen=True, slots=True)
class _Layout:
    """`merged` has the first place of an area for each other place in it. Rows and columns count from 1. `not_computed`
    are formulas without a stored value."""

    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    not_computed: int = 0


def _layout(xml: bytes) -> _Layout:
    """The layout of a sheet, as far as ROWS and COLUMNS."""
    rows = {int(numbers["r"]) for numbers in _numbers(_ROW, xml) if "r" in numbers}
    columns = {
        column
        for numbers in _numbers(_COLUMN, xml)
        if {"min", "max"} <= numbers.keys()
        for column in range(int(numbers["min"]), min(int(numbers["max"]), COLUMNS) + 1)
    }
    areas = (range_boundaries(match[1].decode()) for match in islice(_MERGED.finditer(xml), _AREAS))
    merged = (
        ((row, column), (top, left))
        for left, top, right, bottom in areas
        for row in range(top, min(bottom, ROWS) + 1)
        for column in range(left, min(right, COLUMNS) + 1)
        if (row, column) != (top, left)
    )
    not_computed = len(_NOT_COMPUTED.findall(xml))
    return _Layout(dict(islice(merged, _PLACES)), frozenset(rows), frozenset(columns), not_computed)


def _numbers(pattern: re.Pattern[bytes], xml: bytes) -> Iterator[dict[str, str]]:
    for match in pattern.finditer(xml):
        yield {name.decode(): value.decode() for name, value in _NUMBER.findall(match[0])}


def _pictures(archive: ZipFile, path: str) -> int:
    """How many pictures lie on the sheet at `path`. Raises ValueError or SyntaxError for a damaged part."""
    entries = set(archive.namelist())
    if get_rels_path(path) not in entries:
        return 0
    related = get_dependents(archive, get_rels_path(path))
    drawings = [each.target for each in related if each.Type.endswith("/drawing") and each.target in entries]
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    count = 0
    for drawing in drawings:
        for picture in etree.fromstring(archive.read(drawing), parser).iter(f"{{{_DRAWING}}}pic"):
            # An anchor to one place has a size of its own; of one between two places the picture itself has it.
            anchor = picture.getparent()
            size = None if anchor is None else anchor.find(f"{{{_DRAWING}}}ext")
            size = picture.find(_SIZE) if size is None else size
            width, height = (int(size.get(side) or 0) or None if size is not None else None for side in ("cx", "cy"))
            count += is_counted_in_office(picture, width, height)
    return count
