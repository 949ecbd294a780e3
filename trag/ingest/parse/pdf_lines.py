"""The lines on the pages of a PDF, from the places where their characters are drawn: in the order in which they are
read where a page has two columns, and without running lines and tables of contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

from trag.ingest.parse.characters import from_right
from trag.ingest.parse.lines import LEADER, NUMBERED, PART, EdgeLine, contents_lines, running_lines
from trag.ingest.parse.pdf_content import Fragment
from trag.ingest.parse.tables import Row

_NUMBER_ALONE = re.compile(rf"{PART}+\W*", re.IGNORECASE)
_MARK = re.compile(r"[-•‣◦▪–]|\(?\w{1,3}[.)]")
_APART = 0.8
_WORD = 0.12
"""Gaps from which on text beside text is a cell of its own, or a word of its own, in sizes of its font."""
LARGER = 1.12
"""How much larger than the body a line is that is set apart by its size."""
_SCRIPT = 0.85
_LONGEST_SCRIPT = 4
"""How large text above or below a baseline is at the most, in sizes of the text beside it, and its most characters."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
"""Figures above a baseline, so that "500" and the mark of a note are no other number. Those below change none: CO2."""
_COLUMN = 3
_PROSE = 25
"""Lines that make a column of text at the least, and the characters of each."""
_WITHIN_ROW = 12
"""Lines that may lie between two cells of one row as they are drawn, because cells before them are wrapped."""
_FEWEST = 5  # lines side by side in two columns
_SHORTEST = 25  # characters of a column's usual line; the cells of tables are shorter
_FULL = 0.7  # the share of heights at which both columns have a line
_NEAR = 3.0  # points


class Cell(NamedTuple):
    """Text that stands apart from what is beside it, from `x` to `end`, in points."""

    x: float
    end: float
    text: str


