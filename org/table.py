"""The bytes of an uploaded chart -> its rows, with everything that could not be read reported by row.

Knows file formats, encodings and delimiters; knows nothing about parents, trees or what makes a chart valid.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

MAX_BYTES = 100 * 2**20
MAX_ROWS = 200_000
COLUMNS = ("id", "name", "parent", "type", "aliases", "description")

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3,}")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do. `row` counts as a spreadsheet does (header: row 1); 0 is the whole file."""

    row: int
    severity: Literal["error", "warning"]
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Row:
    """One unit as its row gives it, cleaned of invisible characters and doubled spaces; "" where a cell is missing."""

    number: int
    id: str
    name: str
    parent: str
    type: str
    aliases: tuple[str, ...]
    description: str


def read(content: bytes, name: str) -> tuple[tuple[Row, ...], tuple[Problem, ...]]:
    """The rows of a chart file, its format told by the end of its name: .csv (also .tsv, .txt) or .json."""
    problems: list[Problem] = []
    if len(content) > MAX_BYTES:
        size = f"{len(content) / 2**20:.0f} MB"
        return (), (_error(0, f"The file is too large: {size}.", f"A chart may have {MAX_BYTES // 2**20} MB at most."),)
    suffix = PurePath(name).suffix.lower()
    if suffix in (".xlsx", ".xls", ".xlsm", ".ods") or content[:4] == b"PK\x03\x04":
        message = f"{name} is a spreadsheet workbook, which cannot be read yet."
        return (), (_error(0, message, 'In the spreadsheet program, save it as "CSV UTF-8" and upload that file.'),)
    text = _decode(content, problems)
    if text is None:
        return (), tuple(problems)
    if not text.strip():
        problems.append(_error(0, "The file is empty.", "It needs a header row with the columns name and parent."))
        return (), tuple(problems)
    cells = _json_cells(text, problems) if suffix == ".json" else _csv_cells(text, problems)
    rows: list[Row] = []
    for number, record in cells:
        if len(rows) == MAX_ROWS:
            problems.append(
                _error(0, f"The chart has more than {MAX_ROWS:,} units.", "Split it, or leave out what is no unit.")
            )
            break
        row = _row(number, record, problems)
        if row is not None:
            rows.append(row)
    if not rows and not any(problem.severity == "error" for problem in problems):
        problems.append(_error(0, "The file has a header but no units.", "Add one row for each unit."))
    return tuple(rows), tuple(problems)


def _decode(content: bytes, problems: list[Problem]) -> str | None:
    """The text by its byte order mark, as UTF-16 without one, as UTF-8, or last, with a warning, by a Windows page."""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    if not encoding and b"\0" in content[:4096]:
        even, odd = content[:4096:2].count(0), content[1:4096:2].count(0)
        encoding = "utf-16-le" if odd > 4 * even else "utf-16-be" if even > 4 * odd else "utf-8"
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding.startswith("utf-16"):
            problems.append(_error(0, "The file begins as UTF-16 but is damaged.", "Save it again as CSV UTF-8."))
            return None
        row = content.count(b"\n", 0, error.start) + 1
        # Arabic letters stand in runs above 127; accented Western letters stand alone.
        high = sum(byte > 127 for byte in content)
        page = "cp1256" if 2 * sum(map(len, _HIGH_RUN.findall(content))) > high else "cp1252"
        text = content.decode(page, errors="replace")
        found = f"The file is not UTF-8 (first at row {row}); it was read as Windows-{page[2:]}."
        problems.append(
            Problem(row, "warning", found, "Check the accented letters below, or save the file as CSV UTF-8.")
        )
    if "\0" in text:
        problems.append(_error(0, "The file is not text.", "Export the chart as a CSV file."))
        return None
    return text


