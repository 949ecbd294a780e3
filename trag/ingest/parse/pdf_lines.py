"""The lines on the pages of a PDF, from the places where their characters are drawn. Knows nothing of headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trag.ingest.parse.characters import from_right
from trag.ingest.parse.pdf_page import Drawn
from trag.ingest.parse.pdf_pen import Fragment
from trag.ingest.parse.pdf_ruled import Grid, fill, grids
from trag.ingest.parse.tables import Row

_PAGE_NUMBER = re.compile(r"\W*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\d+(?:\.\d+)*[.)]?\s+[^\W\d]|(?:part|chapter|article|section|annex|appendix)\s+\w", re.IGNORECASE
)
_MARK = re.compile(r"[-•‣◦▪–]|\(?\w{1,3}[.)]")
_DOTS = re.compile(r"(?:\.\s?){5,}")
_APART = 0.8
_WORD = 0.12
"""Gaps from which on text beside text is a cell of its own, or a word of its own, in sizes of its font."""
LARGER = 1.12
"""How much larger than the body a line is that is set apart by its size."""
_COLUMN = 3
_PROSE = 25
"""Lines that make a column of text at the least, and the characters of each."""
_WITHIN_ROW = 12
"""Lines that may lie between two cells of one row as they are drawn, because cells before them are wrapped."""


@dataclass(slots=True)
class Line:
    """What stands at one height: `cells` are its stretches of text and where each begins. In points, `y` upwards.

    `end` is where its text ends. A ruled table is one line, of which `rows` are the cells.
    """

    page: int
    y: float
    size: float
    bold: bool
    cells: list[tuple[float, str]]
    end: float
    rows: tuple[Row, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.cells)

    @property
    def x(self) -> float:
        return self.cells[0][0]


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
    inside: dict[tuple[int, int], list[Fragment]] = {}
    for cell in merged:
        inside.setdefault(merged[cell], []).extend(grid.inside.get(cell, []))
    text = {cell: "\n".join(line.text for line in _lines(held, number)) for cell, held in inside.items()}
    rows = tuple(
        tuple(text[merged[row, column]] for column in range(len(grid.xs) - 1)) for row in range(len(grid.ys) - 1)
    )
    top = [fragment for cell, held in inside.items() if cell[0] == 0 for fragment in held if fragment.text.strip()]
    bold = bool(top) and all(fragment.bold for fragment in top)
    words = " ".join(filter(None, text.values()))
    return Line(number, grid.ys[-1], size, bold, [(grid.xs[0], words)], grid.xs[-1], rows)


def _lines(fragments: Sequence[Fragment], number: int) -> list[Line]:
    """The lines that text makes; the cells of a row are on one line."""
    found: list[Line] = []
    for piece in fragments:
        if not piece.text.strip():
            if found and abs(found[-1].y - piece.y) <= 0.35 * piece.size:
                start, text = found[-1].cells[-1]
                found[-1].cells[-1] = (start, text + " ")
            continue
        for above in range(1, min(_WITHIN_ROW, len(found)) + 1):
            line = found[-above]
            level = abs(line.y - piece.y) <= 0.35 * max(piece.size, line.size)
            if level and (above == 1 or (piece.x > line.end - 1 and not _is_column(found[-above:]))):
                _join(line, piece)
                break
        else:
            line = Line(number, piece.y, piece.size, piece.bold, [(piece.x, piece.text)], piece.end)
            _place(found, line)
    for line in found:
        line.cells = [(x, from_right(" ".join(text.split()))) for x, text in line.cells]
    return found


def _join(line: Line, piece: Fragment) -> None:
    """Adds what stands beside a line to it: as a cell where it stands apart, else to the last one."""
    start, before = line.cells[-1]
    gap = piece.x - line.end
    if abs(piece.x - start) < 0.1 * piece.size and piece.text.strip() == before.strip():
        line.bold = True  # drawn twice to look so
        return
    if piece.end < start + 0.5 * piece.size and from_right(piece.text) != piece.text:
        line.cells[-1] = (piece.x, piece.text + " " * (start - piece.end > _WORD * piece.size) + before)
        return
    apart = gap > _APART * piece.size or gap < -_APART * piece.size
    mark = _MARK.fullmatch(before.strip()) is not None
    if apart and not (mark and len(line.cells) == 1):
        line.cells.append((piece.x, piece.text))
    else:
        space = " " if apart or gap > _WORD * piece.size or mark else ""
        line.cells[-1] = (start, before + space + piece.text)
    # The mark of an item may be set in another size than the item.
    line.size, line.bold = (piece.size, piece.bold) if mark else (max(line.size, piece.size), line.bold and piece.bold)
    line.end = max(line.end, piece.end)


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
    """The lines without the table of contents: from the top of the first page of dotted lines to the last of them."""
    dotted = [at for at, line in enumerate(found) if _DOTS.search(line.text)]
    if len(dotted) < 4:
        return [line for line in found if not _DOTS.search(line.text)]
    first = next(at for at, line in enumerate(found) if line.page == found[dotted[0]].page)
    return [*found[:first], *found[dotted[-1] + 1 :]]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all pages without the headers, footers and page numbers that come again on most of them."""
    body = body_size([line for found in pages for line in found])
    edges = [_edges(found) for found in pages]
    repeated = Counter(form for lines_ in edges for form in {_form(line) for line in lines_})
    often = max(3, (len(pages) + 1) // 2)

    def runs(line: Line) -> bool:
        if line.size >= LARGER * body and _NUMBERED.match(line.text):  # chapters that begin on a page of their own
            return False
        return repeated[_form(line)] >= often or (len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text) is not None)

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


def _form(line: Line) -> str:
    """A line without its figures: what page numbers and dates have in common from page to page. A table with other
    figures is another table, though."""
    return re.sub(rf"\b{line.page}\b" if line.rows else r"\d+", "#", line.text)
