"""Excel workbooks: each sheet a section, its rows as text, formulas by the values that were stored with them.

Knows no other format. Hidden sheets, rows and columns are left out, and what a picture shows is not read; the notes say
so. No link is followed.
"""

from __future__ import annotations

import datetime
import io
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from trag.ingest.blocks import Block, Reading
from trag.ingest.parse import sheets
from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import damaged, screen
from trag.ingest.parse.pictures import among, unread
from trag.ingest.parse.sheets import COLUMNS, ROWS
from trag.ingest.parse.tables import Row

# openpyxl loads numpy where it finds it, only to write its numbers; the child that reads may open no such library.
_had_numpy = "numpy" in sys.modules
if not _had_numpy:
    sys.modules["numpy"] = None  # type: ignore[assignment]
from openpyxl.reader.excel import ExcelReader  # noqa: E402
from openpyxl.utils.exceptions import InvalidFileException  # noqa: E402

from trag.ingest.parse.xlsx_layout import NOTHING, Layout, layout, pictures  # noqa: E402

if not _had_numpy:
    del sys.modules["numpy"]

LARGE = 100_000_000
"""Bytes of a sheet from which on nobody looks what is merged or hidden in it."""

_WHAT = "Excel workbook"
_GENERIC = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|ark|лист)\s?\d*", re.IGNORECASE)
_LITERAL = re.compile(r"\"([^\"]*)\"|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[\\_*](.)")
_DECIMALS = re.compile(r"\.(0+)")


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
                if reader.archive.getinfo(path).file_size <= LARGE:
                    laid_out = layout(reader.archive.read(path))
                else:
                    laid_out = NOTHING
                    notes.append(f"too large to see what is merged or hidden in sheet {sheet.title}")
                found += sheets.blocks(*_read(sheet, laid_out, notes))
                places += [sheet.title] * pictures(reader.archive, path)
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


def _read(sheet: Any, laid_out: Layout, notes: list[str]) -> tuple[list[Row], frozenset[int]]:
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
    told = (
        (len(laid_out.hidden_rows), "{} in sheet {} left out", "hidden row"),
        (len(laid_out.hidden_columns), "{} in sheet {} left out", "hidden column"),
        (errors, "{} with an error in sheet {} left out", "cell"),
        (laid_out.not_computed, "{} in sheet {} without a stored value: save the file once in Excel", "formula"),
    )
    notes += [words.format(counted(count, what), sheet.title) for count, words, what in told if count]
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
        text = text_of(cells[at - 1]) if at <= len(cells) else ""
        if origin := merged.get((number, at)):
            text = text or origins.get(origin, "")
        elif text and merged:
            origins[number, at] = text
        yield text


def text_of(cell: Any) -> str:
    """The value of an openpyxl cell as Excel shows it, as far as that says something: decimals, per cent, units."""
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _figure(value, str(cell.number_format or ""))
    if isinstance(value, datetime.datetime):
        return str(value.date()) if value.time() == datetime.time() else f"{value:%Y-%m-%d %H:%M}"
    return str(value).strip()


def _figure(value: float, number_format: str) -> str:
    """A figure by its format, such as `#,##0.00 "EUR"`."""
    form = _form(number_format)
    if form.percent:
        text = f"{100 * value:.{form.places}f}%" if form.places else f"{round(100 * value, 6):g}%"
    elif form.thousands:
        text = f"{value:,.{form.places}f}"
    elif form.places:
        text = f"{value:.{form.places}f}"
    else:
        text = str(int(value)) if float(value).is_integer() else repr(round(value, 10))
    return f"{text} {form.unit}" if form.unit else text


@dataclass(frozen=True, slots=True)
class _Form:
    percent: bool
    thousands: bool
    places: int
    unit: str


@cache
def _form(number_format: str) -> _Form:
    """The first part of a format, which is that for amounts above nought."""
    form = number_format.split(";")[0]
    unit = " ".join(part.strip() for match in _LITERAL.findall(form) for part in match if part.strip(" -()"))
    form = _LITERAL.sub("", form)
    decimals = _DECIMALS.search(form) if "E" not in form else None
    return _Form("%" in form, "," in form, len(decimals[1]) if decimals else 0, unit)
