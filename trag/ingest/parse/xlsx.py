"""Excel workbooks: each sheet a section, its rows as text, formulas by the values that were stored with them.

Hidden sheets, rows and columns are left out, and so is what is struck out; what was read off pictures stands below the
cells of their sheet. The notes say what was not read. No link is followed. What is merged or hidden is looked up in the
XML: openpyxl tells it only of sheets that it holds in memory whole, which a large one must not be.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.datetime import MAC_EPOCH
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._reader import WorkSheetParser

from org.reading.number_formats import shown, shown_text
from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import ERRORS, damaged, readable, screen
from trag.ingest.parse.picture_words import Pictures
from trag.ingest.parse.pictures import among, unread
from trag.ingest.parse.sheets import COLUMNS, ROWS, blocks
from trag.ingest.parse.tables import Row
from trag.ingest.parse.xlsx_beside import Beside, beside
from trag.ingest.parse.xlsx_plain import plain
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

LARGE = 100_000_000
"""Bytes of a sheet from which on nobody looks what is merged or hidden in it."""

Place = tuple[int, int]
"""Row and column."""

_WHAT = "Excel workbook"
_GENERIC = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|ark|лист)\s?\d*", re.IGNORECASE)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_HIDDEN = rb"[^>]*\bhidden=\"(?:1|true)\"[^>]*>"
_ROW = re.compile(rb"<(?:\w+:)?row\b" + _HIDDEN)
_COLUMN = re.compile(rb"<(?:\w+:)?col\b" + _HIDDEN)
_NUMBER = re.compile(rb"\b(r|min|max)=\"(\d{1,7})\"")
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_AREAS = 5_000
_PLACES = 1_000_000
"""Merged areas that are looked at, and the places they may take, of one sheet."""


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """An .xlsx file; `scans` are what was read of its pictures. Raises TragError for a container that is damaged,
    unpacks to too much, or declares entities."""
    notes = list(screen(content, _WHAT))
    try:
        whole, pictures = readable(content), Pictures(content, "xlsx", scans)
        try:
            found, others = _sheets(whole, pictures)
        except ERRORS:
            # Mostly for a colour, a rule or a property that is not as it should be, of which nothing is read.
            pictures = Pictures(content, "xlsx", scans)
            found, others = _sheets(plain(whole), pictures)
    except (InvalidFileException, *ERRORS) as error:
        raise damaged(_WHAT, error) from error
    return Reading("Excel", found, notes=(*notes, *others), scanned=tuple(pictures.wanted))


def _sheets(content: bytes, pictures: Pictures) -> tuple[tuple[Block, ...], list[str]]:
    """The blocks of all sheets, and notes on what of them is not read."""
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the parts that openpyxl does not know and nobody asked for
        reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False, rich_text=True)
        reader.read()
        paths = {sheet.name: relation.target for sheet, relation in reader.parser.find_sheets()}
        shown = [sheet for sheet in reader.wb.worksheets if sheet.sheet_state == "visible"]
        found: list[Block] = []
        for sheet in shown:
            if len(shown) > 1 or not _GENERIC.fullmatch(sheet.title.strip()):
                found.append(Block("heading", sheet.title.strip(), 1))
            path = paths[sheet.title]
            laid_out = _Layout()
            if reader.archive.getinfo(path).file_size <= LARGE:
                laid_out = _layout(reader.archive.read(path))
            else:
                notes.append(f"too large to see what is merged or hidden in sheet {sheet.title}")
            around = beside(reader.archive, path)
            notes += [f"{counted(count, what)} in sheet {sheet.title} not read" for what, count in around.unread]
            found += [Block("paragraph", text) for row, text in around.boxes if not row]
            found += blocks(*_read(reader, sheet, path, laid_out, around, notes))
            found += [Block("paragraph", text) for row, text in around.boxes if row]
            found += [block for name in around.pictures for block in pictures.blocks(name, sheet.title)]
    notes += unread(len(pictures.unread), among("sheet", pictures.unread))
    if hidden := [sheet.title for sheet in reader.wb.worksheets if sheet.sheet_state != "visible"]:
        notes.append(f"hidden {'sheets' if len(hidden) > 1 else 'sheet'} {', '.join(hidden)} left out")
    if lost := [sheet.name for sheet in reader.parser.sheets if not sheet.id]:
        kind, where = ("sheets", "they are") if len(lost) > 1 else ("sheet", "it is")
        notes.append(f"{kind} {', '.join(lost)} not read: the file does not say where {where}")
    return tuple(found), notes


@dataclass(frozen=True, slots=True)
class _Style:
    """What the style of a cell says: the code by which its numbers are shown, and its font."""

    code: str
    is_bold: bool
    is_struck: bool


def _style(sheet: Any, number: int) -> _Style:
    cell = ReadOnlyCell(sheet, 1, 1, None, style_id=number)
    return _Style(cell.number_format or "General", bool(cell.font.b), bool(cell.font.strike))


def _read(
    reader: ExcelReader, sheet: Any, path: str, laid_out: _Layout, around: Beside, notes: list[str]
) -> tuple[list[Row], frozenset[Place], dict[Place, str]]:
    """The rows of a sheet as text, which of their cells are bold, and what is noted on them; adds to `notes`."""
    rows: list[Row] = []
    bold: set[Place] = set()
    remarks: dict[Place, str] = {}
    origins: dict[Place, str] = {}
    styles: dict[int, _Style] = {}
    met: Counter[str] = Counter()
    columns = [column for column in range(1, COLUMNS + 1) if column not in laid_out.hidden_columns]
    since_1904 = reader.wb.epoch == MAC_EPOCH
    with reader.archive.open(path) as source:
        parser = _Cells(source, reader.shared_strings, data_only=True, rich_text=True)
        for number, cells in _numbered(parser.parse()):
            if number > ROWS:
                met["long"] += 1
                break
            met["wide"] += any(cell["column"] > COLUMNS for cell in cells)
            held = {cell["column"]: cell for cell in cells if cell["value"] is not None and cell["column"] <= COLUMNS}
            is_shown = number not in laid_out.hidden_rows
            counted_here = met if is_shown else Counter()
            for cell in held.values():
                if cell["style_id"] not in styles:
                    styles[cell["style_id"]] = _style(sheet, cell["style_id"])
            texts = {
                column: _text(cell, styles[cell["style_id"]], counted_here, since_1904=since_1904)
                for column, cell in held.items()
            }
            spread = _spread(number, texts, laid_out.merged, origins)
            if not is_shown:
                continue
            shown_here = [column for column in columns if column <= len(spread)]
            for at, column in enumerate(columns):
                if column in held and (styles[held[column]["style_id"]].is_bold or (number, column) in around.names):
                    bold.add((len(rows), at))
                if remark := around.remarks.get((number, column)):
                    remarks[len(rows), at] = remark
                    shown_here = columns[: max(at + 1, len(shown_here))]
            rows.append(tuple(spread[column - 1] if column <= len(spread) else "" for column in shown_here))
    counts = (
        (len(laid_out.hidden_rows), "{} in sheet {} left out", "hidden row"),
        (len(laid_out.hidden_columns), "{} in sheet {} left out", "hidden column"),
        (met["error"], "{} with an error in sheet {} left out", "cell"),
        (met["struck"], "{} with struck-out text in sheet {}, which was left out", "cell"),
        (met["unseen"], "{} in sheet {} left out, since the format shows nothing", "cell"),
        (laid_out.not_computed, "{} in sheet {} without a stored value: save the file once in Excel", "formula"),
    )
    notes += [words.format(counted(count, what), sheet.title) for count, words, what in counts if count]
    if met["long"]:
        notes.append(f"only the first {ROWS:,} rows of sheet {sheet.title} read")
    if met["wide"]:
        notes.append(f"only the first {COLUMNS} columns of sheet {sheet.title} read")
    return rows, frozenset(bold), remarks


class _Cells(WorkSheetParser):  # type: ignore[misc]
    """openpyxl's own, which looks for a text in one of the two places where the cells of some programs have it."""

    def parse_cell(self, element: Any) -> Any:
        if element.get("t") == "inlineStr" and element.findtext("{*}v"):
            element.set("t", "str")
        return super().parse_cell(element)


