"""The bytes of a chart file -> a table of cells, with everything that could not be read reported by row. CSV is read
here, JSON and workbooks in files of their own; this one bounds what comes of any.

Bytes of strangers are parsed by these alone, so that a process of its own can do it: the table goes to and fro as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from pathlib import PurePath

from org.reading import objects
from org.reading.cells import MAX_CELL, known_headers, unguard
from org.reading.encodings import Text, decode, misread
from org.reading.problems import Ended, Problem, error

MAX_BYTES = 100 * 2**20
MAX_ROWS = 200_000
MAX_COLUMNS = 200
MAX_CELLS = 5_000_000
"""Cells that are not empty, 25 in each of the most rows."""

_WEB_PAGE = re.compile(
    r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|meta|table)\b", re.IGNORECASE | re.DOTALL
)
_OBJECTS = re.compile(r"""\s*(\[\s*[\[\]{]|\{\s*["}])""")  # and not "[name],[parent]"
DELIMITERS = ",;\t|"
_ANNOUNCED = re.compile(rf'"?sep=([{DELIMITERS}])"?[\r\n]', re.IGNORECASE)
_BEGINNING = 30  # rows that tell the delimiter
_WORKBOOKS = (".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb", ".ods")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of cells with its number as a person counts it.

    `above` is the place, among the lines, of the unit that it stands inside, where a format says so.
    """

    number: int
    cells: tuple[str, ...]
    above: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that are not empty, the header somewhere among the first.

    `ended` says that reading ended before the file did, `nested` that the format itself tells the parents; `encoding`
    is the codec that a text file was read with.
    """

    lines: tuple[Line, ...] = ()
    problems: tuple[Problem, ...] = ()
    ended: bool = False
    nested: bool = False
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    encoding: str = ""

    def to_json(self) -> str:
        """The table as one line of ASCII."""
        lines = [(line.number, line.above, line.cells) for line in self.lines]
        problems = [asdict(problem) for problem in self.problems]
        table = [lines, problems, self.ended, self.nested, self.sheets, self.sheet, self.encoding]
        return json.dumps(table, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Table:
        """The table that `to_json` wrote. Raises ValueError, TypeError or KeyError for anything else."""
        lines, problems, ended, nested, sheets, sheet, encoding = json.loads(text)
        return cls(
            lines=tuple(Line(number, tuple(cells), above) for number, above, cells in lines),
            problems=tuple(Problem(**problem) for problem in problems),
            ended=ended,
            nested=nested,
            sheets=tuple(sheets),
            sheet=sheet,
            encoding=encoding,
        )


def too_large(size: int) -> Problem | None:
    """Why a file of so many bytes is not even opened."""
    if size <= MAX_BYTES:
        return None
    return error(
        0, f"The file is too large: {size / 2**20:,.0f} MB.", f"A chart may have {MAX_BYTES // 2**20} MB at most."
    )


def read(content: bytes, name: str, sheet: str = "", encoding: str = "") -> Table:
    """The table in a chart file: CSV, JSON or XLSX by the end of its name, or by what its content cannot else be.

    `sheet` chooses one of a workbook, `encoding` that of a text, one of `encodings.ENCODINGS`. The bounds on rows,
    columns and cells end the reading, with an error.
    """
    problem = too_large(len(content))
    if problem:
        return Table(problems=(problem,))
    problems: list[Problem] = []
    suffix = PurePath(name).suffix.lower()
    if suffix in _WORKBOOKS or content[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0"):
        from org.reading import workbook

        rows, sheets, chosen = workbook.read(content, sheet, MAX_ROWS + 2, problems)
        lines, ended = _bounded((Line(number, tuple(cells)) for number, cells in rows), problems)
        return Table(lines, tuple(problems), ended, sheets=sheets, sheet=chosen)
    text = decode(content, encoding)
    if isinstance(text, Problem):
        return Table(problems=(text,))
    if not text.text.strip():
        hint = "It needs a header row with the columns name and parent."
        return Table(problems=(error(0, "The file is empty.", hint),))
    if _WEB_PAGE.match(text.text):
        hint = "Save the table that is on it as CSV or Excel (.xlsx), one row for each unit."
        return Table(problems=(error(0, "The file is a web page (HTML), not a table.", hint),))
    if suffix == ".json" or _OBJECTS.match(text.text):
        return replace(_of_objects(text, problems), encoding=text.encoding)
    cells = _csv_rows(text, problems)
    lines, ended = _bounded((Line(number, tuple(row)) for number, row in cells), problems)
    return Table(lines, tuple(problems), ended, encoding=text.encoding)


def _of_objects(text: Text, problems: list[Problem]) -> Table:
    """The units of a JSON file under a header of all their keys, which has the number 0."""
    problem = misread(text, 0, text.damaged or text.others)
    if problem:
        problems.append(problem)
    units = objects.read(text.text, MAX_ROWS, problems)
    if units.rows:
        found, ended = _bounded((Line(at, tuple(row)) for at, row in enumerate(units.rows, 1)), problems)
        return Table(found, tuple(problems), ended)
    header = tuple(dict.fromkeys(chain.from_iterable(units.cells)))
    if not header:
        return Table(problems=tuple(problems))
    if len(header) > MAX_COLUMNS:
        message = f"The units have {len(header):,} different keys; {MAX_COLUMNS} are the most."
        problems.append(error(0, message, "Keep only the keys that tell about units."))
        return Table((Line(0, header[:MAX_COLUMNS]),), tuple(problems), True, units.nested)
    places = units.order or range(1, len(units.cells) + 1)
    lines = []
    for at in sorted(range(len(places)), key=places.__getitem__):
        above = units.above[at]
        cells = tuple([units.cells[at].get(key, "") for key in header])
        lines.append(Line(at + 1, cells, None if above is None else places[above]))
    found, ended = _bounded(chain([Line(0, header)], lines), problems)
    return Table(found, tuple(problems), ended, units.nested)


def _bounded(lines: Iterable[Line], problems: list[Problem]) -> tuple[tuple[Line, ...], bool]:
    """The lines as long as they stay within the bounds, and whether that ended before they did."""
    found: list[Line] = []
    filled = 0
    hint = "Keep only the rows and columns that tell about units."
    try:
        for line in lines:
            cells = line.cells
            filled += len(cells) - cells.count("")
            if len(found) > MAX_ROWS:
                raise Ended(error(0, f"The chart has more than {MAX_ROWS:,} units.", hint))
            if filled > MAX_CELLS:
                message = f"The file has more than {MAX_CELLS:,} cells with something in them."
                raise Ended(error(line.number, message, hint))
            if any(cells[MAX_COLUMNS:]):
                message = f"The row has {len(cells):,} columns; {MAX_COLUMNS} are the most."
                raise Ended(error(line.number, message, hint))
            cells = cells[:MAX_COLUMNS]
            longest = max(map(len, cells), default=0)
            if longest > MAX_CELL:
                message = f"A cell has {longest:,} characters; {MAX_CELL:,} are the most."
                problems.append(
                    error(line.number, message, "Shorten it; look for a quotation mark that is not closed.")
                )
                cells = tuple(cell[:MAX_CELL] for cell in cells)
            found.append(line if cells is line.cells else replace(line, cells=cells))
    except Ended as end:
        problems.append(end.problem)
        return tuple(found), True
    return tuple(found), False


def _csv_rows(text: Text, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with its number as a spreadsheet counts it. Raises Ended where a row has no end."""
    announced = _ANNOUNCED.match(text.text)  # a first line such as "sep=;", as spreadsheets write and read it
    skipped = 1 if announced else 0
    delimiter = announced[1] if announced else max(DELIMITERS, key=lambda mark: _fitness(text.text, mark))
    reader = csv.reader(io.StringIO(text.text, newline=""), delimiter=delimiter, strict=True)
    number, line, told = 0, 0, False
    try:
        for number, cells in enumerate(reader, start=1):
            lines, line = range(line + 1, reader.line_num + 1), reader.line_num
            if number <= skipped:
                continue
            problem = misread(text, number, lines, again=told) if text.others else None
            if problem:
                problems.append(problem)
                told = True
            if any(cells) and any(map(str.strip, cells)):
                yield number, [unguard(cell) if cell[:1] == "'" else cell for cell in cells]
    except csv.Error as failure:
        hint = 'Look for a quotation mark that is not closed; inside a quoted cell, write " twice.'
        raise Ended(error(number + 1, f"The file cannot be read from here on ({failure}).", hint)) from failure


def _fitness(text: str, delimiter: str) -> tuple[int, int, int]:
    """How well a delimiter cuts the beginning: well-known headers, rows of the same length above one, cells."""
    rows: list[list[str]] = []
    try:
        for row in islice(csv.reader(io.StringIO(text[:200_000], newline=""), delimiter=delimiter), _BEGINNING):
            rows.append(row)
    except csv.Error:
        pass  # the rows before it tell enough; the reader itself reports it
    widths = Counter(len(row) for row in rows if any(row))
    width, times = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return max(map(known_headers, rows), default=0), times if width > 1 else 0, width
