"""The bytes of a chart file -> a table of cells, with everything that could not be read reported by row.

Each format has its own file (delimited, objects, workbook); this one tells which it is, and bounds what comes of it.
Bytes of strangers are parsed here and nowhere else, so that a process of its own can do it: the table goes to and fro
as JSON. Knows nothing about what the columns mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import PurePath

from org.reading import delimited, objects
from org.reading.cells import MAX_CELL
from org.reading.decode import Text, decode, misread
from org.reading.problems import Ended, Problem, error

MAX_BYTES = 100 * 2**20
MAX_ROWS = 200_000
MAX_COLUMNS = 200
MAX_CELLS = 5_000_000
"""Cells that are not empty, 25 in each of the most rows."""

_OBJECTS = re.compile(r"""\s*(\[\s*[\[\]{]|\{\s*["}])""")  # and not "[name],[parent]"
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

    `sheet` chooses one of a workbook, `encoding` that of a text, one of `org.reading.letters.ENCODINGS`. The bounds on
    rows, columns and cells end the reading, with an error.
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
    if suffix == ".json" or _OBJECTS.match(text.text):
        return replace(_of_objects(text, problems), encoding=text.encoding)
    cells = delimited.read(text, problems)
    lines, ended = _bounded((Line(number, tuple(row)) for number, row in cells), problems)
    return Table(lines, tuple(problems), ended, encoding=text.encoding)


def _of_objects(text: Text, problems: list[Problem]) -> Table:
    """The units of a JSON file under a header of all their keys, which has the number 0."""
    problem = misread(text, 0, text.damaged or text.others)
    if problem:
        problems.append(problem)
    units = objects.read(text.text, MAX_ROWS, problems)
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
    try:
        for line in lines:
            filled += len(line.cells) - line.cells.count("")
            found.append(_held(line, len(found), filled, problems))
    except Ended as end:
        problems.append(end.problem)
        return tuple(found), True
    return tuple(found), False


def _held(line: Line, before: int, filled: int, problems: list[Problem]) -> Line:
    """The line without what is too much in it. Raises Ended when the file as a whole is too much."""
    cells = line.cells
    hint = "Keep only the rows and columns that tell about units."
    if before > MAX_ROWS:
        raise Ended(error(0, f"The chart has more than {MAX_ROWS:,} units.", hint))
    if filled > MAX_CELLS:
        raise Ended(error(line.number, f"The file has more than {MAX_CELLS:,} cells with something in them.", hint))
    if len(cells) > MAX_COLUMNS:
        if any(cells[MAX_COLUMNS:]):
            message = f"The row has {len(cells):,} columns; {MAX_COLUMNS} are the most."
            raise Ended(error(line.number, message, hint))
        cells = cells[:MAX_COLUMNS]
    longest = max(map(len, cells), default=0)
    if longest > MAX_CELL:
        message = f"A cell has {longest:,} characters; {MAX_CELL:,} are the most."
        problems.append(error(line.number, message, "Shorten it; look for a quotation mark that is not closed."))
        cells = tuple(cell[:MAX_CELL] for cell in cells)
    return line if cells is line.cells else Line(line.number, cells, line.above)
