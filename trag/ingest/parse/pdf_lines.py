"""The lines on the pages of a PDF, from the words and their places, whether a font or a scan tells them: without
running lines and tables of contents."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeVar

from trag.ingest.parse.characters import from_right, is_from_right
from trag.ingest.parse.lines import LEADER, NUMBERED, PART, EdgeLine, contents_lines, running_lines
from trag.ingest.parse.pdf_page import SPACED, Word
from trag.ingest.parse.tables import Row
from trag.ingest.reading import Block

_NUMBER_ALONE = re.compile(rf"{PART}+\W*", re.IGNORECASE)
MARK = re.compile(r"[-•‣◦▪–\uf000-\uf0ff]|[(\[]?\w{1,3}[.)\]]|§+ ?\d+\w?\.?|\(?(?:\w{1,3}\.){1,5}\w{0,3}[.)]?")
"""What may hang in the margin before an item, a clause or a heading: a bullet, "a.", "(iv)", "2.3.1", "§ 4"."""
_CLAUSE = 40  # characters of a text before which a number alone may hang
_SAME = 0.35
APART = 0.8
_HANGS = 0.45
_WORD = 0.1
"""How far off a line's height words may be that are on it, and the gaps from which on text beside text is a cell of its
own, hangs as a mark before it, or is a word of its own, in sizes of its font."""
LARGER = 1.12
"""How much larger than the body a line is that is set apart by its size."""
_SCRIPT = 0.85
_LONGEST_SCRIPT = 4
"""How large text above or below a baseline is at the most, in sizes of the text beside it, and its most characters."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
"""Figures above a baseline, so that "500" and the mark of a note are no other number. Those below change none: CO2."""


class Cell(NamedTuple):
    """Text that stands apart from what is beside it, from `x` to `end` at a height of `y`, in points. A ruled table is
    one cell, of which `rows` are the cells."""

    x: float
    end: float
    text: str
    y: float = 0
    size: float = 0
    bold: bool = False
    rows: tuple[Row, ...] = ()


@dataclass(slots=True)
class Line:
    """What stands at one height, as `cells`. In points, `y` upwards; `end` is where its text ends. In the place of a
    picture `words` are what was read off it, and there is no text."""

    page: int
    y: float
    size: float
    bold: bool
    cells: list[Cell]
    end: float
    words: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        cells = self.cells if not is_from_right(self.cells[-1].text) else self.cells[::-1]
        return " ".join(cell.text for cell in cells)

    @property
    def x(self) -> float:
        return self.cells[0].x

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.cells[0].rows

    @property
    def hangs(self) -> bool:
        """Whether it is a text whose number or bullet hangs in the margin."""
        if len(self.cells) != 2:
            return False
        mark, text = (cell.text for cell in (self.cells[::-1] if is_from_right(self.cells[0].text) else self.cells))
        return MARK.fullmatch(mark) is not None or (mark.isdecimal() and len(mark) < 4 and len(text) >= _CLAUSE)


Item = TypeVar("Item", Word, Cell)


def cells_of(words: Sequence[Word]) -> list[Cell]:
    """The words that stand together on a line, put together. Those that run up, down or across the page come last."""
    level = _with_scripts([word for word in words if not word.angle])
    found = [cell for row in by_height(level) for cell in _joined(row)]
    lowest = min((cell.y for cell in found), default=0.0)
    for number, word in enumerate((word for word in words if word.angle), 1):
        text = from_right(" ".join(word.text.split()))
        found.append(Cell(word.x, word.end, text, lowest - 2 * number * word.size, word.size, word.bold))
    return found


def _with_scripts(words: Sequence[Word]) -> list[Word]:
    """The words, in which marks of notes, exponents and indices stand on the line of the text that they touch."""
    largest = max((word.size for word in words), default=0)
    by_height = sorted(words, key=lambda word: word.y)
    heights = [word.y for word in by_height]
    found: list[Word] = []
    for word in words:
        if word.size <= _SCRIPT * largest and len(word.text) <= _LONGEST_SCRIPT:
            near = slice(bisect_left(heights, word.y - 0.6 * largest), bisect_right(heights, word.y + 0.6 * largest))
            for beside in by_height[near]:
                rise, usual = word.y - beside.y, beside.size
                if not (word.size <= _SCRIPT * usual and 0.1 * usual < abs(rise) <= 0.6 * usual):
                    continue
                if abs(word.x - beside.end) <= 0.25 * usual:
                    word = replace(word, y=beside.y, text=word.text.translate(_RAISED) if rise > 0 else word.text)
                    break
                if abs(beside.x - word.end) <= 0.25 * usual:  # the mark before a note
                    word = replace(word, y=beside.y)
                    break
        found.append(word)
    return found


def by_height(items: Sequence[Item]) -> list[list[Item]]:
    """What stands at the same height, from the top of the page, each from left to right."""
    rows: list[list[Item]] = []
    for item in sorted(items, key=lambda item: -item.y):
        if rows and rows[-1][0].y - item.y <= _SAME * max(item.size, rows[-1][0].size):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda item: item.x) for row in rows]


def _joined(row: Sequence[Word]) -> Iterator[Cell]:
    """The cells of a row of words."""
    cell: Cell | None = None
    gaps = [after.x - before.end for before, after in pairwise(row[1:])]
    usual = 1.5 * median(gaps) if gaps else 0.0  # in a justified line all are wide
    for before, word in zip([row[0], *row], row, strict=False):
        if cell is None:
            cell = Cell(word.x, word.end, word.text, word.y, word.size, word.bold)
            continue
        gap, size = word.x - cell.end, max(word.size, cell.size) if word.size > cell.size else word.size
        if abs(word.end - cell.end) < 0.1 * size and cell.text.endswith(word.text):
            cell = cell._replace(bold=True)  # drawn twice to look so
        elif gap > APART * size or (word is row[1] and MARK.fullmatch(cell.text) and gap > max(_HANGS * size, usual)):
            yield cell._replace(text=from_right(cell.text))
            cell = Cell(word.x, word.end, word.text, word.y, word.size, word.bold)
        else:
            note = cell.size <= _SCRIPT * word.size and len(cell.text) <= _LONGEST_SCRIPT and cell.text.isdigit()
            text = cell.text + " " * (note or gap > (SPACED if before.spaced else _WORD) * size) + word.text
            larger = word if len(word.text) > len(cell.text) or cell.size <= _SCRIPT * word.size else cell
            bold = word.bold if note else cell.bold and word.bold
            cell = Cell(cell.x, max(cell.end, word.end), text, larger.y, larger.size, bold)
    if cell is not None:
        yield cell._replace(text=from_right(cell.text))


def lines_of(words: Sequence[Word]) -> list[Line]:
    """The lines of words that are in no columns, as those in a cell of a table."""
    return [line_of(row, 0) for row in by_height(cells_of(words))]


def line_of(row: Sequence[Cell], number: int) -> Line:
    """What stands at one height as a line."""
    if len(row) > 2 and MARK.fullmatch(row[0].text) and row[1].x - row[0].end <= APART * row[1].size:
        row = [row[1]._replace(x=row[0].x, text=f"{row[0].text} {row[1].text}"), *row[2:]]
    line = Line(
        number, row[0].y, max(cell.size for cell in row), all(cell.bold for cell in row), list(row), row[-1].end
    )
    if line.hangs:  # in another size than the item, perhaps
        item = max(row, key=lambda cell: len(cell.text))
        line.y, line.size, line.bold = item.y, item.size, item.bold
    return line


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