def _csv_cells(text: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each record after the header with its row number, as column -> cell."""
    header_line = next(line for line in io.StringIO(text) if line.strip())
    delimiter = next((mark for mark in ",;\t|" if {"name", "parent"} <= set(_header(header_line, mark))), "")
    if not delimiter:
        found = ", ".join(cell for cell in _header(header_line, _likely_delimiter(header_line)) if cell)[:200]
        missing = " and ".join(column for column in ("name", "parent") if column not in found.split(", "))
        hint = "The first row must name the columns: name, parent, and if you have them type, aliases, description, id."
        problems.append(_error(1, f"No column is called {missing}. Found: {found}.", hint))
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [_clean(cell).lower() for cell in cells]
                twice = sorted({column for column in header if column in COLUMNS and header.count(column) > 1})
                if twice:
                    hint = "Keep one column of each name."
                    problems.append(_error(number, f"Two columns are called {' and '.join(twice)}.", hint))
                    return
                continue
            if any(cell.strip() for cell in cells[len(header) :]):
                hint = "Put quotation marks around a cell that contains the delimiter."
                problems.append(
                    Problem(number, "warning", f"The row has {len(cells)} cells, the header {len(header)}.", hint)
                )
            yield number, dict(zip(header, cells, strict=False))
    except csv.Error as error:
        hint = 'Look for a quotation mark that is not closed; inside a quoted cell, write " twice.'
        problems.append(_error(number + 1, f"The file cannot be read from here on ({error}).", hint))


def _header(line: str, delimiter: str) -> list[str]:
    return [_clean(cell).lower() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _likely_delimiter(line: str) -> str:
    return max(",;\t|", key=line.count)


def _json_cells(text: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each object of a flat list with its place in the list, counted from 1."""
    hint = 'A JSON chart is one flat list: [{"name": "...", "parent": "..."}, ...].'
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        problems.append(_error(error.lineno, f"This is not valid JSON: {error.msg} in line {error.lineno}.", hint))
        return
    except RecursionError:
        problems.append(_error(0, "The JSON is nested too deep.", hint))
        return
    if not isinstance(entries, list):
        problems.append(_error(0, "The JSON is not a list of units.", hint))
        return
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            problems.append(_error(number, f"Entry {number} is not an object.", hint))
            continue
        record: dict[str, str] = {}
        for key, value in entry.items():
            column = _clean(str(key)).lower()
            if column == "aliases" and isinstance(value, list):
                record[column] = "|".join(str(alias) for alias in value)
            elif value is None or isinstance(value, str | int | float):
                record[column] = "" if value is None else str(value)
            elif column in COLUMNS:
                problems.append(_error(number, f'"{column}" of entry {number} is not a text.', hint))
        yield number, record


def _row(number: int, record: dict[str, str], problems: list[Problem]) -> Row | None:
    """A record as a Row, None when all its cells are empty. Warns about what was taken out of it and about formulas."""
    raw = {column: record.get(column) or "" for column in COLUMNS}
    text = {column: _clean(cell) for column, cell in raw.items()}
    if not any(text.values()):
        return None
    if any(not cell.isascii() and _INVISIBLE.search(cell) for cell in raw.values()):
        hint = "Nothing to do, unless the name looks wrong."
        problems.append(Problem(number, "warning", f'Invisible characters were removed in "{text["name"]}".', hint))
    formulas = [column for column, cell in text.items() if cell[:1] in ("=", "+", "-", "@")]
    if formulas:
        found = f"The {' and the '.join(formulas)} would run as a formula in a spreadsheet: {text[formulas[0]][:40]}"
        problems.append(
            Problem(number, "warning", found, "It is kept as plain text here; take care when you export it.")
        )
    aliases = dict.fromkeys(filter(None, map(str.strip, text["aliases"].split("|"))))
    return Row(number, text["id"], text["name"], text["parent"], text["type"], tuple(aliases), text["description"])


def _clean(cell: str) -> str:
    """The cell in one Unicode form, without invisible and control characters, its spaces single."""
    if not cell.isascii():
        cell = _INVISIBLE.sub("", unicodedata.normalize("NFC", cell))
    return " ".join(_CONTROL.sub("", cell).split())


def _error(row: int, message: str, hint: str) -> Problem:
    return Problem(row, "error", message, hint)


def listing(items: Sequence[str], limit: int = 8) -> str:
    """Items joined for a sentence, the rest counted."""
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit:,} more"