@dataclass(slots=True)
class Line:
    """What stands at one height, as `cells`. In points, `y` upwards.

    `end` is where its text ends. A ruled table is one line, of which `rows` are the cells.
    """

    page: int
    y: float
    size: float
    bold: bool
    cells: list[Cell]
    end: float
    rows: tuple[Row, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def x(self) -> float:
        return self.cells[0].x


def text_lines(fragments: Sequence[Fragment], number: int) -> list[Line]:
    """The lines that text on a page makes; the cells of a row are on one line."""
    found: list[Line] = []
    for piece in fragments:
        if not piece.text.strip():
            if found and abs(found[-1].y - piece.y) <= 0.35 * piece.size:
                cell = found[-1].cells[-1]
                found[-1].cells[-1] = cell._replace(text=cell.text + " ")
            continue
        for above in range(1, min(_WITHIN_ROW, len(found)) + 1):
            line = found[-above]
            level = abs(line.y - piece.y) <= 0.35 * max(piece.size, line.size)
            gap = piece.x - line.end
            level = level or _is_script(piece, line, gap) or _is_script(line, piece, gap)
            if level and (above == 1 or (piece.x > line.end - 1 and not _is_column(found[-above:]))):
                _join(line, piece)
                break
        else:
            # Below the others, or between those of a row whose later cells begin higher than the first.
            at = len(found)
            left = piece.x - piece.size
            while at and len(found) - at < _WITHIN_ROW and found[at - 1].y < piece.y and found[at - 1].x < left:
                at -= 1
            line = Line(number, piece.y, piece.size, piece.bold, [Cell(piece.x, piece.end, piece.text)], piece.end)
            found.insert(len(found) if _is_column(found[at:]) else at, line)
    for line in found:
        cells = [cell._replace(text=from_right(" ".join(cell.text.split()))) for cell in line.cells]
        line.cells = sorted(cells, key=lambda cell: cell.x)  # the page of an entry may be drawn before its title
    return found


def _join(line: Line, piece: Fragment) -> None:
    """Adds what stands beside a line to it: as a cell where it stands apart, else to the last one."""
    start, end, before = line.cells[-1]
    gap = piece.x - line.end
    if abs(piece.end - end) < 0.1 * piece.size and before.rstrip().endswith(piece.text.strip()):
        line.bold = True  # drawn twice to look so
        return
    if piece.end < start + 0.5 * piece.size and from_right(piece.text) != piece.text:
        line.cells[-1] = Cell(piece.x, end, piece.text + " " * (start - piece.end > _WORD * piece.size) + before)
        return
    if _is_script(piece, line, gap):
        text = piece.text.translate(_RAISED) if piece.y > line.y else piece.text
        line.cells[-1] = Cell(start, piece.end, before + text)
        line.end = max(line.end, piece.end)
        return
    apart = gap > _APART * piece.size or gap < -_APART * piece.size
    mark = _MARK.fullmatch(before.strip()) is not None or _is_script(line, piece, gap)
    if apart and not (mark and len(line.cells) == 1):
        line.cells.append(Cell(piece.x, piece.end, piece.text))
    else:
        space = " " if apart or gap > _WORD * piece.size or mark else ""
        line.cells[-1] = Cell(start, piece.end, before + space + piece.text)
    if mark:  # which may be set in another size than the item, or higher than the note
        line.size, line.bold, line.y = piece.size, piece.bold, piece.y
    else:
        line.size, line.bold = max(line.size, piece.size), line.bold and piece.bold
    line.end = max(line.end, piece.end)


def _is_script(small: Line | Fragment, beside: Line | Fragment, gap: float) -> bool:
    """Whether a little text is the mark of a note, an exponent or an index: smaller than the text that it touches, and
    above or below its baseline."""
    usual, rise = beside.size, small.y - beside.y
    stands_off = small.size <= _SCRIPT * usual and 0.1 * usual < abs(rise) <= 0.6 * usual and abs(gap) <= 0.25 * usual
    return stands_off and len(small.text.strip()) <= _LONGEST_SCRIPT


def _is_column(passed: Sequence[Line]) -> bool:
    """Whether lines are those of a column of text, beside the top of which another begins, and no wrapped cell."""
    return len(passed) >= _COLUMN and all(len(line.cells) == 1 and len(line.text) >= _PROSE for line in passed)


def in_columns(found: Sequence[Line]) -> list[Line]:
    """The lines of a page, where it has two columns of text, and no table, the left one before the right one."""
    ordered: list[Line] = []
    at = 0
    while at < len(found):
        run = list(_side_by_side(found[at:])) if len(found[at].cells) == 2 else []
        both = [line.cells for line in run if len(line.cells) == 2]
        if (
            len(both) >= _FEWEST
            and len(both) >= _FULL * len(run)
            and all(median(len(LEADER.sub(" ", cells[side].text)) for cells in both) >= _SHORTEST for side in (0, 1))
        ):
            gutter = run[0].cells[1].x - _NEAR
            parted = [replace(line, cells=[cell], end=cell.end) for line in run for cell in line.cells]
            ordered += sorted(parted, key=lambda line: line.x >= gutter)
            at += len(run)
        else:
            ordered.append(found[at])
            at += 1
    return ordered


def _side_by_side(found: Sequence[Line]) -> Iterator[Line]:
    """The first lines that leave the gap free which the first of them leaves between its two cells."""
    gutter = found[0].cells[1].x
    for line in found:
        beside = len(line.cells) == 2 and abs(line.cells[1].x - gutter) <= _NEAR
        alone = len(line.cells) == 1 and (line.end < gutter or abs(line.x - gutter) <= _NEAR)
        if line.rows or not (beside or alone) or line.page != found[0].page:
            return
        yield line


def without_contents(found: Sequence[Line]) -> Sequence[Line]:
    """The lines without tables of contents, and without the dots that lead from one thing to another in other lines."""
    left_out = contents_lines([line.text for line in found])
    kept = [line for at, line in enumerate(found) if at not in left_out]
    for line in kept:
        if not line.rows:
            cells: list[Cell] = []
            for cell in line.cells:
                *before, last = LEADER.split(cell.text)
                letter = (cell.end - cell.x) / len(cell.text)
                start = cell.x
                for text in filter(None, before):
                    cells.append(Cell(start, start + letter * len(text), text))
                    start = cell.end
                if last:
                    cells.append(Cell(cell.end - letter * len(last) if before else cell.x, cell.end, last))
            line.cells = cells
    return [line for line in kept if line.cells]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all pages without the headers, footers and page numbers that come again on most of them."""
    body = body_size([line for found in pages for line in found])
    by_height = [sorted(found, key=lambda line: line.y) for found in pages]
    edges = [found[:3] + found[-3:] for found in by_height]
    often = max(3, (len(pages) + 1) // 2)
    repeated = running_lines([[_edge(line) for line in at] for at in edges], often=often)

    def runs(line: Line) -> bool:
        # Chapters and articles may each begin on a page of their own.
        larger = line.size >= LARGER * body
        titled = (larger and NUMBERED.match(line.text)) or (line.bold and _NUMBER_ALONE.fullmatch(line.text))
        return not titled and _edge(line) in repeated

    return [line for found, at in zip(pages, edges, strict=True) for line in found if not (line in at and runs(line))]


def body_size(found: Sequence[Line]) -> float:
    """The size in which most characters are set."""
    sizes: Counter[float] = Counter()
    for line in found:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _edge(line: Line) -> EdgeLine:
    return EdgeLine(line.page, line.text, bool(line.rows))
