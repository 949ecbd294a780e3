"""The text of a CSV file of question-answer pairs -> what each row says, by the names of its columns.

Whichever sign stands between the cells; an apostrophe that keeps a spreadsheet from running a cell is taken off. Knows
nothing of what the columns mean.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from org.reading.cells import unguard
from trag.errors import TragError

_DELIMITERS = ",;\t|"
_ANNOUNCED = re.compile(rf'"?sep=([{_DELIMITERS}])"?\r?\n', re.I)


def rows(text: str, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str] | str]]:
    """Each row below the header that is not empty, with the line it begins on, from 1: its cells by their columns, or
    what is wrong with it.

    Raises TragError, of which the name of the file is left out, for a header that lacks columns that are `needed` or
    has one twice.
    """
    announced = _ANNOUNCED.match(text)
    delimiter = announced[1] if announced else max(_DELIMITERS, key=lambda mark: _fitness(text, mark, needed))
    records = _records(text[announced.end() :] if announced else text, delimiter)
    line, header = next(records, (1, []))
    offset = 1 if announced else 0
    if isinstance(header, str):
        raise TragError(f"cannot be read as a CSV file: line {line + offset} {header}.")
    columns = [_column(cell) for cell in header]
    twice = [f'"{column}" twice' for column, count in Counter(columns).items() if column and count > 1]
    lacking = [f'no "{column}"' for column in needed if column not in columns]
    if lacking or twice:
        raise TragError(f"has {', '.join(lacking + twice)} among the columns in line {line + offset}.")
    for line, cells in records:
        if isinstance(cells, str):
            yield line + offset, cells
        elif any(cells[len(columns) :]):
            yield line + offset, "more cells than there are columns"
        else:
            yield line + offset, dict(zip(columns, map(unguard, cells), strict=False))


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """The cells of each record that is not empty, with its first line; from a record on that has no end, what is
    wrong."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"is not closed or too long ({error})"
            return
        if any(map(str.strip, cells)):
            yield line, cells


def _fitness(text: str, delimiter: str, needed: Sequence[str]) -> int:
    """How many of the columns that are needed the first record has."""
    _, cells = next(_records(text, delimiter), (1, ""))
    return 0 if isinstance(cells, str) else len({_column(cell) for cell in cells} & {*needed})


def _column(cell: str) -> str:
    return " ".join(unguard(cell).split()).lower()
