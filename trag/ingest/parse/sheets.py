"""Sheets of cells, from a workbook or a CSV file: title lines, and tables with the header row that they have.

Knows neither format, only rows of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from trag.ingest.blocks import Block
from trag.ingest.parse.tables import Row, with_header

ROWS = 50_000
COLUMNS = 200
"""What is read of one sheet."""

_FIGURE = re.compile(r"[-+(]?\s*(?:[€$£]\s*)?\d[\d.,'\s]*(?:\s*(?:%|[€$£]|[A-Z]{3}))?\)?|\d{4}-\d\d-\d\d.*|yes|no")
_LONGEST_NAME = 80


def blocks(rows: Sequence[Row], marked: frozenset[int] = frozenset()) -> tuple[Block, ...]:
    """The blocks of a sheet. `marked` are the indices of rows that the file shows as a header, such as bold ones.

    Blank rows part tables. A line of one cell above a table, without a blank one between, is its caption; below, alone
    or where it is a sentence, it is a paragraph. A table without a header of its own goes on with the one above it, if
    it is as wide.
    """
    found: list[Block] = []
    header: Row = ()
    for run in _runs(rows):
        titles = _titles([row for _, row in run])
        body = run[len(titles) :]
        only_lines = all(len(row) > 1 and _is_title(row) for _, row in run)
        if only_lines or (len(body) < 2 and not header):
            found += [Block("paragraph", " ".join(filter(None, row))) for _, row in run]
            continue
        cells = _without_empty_columns([row for _, row in body])
        first = marked & {index for index, _ in body}
        count = _header_rows(cells, [index in first for index, _ in body])
        if not count and len(cells[0]) == len(header):
            cells, count = [header, *cells], 1
        table = with_header(cells, marked=count)
        header = cells[0] if count == 1 else ()
        notes = [title for title in titles if title.endswith(".")]
        found += [Block("paragraph", note) for note in notes]
        found.append(Block("table", " – ".join(title for title in titles if title not in notes), rows=table))
    return tuple(found)


def is_figure(text: str) -> bool:
    """Whether a cell holds an amount, a date or a yes or no, and no name."""
    return _FIGURE.fullmatch(text.strip()) is not None


def _runs(rows: Sequence[Row]) -> Iterator[list[tuple[int, Row]]]:
    """Stretches of rows without a blank one between them, each row with its index."""
    for holds, run in groupby(enumerate(rows), key=lambda each: any(cell.strip() for cell in each[1])):
        if holds:
            yield list(run)


def _titles(rows: Sequence[Row]) -> list[str]:
    """The lines of one cell, alone or merged over several, above the first row of several."""
    titles = [next(filter(None, row)) for row in takewhile(_is_title, rows)]
    return titles if len(titles) < len(rows) else []


def _is_title(row: Row) -> bool:
    cells = set(filter(None, row))
    return len(cells) == 1 and max(map(len, cells)) <= 2 * _LONGEST_NAME


def _without_empty_columns(rows: Sequence[Row]) -> list[Row]:
    width = max(map(len, rows))
    kept = [at for at in range(width) if any(at < len(row) and row[at].strip() for row in rows)]
    return [tuple(row[at] if at < len(row) else "" for at in kept) for row in rows]


def _header_rows(rows: Sequence[Row], marked: Sequence[bool]) -> int:
    """How many of the first rows are names for the columns: those that are marked; else the first, if it is all names
    and a column below it holds figures, or if it has more than two names."""
    count = next((at for at, is_marked in enumerate(marked) if not is_marked), len(rows))
    if 0 < count < min(len(rows), 4):
        return count
    names = [cell.strip() for cell in rows[0]]
    if len(rows) < 2 or any(map(is_figure, names)) or any(len(name) > _LONGEST_NAME for name in names):
        return 0
    told_apart = len(set(filter(None, names))) == len(list(filter(None, names))) and sum(map(bool, names)) > 1
    figures = any(is_figure(row[at]) for row in rows[1:20] for at in range(len(names)) if names[at])
    return int(told_apart and all(names[1:]) and (figures or len(names) > 2))
