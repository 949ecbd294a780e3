"""Tables that no rule shows: lines of which each has several cells, where they begin at the same places.

Knows nothing of ruled tables, or of what a table says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from trag.ingest.parse.pdf_lines import Line
from trag.ingest.parse.tables import Row


def aligned(found: Sequence[Line]) -> tuple[tuple[Row, ...], int]:
    """The rows of the table that begins with the first of `found`, and how many lines it takes; else nothing and 0.

    A table is lines of several cells each, of which at least two begin at the same place in a column after the first.
    """
    run = _run(found)
    several = [line for line in run if len(line.cells) > 1]
    starts = Counter(round(x / 2) for line in several for x, _ in line.cells[1:])
    if len(several) < 2 or max(starts.values()) < 2:
        return (), 0
    columns = _columns(run, max(len(line.cells) for line in several))
    gaps = [above.y - line.y for above, line in pairwise(run)]
    apart = _rows_lie_apart([gap for gap in gaps if gap > 0.9 * run[0].size])
    table: list[list[str]] = []
    for line, gap in zip(run, [0.0, *gaps], strict=True):
        cells = [""] * len(columns)
        for at, (x, text) in enumerate(line.cells):
            if len(line.cells) < len(columns):
                at = max((column for column, start in enumerate(columns) if start <= x + line.size / 2), default=0)
            cells[at] = f"{cells[at]} {text}".strip()
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
        if line.rows or not near or (len(line.cells) < 2 and not goes_on):
            break
        run.append(line)
    gaps = [above.y - line.y for above, line in pairwise(run)]
    while gaps and len(run[-1].cells) < 2 and run[-1].x <= run[0].x + 1 and gaps.pop() > 1.1 * min(gaps, default=0.0):
        run.pop()  # the paragraph below
    return run


def _shares_place(line: Line, run: Sequence[Line]) -> bool:
    """Whether a cell of `line` begins where one of `run` does."""
    return any(abs(start - x) < 2 for start, _ in line.cells for above in run for x, _ in above.cells)


def _columns(run: Sequence[Line], width: int) -> list[float]:
    """Where each of `width` columns begins: where cells often do, else the leftmost place in lines that have all."""
    starts: list[list[float]] = []
    for x in sorted(x for line in run for x, _ in line.cells):
        if starts and x - starts[-1][-1] < 2:
            starts[-1].append(x)
        else:
            starts.append([x])
    often = [each[0] for each in starts if len(each) > 1]
    if len(often) == width:
        return often
    full = [[x for x, _ in line.cells] for line in run if len(line.cells) == width]
    return [min(column) for column in zip(*full, strict=True)]


def _rows_lie_apart(gaps: Sequence[float]) -> float:
    """The distance from which a line begins a row, where rows lie further apart than the lines within one; else 0."""
    if not gaps or max(gaps) <= 1.2 * min(gaps):
        return 0.0
    middle = (min(gaps) + max(gaps)) / 2
    header = next(at for at, gap in enumerate(gaps) if gap >= middle)
    return middle if header < 3 else 0.0