def _numbered(rows: Iterator[tuple[int, list[dict[str, Any]]]]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The rows that a file holds with those that it leaves out, as far as ROWS."""
    last = 0
    for number, cells in rows:
        yield from ((missing, []) for missing in range(last + 1, min(number, ROWS + 1)))
        if number > last:
            yield number, cells
            last = number


def _spread(number: int, texts: dict[int, str], merged: dict[Place, Place], origins: dict[Place, str]) -> list[str]:
    """The texts of a row, with those of merged cells in every place that they reach over, kept in `origins`."""
    width = max(texts, default=0)
    while (number, width + 1) in merged:
        width += 1
    row = [texts.get(at, "") for at in range(1, width + 1)]
    for at in range(1, width + 1) if merged else ():
        if origin := merged.get((number, at)):
            row[at - 1] = row[at - 1] or origins.get(origin, "")
        elif row[at - 1]:
            origins[number, at] = row[at - 1]
    return row


def _text(cell: dict[str, Any], style: _Style, met: Counter[str], *, since_1904: bool) -> str:
    """The value of a cell as Excel shows it, without what is struck out; counts in `met` what is not shown."""
    value = cell["value"]
    if cell["data_type"] == "e":
        met["error"] += 1
        return ""
    if style.is_struck and not isinstance(value, CellRichText):
        met["struck"] += 1
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        text = shown(value, style.code, since_1904=since_1904)
        met["unseen"] += not text
        return text
    if isinstance(value, datetime | date | time | timedelta):  # a cell that holds it in letters
        return str(value).removesuffix(" 00:00:00").removesuffix(":00")
    pieces = value if isinstance(value, CellRichText) else [value]
    kept = [
        str(piece) for piece in pieces if not (piece.font.strike if isinstance(piece, TextBlock) else style.is_struck)
    ]
    met["struck"] += len(kept) < len(pieces)
    text = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), "".join(kept)).replace("\r", "").strip()
    found = shown_text(text, style.code) if text else ""
    met["unseen"] += bool(text) and not found
    return found


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
