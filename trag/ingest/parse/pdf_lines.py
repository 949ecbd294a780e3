"""The lines on the pages of a PDF, from the words and their places, whether a font or a scan tells them: column by column
where a page has several, and without line numbers, running lines and tables of contents."""

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
from trag.ingest.parse.pdf_page import Word
from trag.ingest.parse.tables import Row

_NUMBER_ALONE = re.compile(rf"{PART}+\W*", re.IGNORECASE)
_MARK = re.compile(r"[-•‣◦▪–\uf000-\uf0ff]|[(\[]?\w{1,3}[.)\]]|§+ ?\d+\w?\.?|\(?(?:\w{1,3}\.){1,5}\w{0,3}[.)]?")
"""What may hang in the margin before an item, a clause or a heading: a bullet, "a.", "(iv)", "2.3.1", "§ 4"."""
_CLAUSE = 40  # characters of a text before which a number alone may hang
_SAME = 0.35
_APART = 0.8
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
_FEWEST = 4  # lines of the longest column
_NARROWEST = 7.0  # ems of a column's usual line
_FEWEST_WORDS = 3  # of a column's usual line
_FILLED = 0.7  # the share of a column's width that a line takes which is as good as full
_LEADING = 1.9  # ems from one line of a text to the next at the most; the rows of tables may lie further apart
_RAGGED = 0.5  # ems that a line may end before its column does though the next word would not fit
_ROWS = 400  # of a page with columns; one with more is a list
_NUMBERED = 5  # lines that a number in the margin must count, where each has one


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
    """What stands at one height, as `cells`. In points, `y` upwards; `end` is where its text ends."""

    page: int
    y: float
    size: float
    bold: bool
    cells: list[Cell]
    end: float

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
        return _MARK.fullmatch(mark) is not None or (mark.isdecimal() and len(mark) < 4 and len(text) >= _CLAUSE)


_Item = TypeVar("_Item", Word, Cell)


def cells_of(words: Sequence[Word]) -> list[Cell]:
    """The words that stand together on a line, put together. Those that run up, down or across the page come last."""
    level = _with_scripts([word for word in words if not word.angle])
    found = [cell for row in _by_height(level) for cell in _joined(row)]
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


def _by_height(items: Sequence[_Item]) -> list[list[_Item]]:
    """What stands at the same height, from the top of the page, each from left to right."""
    rows: list[list[_Item]] = []
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
        elif gap > _APART * size or (word is row[1] and _MARK.fullmatch(cell.text) and gap > max(_HANGS * size, usual)):
            yield cell._replace(text=from_right(cell.text))
            cell = Cell(word.x, word.end, word.text, word.y, word.size, word.bold)
        else:
            note = cell.size <= _SCRIPT * word.size and len(cell.text) <= _LONGEST_SCRIPT and cell.text.isdigit()
            text = cell.text + " " * (gap > _WORD * size or note or before.spaced) + word.text
            larger = word if len(word.text) > len(cell.text) or cell.size <= _SCRIPT * word.size else cell
            bold = word.bold if note else cell.bold and word.bold
            cell = Cell(cell.x, max(cell.end, word.end), text, larger.y, larger.size, bold)
    if cell is not None:
        yield cell._replace(text=from_right(cell.text))


def lines_of(words: Sequence[Word]) -> list[Line]:
    """The lines of words that are in no columns, as those in a cell of a table."""
    return [_line(row, 0) for row in _by_height(cells_of(words))]


def page_lines(cells: Sequence[Cell], number: int) -> list[Line]:
    """The lines of a page in the order in which they are read: each column from its top to its end."""
    rows = _by_height(cells)
    found: list[Line] = []
    at = 0
    while at < len(rows):
        columns, used = _columns(rows[at:]) if len(rows) <= _ROWS else ((), 0)
        for column in columns:
            found += page_lines(column, number)
        if not columns:
            tables = [[cell] for cell in rows[at] if cell.rows]
            found += [_line(row, number) for row in (*tables, [cell for cell in rows[at] if not cell.rows]) if row]
        at += max(used, 1)
    return found


def _line(row: Sequence[Cell], number: int) -> Line:
    if len(row) > 2 and _MARK.fullmatch(row[0].text) and row[1].x - row[0].end <= _APART * row[1].size:
        row = [row[1]._replace(x=row[0].x, text=f"{row[0].text} {row[1].text}"), *row[2:]]
    line = Line(number, row[0].y, max(cell.size for cell in row), all(cell.bold for cell in row), list(row), row[-1].end)
    if line.hangs:  # in another size than the item, perhaps
        item = max(row, key=lambda cell: len(cell.text))
        line.y, line.size, line.bold = item.y, item.size, item.bold
    return line


def _columns(rows: Sequence[Sequence[Cell]]) -> tuple[list[list[Cell]], int]:
    """The columns of text that stand side by side from the first of the rows on, and how many rows they take; the most
    rows that leave the same gaps free. Nothing and 0 where the first row begins none."""
    free: list[tuple[int, list[tuple[float, float]]]] = []
    spans: list[tuple[float, float]] = []
    gap = max(_APART * median(cell.size for cell in rows[0]), 4.0)
    for count, row in enumerate(rows, 1):
        wider = _spans([*spans, *((cell.x, cell.end) for cell in row)], gap)
        if len(wider) < len(spans):
            free.append((count - 1, spans))
            if len(wider) == 1:
                break
        spans = wider
    else:
        free.append((len(rows), spans))
    for used, gaps in reversed(free):
        held = [cell for row in rows[:used] for cell in row]
        columns = [[cell for cell in held if left <= cell.x <= right] for left, right in gaps]
        columns = _with_marks([column for column in columns if column])
        if len(columns) > 1 and all(map(_is_prose, columns)) and _apart(columns):
            return columns, used
    return [], 0


