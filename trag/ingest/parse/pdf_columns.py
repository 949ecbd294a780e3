"""Text set in two columns whose lines stand at the same heights, told from a table, and put one after the other.

Knows nothing of what the text is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from trag.ingest.parse.lines import LEADER
from trag.ingest.parse.pdf_lines import Line

_FEWEST = 5  # lines side by side
_SHORTEST = 25  # characters of a column's usual line; the cells of tables are shorter
_FULL = 0.7  # the share of heights at which both columns have a line
_NEAR = 3.0  # points


def in_columns(found: Sequence[Line]) -> list[Line]:
    """The lines of a page, where it has two columns the left one before the right one."""
    ordered: list[Line] = []
    at = 0
    while at < len(found):
        run = list(_run(found[at:])) if len(found[at].cells) == 2 else []
        if _is_prose(run):
            left, right = _parted(run)
            ordered += [*left, *right]
            at += len(run)
        else:
            ordered.append(found[at])
            at += 1
    return ordered


def _run(found: Sequence[Line]) -> Iterator[Line]:
    """The first lines that leave the gap free which the first of them leaves between its two cells."""
    gutter = found[0].cells[1].x
    for line in found:
        beside = len(line.cells) == 2 and abs(line.cells[1].x - gutter) <= _NEAR
        alone = len(line.cells) == 1 and (line.end < gutter or abs(line.x - gutter) <= _NEAR)
        if line.rows or not (beside or alone) or line.page != found[0].page:
            return
        yield line


def _is_prose(run: Sequence[Line]) -> bool:
    both = [line.cells for line in run if len(line.cells) == 2]
    if len(both) < _FEWEST or len(both) < _FULL * len(run):
        return False
    return all(median(len(LEADER.sub(" ", cells[side].text)) for cells in both) >= _SHORTEST for side in (0, 1))


def _parted(run: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The lines of the left column and those of the right one."""
    gutter = run[0].cells[1].x
    left: list[Line] = []
    right: list[Line] = []
    for line in run:
        for cell in line.cells:
            side = right if cell.x >= gutter - _NEAR else left
            side.append(replace(line, cells=[cell], end=cell.end))
    return left, right
