"""Tables that no rule shows: lines of which each has several cells, where they begin at the same places.

Knows nothing of ruled tables, or of what a table says.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trag.ingest.parse.pdf_lines import LARGER, Cell, Line
from trag.ingest.parse.tables import Row

_SAME = 2.0  # points within which cells begin or end at the same place
_UNIT = 4  # letters of a currency or a unit


def aligned(found: Sequence[Line]) -> tuple[tuple[Row, ...], int]:
    """The rows of the table that begins with the first of `found`, and how many lines it takes; else nothing and 0.

    A table is lines of several cells each, of which at least two begin at the same place in a column after the first,
    or are figures that end at the same place there.
    """
    run = _run(found)
    several = [line for line in run if len(line.cells) > 1]
    later = [cell for line in several for cell in line.cells[1:]]
    figures = [cell.end for cell in later if _is_figure(cell.text)]
    if len(several) < 2 or not (_agree([cell.x for cell in later]) or _agree(figures)):
        return (), 0
    columns = _columns(run, max(len(line.cells) for line in several))
    gaps = [above.y - line.y for above, line in pairwise(run)]
    apart = _rows_lie_apart([gap for gap in gaps if gap > 0.9 * run[0].size])
    table: list[list[str]] = []
    for line, gap in zip(run, [0.0, *gaps], strict=True):
        cells = [""] * len(columns)
        for at, cell in enumerate(line.cells):
            if len(line.cells) < len(columns):
                at = _column(cell, columns, line.size / 2)
            cells[at] = f"{cells[at]} {cell.text}".strip()
        wrapped = gap < apart if apart else not cells[0]
        if table and wrapped:
            table[-1] = [f"{above} {cell}".strip() for above, cell in zip(table[-1], cells, strict=True)]
        else:
            table.append(cells)
    return tuple(map(tuple, table)), len(run)


def _run(found: Sequence[Line]) -> Sequence[Line]:
    """The first lines of `found` that may be one table: each of several cells, or of one below those."""
    run: list[Line] = []
    for line, below in zip(found, [*found[1:], None], strict=True):
        near = not run or (line.page == run[0].page and 0 < run[-1].y - line.y < 4 * line.size)
        goes_on = run and (_shares_place(line, run) or (below and len(below.cells) > 1 and _shares_place(below, run)))
        heading = run and line.size >= LARGER * run[0].size
        if line.rows or not near or (len(line.cells) < 2 and (heading or not goes_on)):
            break
        run.append(line)
    gaps = [above.y - line.y for above, line in pairwise(run)]
    last = max((at for at, line in enumerate(run) if len(line.cells) > 1), default=0)
    for at in range(last + 1, len(run)):
        if run[at].x <= run[0].x + 1 and gaps[at - 1] > 1.1 * min(gaps[: at - 1], default=0.0):
            return run[:at]  # the paragraph below
    return run


def _is_figure(text: str) -> bool:
    """Whether a text is a number, perhaps with a currency or a unit."""
    return any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) <= _UNIT


def _shares_place(line: Line, run: Sequence[Line]) -> bool:
    """Whether a cell of `line` begins where one of `run` does."""
    return any(abs(cell.x - other.x) < _SAME for cell in line.cells for above in run for other in above.cells)


def _agree(places: Sequence[float]) -> bool:
    """Whether two of the places are the same."""
    return any(second - first < _SAME for first, second in pairwise(sorted(places)))


def _columns(run: Sequence[Line], width: int) -> list[tuple[float, float]]:
    """Where each of `width` columns begins and ends, from the lines that have all."""
    full = zip(*(line.cells for line in run if len(line.cells) == width), strict=True)
    return [(min(cell.x for cell in column), max(cell.end for cell in column)) for column in full]


def _column(cell: Cell, columns: Sequence[tuple[float, float]], slack: float) -> int:
    """The column of a cell of a line that has not all: the one with which it begins, with which it ends, or the last
    that does not begin after it."""
    for side, place in enumerate((cell.x, cell.end)):
        for at, column in enumerate(columns):
            if abs(column[side] - place) < _SAME:
                return at
    return max((at for at, (start, _) in enumerate(columns) if start <= cell.x + slack), default=0)


def _rows_lie_apart(gaps: Sequence[float]) -> float:
    """The distance from which a line begins a row, where rows lie further apart than the lines within one; else 0."""
    if not gaps or max(gaps) <= 1.2 * min(gaps):
        return 0.0
    middle = (min(gaps) + max(gaps)) / 2
    header = next(at for at, gap in enumerate(gaps) if gap >= middle)
    return middle if header < 3 else 0.0