def _spans(spans: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """What is covered by spans, those less than a gap apart as one."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start - found[-1][1] < gap:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _with_marks(columns: Sequence[list[Cell]]) -> list[list[Cell]]:
    """The columns, those of marks and numbers alone put together with the text before which they hang."""
    found: list[list[Cell]] = []
    waiting: list[Cell] = []
    for column in columns:
        if all(len(cell.text) <= 6 or _MARK.fullmatch(cell.text) for cell in column):
            waiting += column
        else:
            found.append(waiting + column)
            waiting = []
    return found


def _is_prose(column: Sequence[Cell]) -> bool:
    """Whether cells are the lines of a text: of letters, and most of them ended where the next word would not fit."""
    rows = _by_height(column)
    left = min(cell.x for cell in column)
    width = max(cell.end for cell in column) - left
    lengths = [row[-1].end - row[0].x for row in rows]
    size = median(cell.size for cell in column)
    text = "".join(cell.text for cell in column)
    filled = sum(length >= _FILLED * width for length in lengths)
    wrapped = sum(
        row[-1].end + _first_word(below[0]) > left + width - _RAGGED * size for row, below in pairwise(rows)
    )
    several = sum(len(row) > 1 and not _line(row, 0).hangs for row in rows)
    return (
        len(rows) > 1
        and not any(cell.rows for cell in column)
        and median(lengths) >= _NARROWEST * size
        and (2 * wrapped >= len(rows) - 1 or filled >= 0.8 * len(rows))
        and median(sum(map(_words, row)) for row in rows) >= _FEWEST_WORDS
        and 3 * several <= len(rows)
        and 2 * sum(map(str.isalpha, text)) >= len("".join(text.split()))
    )


def _first_word(cell: Cell) -> float:
    """How wide the first word of a cell is with the space before it, or the first character where words are not parted
    by spaces."""
    word = cell.text.split()[0]
    count = 1 if ord(word[0]) >= 0x2E80 else len(word) + 1
    return count * (cell.end - cell.x) / len(cell.text)


def _words(cell: Cell) -> int:
    """How many words a cell holds; of those that are not parted by spaces, about three characters are one."""
    return max(len(cell.text.split()), sum(ord(each) >= 0x2E80 for each in cell.text) // 3)


def _apart(columns: Sequence[Sequence[Cell]]) -> bool:
    """Whether columns go on each by itself, and are not the cells of rows, which begin at the same heights and leave
    room where the cell beside them is longer."""
    heights = [[row[0].y for row in _by_height(column)] for column in columns]
    if max(map(len, heights)) < _FEWEST:
        return False
    size = median(cell.size for cell in columns[0])
    leading = min(gap for column in heights for gap in map(_gap, pairwise(column)) if gap > 0.8 * size)
    if leading > _LEADING * size:
        return False
    begins = [{0, *(at for at, gap in enumerate(map(_gap, pairwise(column)), 1) if gap > 1.25 * leading)} for column in heights]
    starts = [[column[at] for at in sorted(found)] for column, found in zip(heights, begins, strict=True)]
    together = sum(any(abs(y - other) < 0.3 * leading for other in starts[0]) for column in starts[1:] for y in column)
    count = sum(map(len, starts[1:]))
    return count == len(columns) - 1 or 2 * together < count + len(columns) - 1


def without_line_numbers(pages: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """The cells of each page without the numbers in its margin that count its lines: each of them, or every fifth."""
    rows = [_by_height([cell for cell in page if not cell.rows]) for page in pages]
    counted = [[cell for side in (0, -1) for cell in _counting(page, side)] for page in rows]
    places = {(round(cell.x), round(cell.end)) for page in counted for cell in page}
    left_out = [
        {cell for cell in page if cell.text.isdecimal() and any(_beside(cell, place) for place in places)} if places else set()
        for page in pages
    ]
    return [[cell for cell in page if cell not in out] for page, out in zip(pages, left_out, strict=True)]


def _beside(cell: Cell, place: tuple[int, int]) -> bool:
    return abs(cell.x - place[0]) <= 1.5 or abs(cell.end - place[1]) <= 1.5


def _counting(rows: Sequence[Sequence[Cell]], side: int) -> list[Cell]:
    """The first cells of rows, or the last with -1, where they count the rows and stand beside all other text."""
    numbers = [(at, row[side]) for at, row in enumerate(rows) if row[side].text.isdecimal() and len(row[side].text) < 5]
    if len(numbers) < 2:
        return []
    edge = max(cell.end for _, cell in numbers) if side == 0 else min(cell.x for _, cell in numbers)
    others = [cell for row in rows for cell in row if not any(cell is number for _, number in numbers)]
    beside = sum(cell.x > edge if side == 0 else cell.end < edge for cell in others)
    steps = [int(below.text) - int(above.text) for (_, above), (_, below) in pairwise(numbers)]
    step = round(median(steps))
    each = step == 1
    right = sum(
        found == step and (last - first == step if each else 0.5 * step <= last - first <= 2 * step)
        for found, ((first, _), (last, _)) in zip(steps, pairwise(numbers), strict=True)
    )
    all_lines = len(numbers) >= _NUMBERED and _is_prose(others) if each else not any(int(n.text) % max(step, 1) for _, n in numbers)
    if step < 1 or beside < 0.8 * len(others) or right < 0.7 * len(steps) or not all_lines:
        return []
    return [number for _, number in numbers]


def _gap(pair: tuple[float, float]) -> float:
    return pair[0] - pair[1]


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
