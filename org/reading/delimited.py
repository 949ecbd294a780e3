"""The text of a CSV file -> its rows, whichever sign stands between the cells.

Knows nothing about what the columns mean, but that a row with well-known headers was cut in the right places.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from org.reading import headers
from org.reading.cells import unguard
from org.reading.decode import Text, misread
from org.reading.problems import Ended, Problem, error

DELIMITERS = ",;\t|"
_ANNOUNCED = re.compile(rf'"?sep=([{DELIMITERS}])"?[\r\n]', re.IGNORECASE)
_BEGINNING = 30  # rows that tell the delimiter


def read(text: Text, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with its number as a spreadsheet counts it. Raises Ended where a row has no end."""
    delimiter = _announced(text.text)
    skipped = 1 if delimiter else 0
    delimiter = delimiter or max(DELIMITERS, key=lambda mark: _fitness(text.text, mark))
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


def _announced(text: str) -> str:
    """The delimiter that a first line such as "sep=;" names, as spreadsheets write and read it; "" without one."""
    found = _ANNOUNCED.match(text)
    return found[1] if found else ""


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
    return max(map(headers.known, rows), default=0), times if width > 1 else 0, width
