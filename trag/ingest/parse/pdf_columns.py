"""Columns of text on the pages of a PDF, read each from its top to its end, and the numbers of lines in a margin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from trag.ingest.parse.pdf_lines import APART, MARK, Cell, Line, by_height, line_of

_FEWEST = 4  # lines of the longest column
_NARROWEST = 7.0  # ems of a column's usual line
_OFF_LEVEL = 5  # lines of each of several columns that are told by their heights alone
_FEWEST_WORDS = 3  # of a column's usual line
_FILLED = 0.7  # the share of a column's width that a line takes which is as good as full
_LEADING = 1.9  # ems from one line of a text to the next at the most; the rows of tables may lie further apart
_RAGGED = 0.5  # ems that a line may end before its column does though the next word would not fit
_ROWS = 400  # of a page with columns; one with more is a list
_NUMBERED = 5  # lines that a number in the margin must count, where each has one


def page_lines(cells: Sequence[Cell], number: int) -> list[Line]:
    """The lines of a page in the order in which they are read: each column from its top to its end."""
    rows = by_height(cells)
    found: list[Line] = []
    at = 0
    while at < len(rows):
        columns, used = _columns(rows[at:]) if len(rows) <= _ROWS else ((), 0)
        for column in columns:
            found += page_lines(column, number)
        if not columns:
            tables = [[cell] for cell in rows[at] if cell.rows]
            found += [line_of(row, number) for row in (*tables, [cell for cell in rows[at] if not cell.rows]) if row]
        at += max(used, 1)
    return found


def _columns(rows: Sequence[Sequence[Cell]]) -> tuple[list[list[Cell]], int]:
    """The columns of text that stand side by side from the first of the rows on, and how many rows they take; the most
    rows that leave the same gaps free. Nothing and 0 where the first row begins none."""
    free: list[tuple[int, list[tuple[float, float]]]] = []
    spans: list[tuple[float, float]] = []
    gap = max(APART * median(cell.size for cell in rows[0]), 4.0)
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
        parted = len(columns) > 1 and all(map(_is_text, columns))
        if parted and (_off_level(columns) or (all(map(_is_prose, columns)) and _apart(columns))):
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
        if all(len(cell.text) <= 6 or MARK.fullmatch(cell.text) for cell in column):
            waiting += column
        else:
            found.append(waiting + column)
            waiting = []
    return found


def _is_text(column: Sequence[Cell]) -> bool:
    """Whether cells are the lines of a text, each of several words."""
    rows = by_height(column)
    lengths = [row[-1].end - row[0].x for row in rows]
    several = sum(len(row) > 1 and not line_of(row, 0).hangs for row in rows)
    text = "".join(cell.text for cell in column)
    return (
        len(rows) > 1
        and not any(cell.rows for cell in column)
        and median(lengths) >= _NARROWEST * median(cell.size for cell in column)
        and 3 * several <= len(rows)
        and 2 * sum(map(str.isalpha, text)) >= len("".join(text.split()))
        and median(sum(map(_words, row)) for row in rows) >= _FEWEST_WORDS
    )


def _off_level(columns: Sequence[Sequence[Cell]]) -> bool:
    """Whether the lines of columns stand at heights of their own, as the cells of a table hardly do."""
    first, *others = ([row[0].y for row in by_height(column)] for column in columns)
    if min(len(first), *map(len, others)) < _OFF_LEVEL:
        return False
    near = 0.15 * median(cell.size for cell in columns[0])
    level = sum(any(abs(y - other) <= near for other in first) for heights in others for y in heights)
    return level < 0.4 * sum(map(len, others))


def _is_prose(column: Sequence[Cell]) -> bool:
    """Whether most lines of a text end where the next word would not fit, or nearly fill its width."""
    rows = by_height(column)
    left, size = min(cell.x for cell in column), median(cell.size for cell in column)
    width = max(cell.end for cell in column) - left
    filled = sum(row[-1].end - row[0].x >= _FILLED * width for row in rows)
    right = left + width - _RAGGED * size
    wrapped = sum(row[-1].end + _first_word(below[0]) > right for row, below in pairwise(rows))
    return 2 * wrapped >= len(rows) - 1 or filled >= 0.8 * len(rows)


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
    heights = [[row[0].y for row in by_height(column)] for column in columns]
    if max(map(len, heights)) < _FEWEST:
        return False
    size = median(cell.size for cell in columns[0])
    leading = min(gap for column in heights for gap in map(_gap, pairwise(column)) if gap > 0.8 * size)
    if leading > _LEADING * size:
        return False
    begins = [
        {0, *(at for at, gap in enumerate(map(_gap, pairwise(column)), 1) if gap > 1.25 * leading)}
        for column in heights
    ]
    starts = [[column[at] for at in sorted(found)] for column, found in zip(heights, begins, strict=True)]
    together = sum(any(abs(y - other) < 0.3 * leading for other in starts[0]) for column in starts[1:] for y in column)
    count = sum(map(len, starts[1:]))
    return count == len(columns) - 1 or 2 * together < count + len(columns) - 1


def without_line_numbers(pages: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """The cells of each page without the numbers in its margin that count its lines: each of them, or every fifth."""
    rows = [by_height([cell for cell in page if not cell.rows]) for page in pages]
    counted = [[cell for side in (0, -1) for cell in _counting(page, side)] for page in rows]
    places = {(round(cell.x), round(cell.end)) for page in counted for cell in page}
    left_out = [
        {cell for cell in page if cell.text.isdecimal() and any(_beside(cell, place) for place in places)}
        if places
        else set()
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
    all_lines = (
        len(numbers) >= _NUMBERED and _is_text(others) and _is_prose(others)
        if each
        else not any(int(n.text) % max(step, 1) for _, n in numbers)
    )
    if step < 1 or beside < 0.8 * len(others) or right < 0.7 * len(steps) or not all_lines:
        return []
    return [number for _, number in numbers]


def _gap(pair: tuple[float, float]) -> float:
    return pair[0] - pair[1]
