"""The lines on the pages of a PDF, from the places where their characters are drawn. Knows nothing of headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from trag.ingest.parse.characters import from_right
from trag.ingest.parse.lines import LEADER, NUMBERED, PART, EdgeLine, contents_lines, running_lines
from trag.ingest.parse.pdf_page import Drawn
from trag.ingest.parse.pdf_pen import Fragment
from trag.ingest.parse.pdf_ruled import Grid, fill, grids
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
_UNRULED = 3
"""Rows of the largest ruled table in which a row may be several with no rule between them: those below a header, above
a sum. In others each row has its rule."""
_COLUMN = 3
_PROSE = 25
"""Lines that make a column of text at the least, and the characters of each."""
_WITHIN_ROW = 12
"""Lines that may lie between two cells of one row as they are drawn, because cells before them are wrapped."""


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


def lines(drawn: Drawn, number: int) -> list[Line]:
    """The lines of a page in the order in which they are drawn; a ruled table stands where its text begins."""
    owners = fill(grids(drawn.rules), drawn.fragments)
    found: list[Line] = []
    waiting: list[Fragment] = []
    told: set[Grid] = set()
    for at, fragment in enumerate(drawn.fragments):
        if (grid := owners.get(at)) is None:
            waiting.append(fragment)
        elif grid not in told:
            told.add(grid)
            found += [*_lines(waiting, number), _table(grid, fragment.size, number)]
            waiting = []
    return found + _lines(waiting, number)


def _table(grid: Grid, size: float, number: int) -> Line:
    """A ruled table as one line, bold where its first row is; merged cells are filled in where they reach to."""
    merged = grid.merged()
    height, width = len(grid.ys) - 1, len(grid.xs) - 1
    inside: dict[tuple[int, int], list[Fragment]] = {}
    for cell in merged:
        inside.setdefault(merged[cell], []).extend(grid.inside.get(cell, []))
    written = {cell: _lines(held, number) for cell, held in inside.items()}
    alone = {cell for cell, count in Counter(merged.values()).items() if count == 1}
    rows: list[list[list[Line]]] = []
    for row in range(height):
        cells = [written[merged[row, column]] for column in range(width)]
        whole = not 0 < row < height <= _UNRULED or not all((row, column) in alone for column in range(width))
        rows += [cells] if whole else _rows(cells, grid.xs)
    top = [fragment for cell, held in inside.items() if cell[0] == 0 for fragment in held if fragment.text.strip()]
    bold = bool(top) and all(fragment.bold for fragment in top)
    words = " ".join(line.text for cell in written.values() for line in cell)
    text = tuple(tuple("\n".join(line.text for line in cell) for cell in row) for row in rows)
    return Line(number, grid.ys[-1], size, bold, [Cell(grid.xs[0], grid.xs[-1], words)], grid.xs[-1], text)


def _rows(cells: list[list[Line]], edges: Sequence[float]) -> list[list[list[Line]]]:
    """The rows that the cells of one ruled row hold: more than one where lines stand at the same heights in the first
    column and in another, and none ends for want of space."""
    heights = [line.y for line in cells[0]]
    rows = [[[line for line in cell if abs(line.y - y) <= 0.35 * line.size] for cell in cells] for y in heights]
    full = sum(len(cell) == len(heights) for cell in cells) > 1
    placed = all(sum(len(row[column]) for row in rows) == len(cell) for column, cell in enumerate(cells))
    wrapped = any(
        _is_wrapped(line, below, right - left)
        for cell, (left, right) in zip(cells, pairwise(edges), strict=True)
        for line, below in pairwise(cell)
    )
    return rows if len(rows) > 1 and full and placed and not wrapped else [cells]


def _is_wrapped(line: Line, below: Line, width: float) -> bool:
    """Whether the first word of the line below does not fit into the line, in a cell so wide."""
    word = len(below.text.split()[0]) + 1
    return line.end - line.x + word * (below.end - below.x) / len(below.text) > width - 1.2 * line.size


def _lines(fragments: Sequence[Fragment], number: int) -> list[Line]:
    """The lines that text makes; the cells of a row are on one line."""
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
            level = level or _has_script(line, piece) or _is_script(line, piece)
            if level and (above == 1 or (piece.x > line.end - 1 and not _is_column(found[-above:]))):
                _join(line, piece)
                break
        else:
            line = Line(number, piece.y, piece.size, piece.bold, [Cell(piece.x, piece.end, piece.text)], piece.end)
            _place(found, line)
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
    if _has_script(line, piece):
        text = piece.text.translate(_RAISED) if piece.y > line.y else piece.text
        line.cells[-1] = Cell(start, piece.end, before + text)
        line.end = max(line.end, piece.end)
        return
    apart = gap > _APART * piece.size or gap < -_APART * piece.size
    mark = _MARK.fullmatch(before.strip()) is not None or _is_script(line, piece)
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


def _has_script(line: Line, piece: Fragment) -> bool:
    """Whether a piece is the mark of a note, an exponent or an index at the end of a line."""
    stands = _stands_off(piece.size, line.size, piece.y - line.y, piece.x - line.end)
    return stands and len(piece.text.strip()) <= _LONGEST_SCRIPT


def _is_script(line: Line, piece: Fragment) -> bool:
    """Whether a line is the mark of the note that a piece begins."""
    stands = _stands_off(line.size, piece.size, line.y - piece.y, piece.x - line.end)
    return stands and len(line.text.strip()) <= _LONGEST_SCRIPT


def _stands_off(size: float, usual: float, rise: float, gap: float) -> bool:
    """Whether text stands above or below the baseline beside it: smaller than the text there, and touching it."""
    return size <= _SCRIPT * usual and 0.1 * usual < abs(rise) <= 0.6 * usual and abs(gap) <= 0.25 * usual


def _place(found: list[Line], piece: Line) -> None:
    """Adds a new line: below the others, or between those of a row whose later cells begin higher than the first."""
    at = len(found)
    while at and len(found) - at < _WITHIN_ROW and found[at - 1].y < piece.y and found[at - 1].x < piece.x - piece.size:
        at -= 1
    found.insert(len(found) if _is_column(found[at:]) else at, piece)


def _is_column(passed: Sequence[Line]) -> bool:
    """Whether lines are those of a column of text, beside the top of which another begins, and no wrapped cell."""
    return len(passed) >= _COLUMN and all(len(line.cells) == 1 and len(line.text) >= _PROSE for line in passed)


def without_contents(found: Sequence[Line]) -> Sequence[Line]:
    """The lines without tables of contents, and without the dots that lead from one thing to another in other lines."""
    left_out = contents_lines([line.text for line in found])
    kept = [line for at, line in enumerate(found) if at not in left_out]
    undotted = [line if line.rows else replace(line, cells=list(_undotted(line))) for line in kept]
    return [line for line in undotted if line.cells]


def _undotted(line: Line) -> Iterator[Cell]:
    """The cells of a line, of which dots part those that they lead to from those that they lead from."""
    for cell in line.cells:
        *before, last = LEADER.split(cell.text)
        letter = (cell.end - cell.x) / len(cell.text)
        start = cell.x
        for text in filter(None, before):
            yield Cell(start, start + letter * len(text), text)
            start = cell.end
        if last:
            yield Cell(cell.end - letter * len(last) if before else cell.x, cell.end, last)


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all pages without the headers, footers and page numbers that come again on most of them."""
    body = body_size([line for found in pages for line in found])
    edges = [_edges(found) for found in pages]
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


def _edges(found: Sequence[Line]) -> list[Line]:
    """The three highest and the three lowest lines of a page."""
    by_height = sorted(found, key=lambda line: line.y)
    return by_height[:3] + by_height[-3:]


def _edge(line: Line) -> EdgeLine:
    return EdgeLine(line.page, line.text, bool(line.rows))
