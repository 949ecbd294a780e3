"""The lines on the pages of a PDF, from the places where their characters are drawn. Knows nothing of headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pypdf import PageObject

_PAGE_NUMBER = re.compile(r"\W*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE)
_BULLETS = {0x7F: "•", 0xF0B7: "•", 0xF0A7: "•"}  # as reportlab and Word encode them
_MARK = re.compile(r"[-•‣◦▪–]|\(?\w{1,3}[.)]")
_DOTS = re.compile(r"(?:\.\s?){5,}")
_EM = 0.5
"""Estimated width of a character, in sizes of its font."""
_WITHIN_ROW = 12
"""Lines that may lie between two cells of one row as they are drawn, because cells before them are wrapped."""


@dataclass(slots=True)
class Line:
    """What stands at one height: `cells` are its stretches of text and where each begins. In points, `y` upwards.

    `end` is where its text ends, estimated from the number of characters.
    """

    page: int
    y: float
    size: float
    bold: bool
    cells: list[tuple[float, str]]
    end: float

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.cells)

    @property
    def x(self) -> float:
        return self.cells[0][0]


def lines(page: PageObject, number: int) -> list[Line]:
    """The lines of a page in the order in which they are drawn; the cells of a row are on one line."""
    found: list[Line] = []
    broken = False  # whether pypdf saw a line end after the last text

    def visit(text: str, user: list[float], matrix: list[float], font: Any, size: float) -> None:
        nonlocal broken
        if not text:
            return
        after_break, broken = broken, text.endswith("\n")
        text = text.replace("\n", "").translate(_BULLETS)
        if not text.strip():
            if found and text:
                found[-1].cells[-1] = (found[-1].cells[-1][0], found[-1].cells[-1][1] + " ")
            return
        x = matrix[4] * user[0] + matrix[5] * user[2] + user[4]
        y = matrix[4] * user[1] + matrix[5] * user[3] + user[5]
        scale = abs(matrix[3] or matrix[1]) * abs(user[3] or user[1]) or 1
        size = round(2 * size * scale) / 2
        bold = "bold" in str(font.get("/BaseFont", "") if font else "").lower()
        piece = Line(number, y, size, bold, [(x, text)], x + len(text.strip()) * size * _EM)
        for line in found[: -_WITHIN_ROW - 1 : -1]:
            if abs(line.y - y) <= 0.35 * max(size, line.size) and (line is found[-1] or x > line.end):
                _join(line, piece, after_break)
                return
        _place(found, piece)

    page.extract_text(visitor_text=visit)
    for line in found:
        line.cells = [(x, " ".join(text.split())) for x, text in line.cells]
    return found


def _join(line: Line, piece: Line, after_break: bool) -> None:
    """Adds what stands beside a line to it: as a cell where it stands apart, else to the last one."""
    start, before = line.cells[-1]
    (x, text) = piece.cells[0]
    apart = x - line.end > 0.8 * piece.size or (after_break and x > start + piece.size)
    mark = _MARK.fullmatch(before.strip()) is not None
    if apart and not (mark and len(line.cells) == 1):
        line.cells.append((x, text))
    else:
        line.cells[-1] = (start, before + (" " if apart or mark else "") + text)
    # The mark of an item may be set in another size than the item.
    line.size, line.bold = (piece.size, piece.bold) if mark else (max(line.size, piece.size), line.bold and piece.bold)
    line.end = max(line.end, piece.end)


def _place(found: list[Line], piece: Line) -> None:
    """Adds a new line: below the others, or between those of a row whose later cells begin higher than the first."""
    at = len(found)
    while at and len(found) - at < _WITHIN_ROW and found[at - 1].y < piece.y and found[at - 1].x < piece.x - piece.size:
        at -= 1
    found.insert(at, piece)


def rows(found: Sequence[Line]) -> tuple[tuple[tuple[str, ...], ...], int]:
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
        goes_on = run and (_aligned(line, run) or (below and len(below.cells) > 1 and _aligned(below, run)))
        if not near or (len(line.cells) < 2 and not goes_on):
            break
        run.append(line)
    gaps = [above.y - line.y for above, line in pairwise(run)]
    while gaps and len(run[-1].cells) < 2 and run[-1].x <= run[0].x + 1 and gaps.pop() > 1.1 * min(gaps, default=0.0):
        run.pop()  # the paragraph below
    return run


def _aligned(line: Line, run: Sequence[Line]) -> bool:
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


def without_contents(found: Sequence[Line]) -> Sequence[Line]:
    """The lines without the table of contents: from the top of the first page of dotted lines to the last of them."""
    dotted = [at for at, line in enumerate(found) if _DOTS.search(line.text)]
    if len(dotted) < 4:
        return [line for line in found if not _DOTS.search(line.text)]
    first = next(at for at, line in enumerate(found) if line.page == found[dotted[0]].page)
    return [*found[:first], *found[dotted[-1] + 1 :]]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all pages without the headers, footers and page numbers that come again on most of them."""
    edges = [_edges(found) for found in pages]
    repeated = Counter(form for lines_ in edges for form in {_form(line) for line in lines_})
    often = max(3, (len(pages) + 1) // 2)

    def runs(line: Line) -> bool:
        return repeated[_form(line)] >= often or (len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text) is not None)

    return [line for found, at in zip(pages, edges, strict=True) for line in found if not (line in at and runs(line))]


def _edges(found: Sequence[Line]) -> list[Line]:
    """The three highest and the three lowest lines of a page."""
    by_height = sorted(found, key=lambda line: line.y)
    return by_height[:3] + by_height[-3:]


def _form(line: Line) -> str:
    """A line without its figures: what page numbers and dates have in common from page to page."""
    return re.sub(r"\d+", "#", line.text)
