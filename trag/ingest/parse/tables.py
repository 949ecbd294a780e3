"""Tables as rows of cells, whatever the format: which rows are a header, and rows of one length below one.

A merged cell is expected to stand in every place that it reaches over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

Row = tuple[str, ...]

_LONGEST_NAME = 60
_FIGURE = re.compile(r"[-+(]?(?:[$€£¥]|[A-Z]{3} |Rs\. )?\d")
_PERIOD = re.compile(r"(?:FY ?|in )?(?:1[89]|20|21)\d\d(?:[/–-]\d{2,4})?|(?:Q[1-4]|H[12])(?: ?(?:FY ?)?\d{2,4})?", re.I)


def with_header(rows: Sequence[Sequence[str]], *, marked: int) -> tuple[Row, ...]:
    """The rows that hold anything, all equally long, below one header row.

    `marked` is the number of first rows that the file says are the header (True for 1); with 0 it is what looks like
    one, else an empty row. Two header rows become one ("2025 Budget"). A row that is one cell from side to side names
    the rows below it: it becomes their first cell, under an empty name. Two columns without a mark are taken for names
    and values, one pair a row.
    """
    filled = _filled(rows)
    if not filled:
        return ()
    width = len(filled[0])
    group = ""
    while len(filled) > 1 and _is_one_cell(filled[0]):
        group = f"{group} – {filled[0][0]}" if group else filled[0][0]
        filled, marked = filled[1:], max(marked - 1, 0)
    count = min(max(marked, _header_rows(filled, marked=marked)), len(filled))
    header = _combined(filled[:count]) if count else ("",) * width
    grouped: list[Row] = []
    for row in filled[count:]:
        if _is_one_cell(row) and len(filled) > 2:
            group = row[0]
        else:
            grouped.append((group, *row))
    if any(row[0] for row in grouped):
        return (("", *header), *grouped)
    return (header, *(row[1:] for row in grouped))


def transposed(rows: Sequence[Sequence[str]]) -> tuple[Row, ...]:
    """Rows for columns: a table whose first column is its header, with one record a column."""
    return tuple(zip(*_filled(rows), strict=True))


def same_header(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two rows are the same header, as at the top of each page of a long table."""
    return any(first) and ["".join(cell.split()) for cell in first] == ["".join(cell.split()) for cell in second]


def _filled(rows: Sequence[Sequence[str]]) -> list[Row]:
    width = max(map(len, rows), default=0)
    return [(*row, *[""] * (width - len(row))) for row in rows if any(cell.strip() for cell in row)]


def _is_one_cell(row: Row) -> bool:
    return len(row) > 2 and len(set(row)) == 1 and len(row[0]) <= 2 * _LONGEST_NAME


def _header_rows(rows: Sequence[Row], *, marked: int) -> int:
    """How many of the first rows look like a header, 0 to 2; a marked first row may have the second belong to it."""
    if len(rows) < 2 or len(rows[0]) < 3:
        return 0
    merged = any(cell and cell == after for cell, after in pairwise(rows[0]))
    if marked < 2 and merged and len(rows) > 2 and _is_header(_combined(rows[:2])):
        return 2
    return int(_is_header(rows[0]) or _stands_over_figures(rows))


def _stands_over_figures(rows: Sequence[Row]) -> bool:
    """Whether the first row is short names, each once, and all that stands below one of them begins with a figure."""
    names, *body = [[cell.strip() for cell in row] for row in rows]
    named = all(0 < len(name) <= _LONGEST_NAME and name[0].isalpha() for name in names[1:])
    columns = list(zip(*body, strict=True))[1:]
    figures = any(all(_FIGURE.match(cell) for cell in column) for column in columns)
    return len(body) > 1 and named and len(names[0]) <= _LONGEST_NAME and len(set(names)) == len(names) and figures


def _is_header(cells: Row) -> bool:
    """Short names, each there and each once, without figures but for years and quarters."""
    names = [cell.strip() for cell in cells]
    short = all(0 < len(name) <= _LONGEST_NAME and not _has_figures(name) for name in names[1:])
    return short and len(names[0]) <= _LONGEST_NAME and len(set(names)) == len(names)


def _has_figures(name: str) -> bool:
    return any(map(str.isdigit, _PERIOD.sub("", name)))


def _combined(rows: Sequence[Row]) -> Row:
    """One header of several rows; a cell that reaches down over them is named once."""
    return tuple(
        " ".join(dict.fromkeys(filter(None, (cell.strip() for cell in column)))) for column in zip(*rows, strict=True)
    )
