"""Tables on the pages of a PDF: those that are ruled, by the grid that their rules make, and those that no rule shows,
by the places at which the cells of their lines begin."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from typing import TypeVar

from trag.ingest.parse.characters import is_from_right
from trag.ingest.parse.pdf_lines import LARGER, Cell, Line, cells_of, lines_of
from trag.ingest.parse.pdf_page import Page, Word
from trag.ingest.parse.pdf_shapes import Rule
from trag.ingest.parse.tables import Row

_NEAR = 2.5  # points within which two rules meet
_MOST = 600  # rules of a page; more are a drawing
_FULLEST = 20_000  # cells of a grid
_UNRULED = 3
"""Rows of the largest ruled table in which a row may be several with no rule between them: those below a header, above
a sum. In others each row has its rule."""
_SAME = 2.0  # points within which cells begin or end at the same place
_UNIT = 4  # letters of a currency or a unit

_Place = tuple[int, int]
"""A cell of a grid, by its row from the top and its column."""
_Span = tuple[float, float, float]
"""A rule by the place at which it stands, and where it begins and ends."""
_Item = TypeVar("_Item", int, _Place)


def cells_of_page(page: Page) -> list[Cell]:
    """The text of a page by its places; each ruled table is one cell."""
    grids = _ruled(page.rules, page.words)
    held = {word for grid in grids for inside in grid.inside.values() for word in inside}
    return [*map(_table, grids), *cells_of([word for word in page.words if word not in held])]


def _table(grid: _Grid) -> Cell:
    """A ruled table as one cell, bold where its first row is; merged cells are filled in where they reach to."""
    merged = grid.merged()
    height, width = len(grid.ys) - 1, len(grid.xs) - 1
    inside: dict[_Place, list[Word]] = {}
    for cell in merged:
        inside.setdefault(merged[cell], []).extend(grid.inside.get(cell, []))
    written = {cell: lines_of(held) for cell, held in inside.items()}
    alone = {cell for cell, count in Counter(merged.values()).items() if count == 1}
    rows: list[list[list[Line]]] = []
    for row in range(height):
        cells = [written[merged[row, column]] for column in range(width)]
        whole = not 0 < row < height <= _UNRULED or not all((row, column) in alone for column in range(width))
        rows += [cells] if whole else _rows(cells, grid.xs)
    words = [word for held in inside.values() for word in held]
    top = [word for cell, held in inside.items() if cell[0] == 0 for word in held]
    text = tuple(tuple("\n".join(line.text for line in cell) for cell in row) for row in rows)
    if sum(is_from_right(cell) for row in text for cell in row) > sum(map(len, text)) // 2:
        text = tuple(row[::-1] for row in text)
    return Cell(
        grid.xs[0],
        grid.xs[-1],
        " ".join(line.text for cell in written.values() for line in cell),
        max(word.y for word in words),
        words[0].size,
        bool(top) and all(word.bold for word in top),
        text,
    )


def _rows(cells: list[list[Line]], edges: Sequence[float]) -> list[list[list[Line]]]:
    """The rows that the cells of one ruled row hold: more than one where lines stand at the same heights in the first
    column and in another, and none ends for want of space."""
    heights = [line.y for line in cells[0]]
    rows = [[[line for line in cell if abs(line.y - y) <= 0.35 * line.size] for cell in cells] for y in heights]
    full = sum(len(cell) == len(heights) for cell in cells) > 1
    placed = all(sum(len(row[column]) for row in rows) == len(cell) for column, cell in enumerate(cells))
    if not (len(rows) > 1 and full and placed):
        return [cells]
    for cell, (left, right) in zip(cells, pairwise(edges), strict=True):
        for line, below in pairwise(cell):
            word = (len(below.text.split()[0]) + 1) * (below.end - below.x) / len(below.text)
            if line.end - line.x + word > right - left - 1.2 * line.size:
                return [cells]  # the first word of the line below did not fit
    return rows


@dataclass(slots=True, eq=False)
class _Grid:
    """A ruled table: where its columns and its rows begin and end, both in ascending order, and the text in its cells.

    `open_right` and `open_below` are the cells with no rule on that side.
    """

    xs: list[float]
    ys: list[float]
    open_right: set[_Place]
    open_below: set[_Place]
    inside: dict[_Place, list[Word]] = field(default_factory=lambda: defaultdict(list))

    def cell(self, word: Word) -> _Place | None:
        """The cell in which a text begins, None outside."""
        column = bisect_right(self.xs, word.x + word.size / 4) - 1
        row = len(self.ys) - 1 - bisect_right(self.ys, word.y + word.size / 4)
        return (row, column) if 0 <= row < len(self.ys) - 1 and 0 <= column < len(self.xs) - 1 else None

    def merged(self) -> dict[_Place, _Place]:
        """For each cell the first of those that it is merged with."""
        # Some programs leave out the rules between cells of every second row: both have text, and none runs over.
        parted: set[_Place] = set()
        for row, column in self.open_right:
            left, right = (self.inside.get((row, at), []) for at in (column, column + 1))
            if left and right and all(word.end <= self.xs[column + 1] + _NEAR for word in left):
                parted.add((row, column))
        columns = {column for row, column in parted if row}
        across = (
            ((row, column), (row, column + 1))
            for row, column in self.open_right - parted
            if not (row and column in columns)
        )
        down = (((row, column), (row + 1, column)) for row, column in self.open_below)
        return _united(product(range(len(self.ys) - 1), range(len(self.xs) - 1)), chain(across, down))


def _united(items: Iterable[_Item], pairs: Iterable[tuple[_Item, _Item]]) -> dict[_Item, _Item]:
    """For each item the first of those with which pairs connect it, directly or by others."""
    parents = {item: item for item in items}

    def root(item: _Item) -> _Item:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    for first, second in pairs:
        low, high = sorted((root(first), root(second)))
        parents[high] = low
    return {item: root(item) for item in parents}


def _ruled(rules: Sequence[Rule], words: Sequence[Word]) -> list[_Grid]:
    """The tables of two rows and two columns at least that rules make, with the words in them. Text stands in two rows
    and columns of a table, and in a third of its cells: else it is a form or a frame."""
    across = _merged((rule.y0, rule.x0, rule.x1) for rule in rules if rule.y0 == rule.y1)
    down = _merged((rule.x0, rule.y0, rule.y1) for rule in rules if rule.y0 != rule.y1)
    if not across or not down or len(across) + len(down) > _MOST:
        return []
    found = [grid for part in _connected(across, down) if (grid := _grid(*part)) is not None]
    for word in words:
        for grid in found:
            if (cell := grid.cell(word)) is not None:
                grid.inside[cell].append(word)
                break
    tables = []
    for grid in found:
        merged = grid.merged()
        filled = {merged[cell] for cell, inside in grid.inside.items() if inside}
        rows, columns = {row for row, _ in filled}, {column for _, column in filled}
        if len(rows) > 1 and len(columns) > 1 and 3 * len(filled) >= len(set(merged.values())):
            tables.append(grid)
    return tables


def _merged(lines: Iterable[_Span]) -> list[_Span]:
    """Lines at one place that touch made one: many programs rule each cell by itself."""
    merged: list[_Span] = []
    groups: list[list[_Span]] = []
    for line in sorted(lines):
        if groups and line[0] - groups[-1][0][0] <= _NEAR:
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        place = group[0][0]
        for at, (_, start, end) in enumerate(sorted(group, key=lambda line: line[1])):
            if at and start <= merged[-1][2] + _NEAR:
                merged[-1] = (place, merged[-1][1], max(merged[-1][2], end))
            else:
                merged.append((place, start, end))
    return merged


def _connected(across: Sequence[_Span], down: Sequence[_Span]) -> list[tuple[list[_Span], list[_Span]]]:
    """The lines that cross or touch one another, directly or by others, put together."""
    touching = (
        (first, second)
        for first, (y, left, right) in enumerate(across)
        for second, (x, bottom, top) in enumerate(down, len(across))
        if left - _NEAR <= x <= right + _NEAR and bottom - _NEAR <= y <= top + _NEAR
    )
    lines = (*across, *down)
    parts: dict[int, tuple[list[_Span], list[_Span]]] = defaultdict(lambda: ([], []))
    for at, root in _united(range(len(across) + len(down)), touching).items():
        parts[root][at >= len(across)].append(lines[at])
    return list(parts.values())


def _grid(across: Sequence[_Span], down: Sequence[_Span]) -> _Grid | None:
    """The grid of connected lines. Its outer sides may be open: then the lines across or down end there."""
    if not across or not down:
        return None
    xs = _places([*(x for x, _, _ in down), min(left for _, left, _ in across), max(right for _, _, right in across)])
    ys = _places([*(y for y, _, _ in across), min(bottom for _, bottom, _ in down), max(top for _, _, top in down)])
    height, width = len(ys) - 1, len(xs) - 1
    if height < 2 or width < 2 or height * width > _FULLEST:
        return None
    open_right: set[_Place] = set()
    open_below: set[_Place] = set()
    for row, column in product(range(height), range(width)):
        if column + 1 < width and not _crosses(down, xs[column + 1], (ys[height - row] + ys[height - row - 1]) / 2):
            open_right.add((row, column))
        if row + 1 < height and not _crosses(across, ys[height - row - 1], (xs[column] + xs[column + 1]) / 2):
            open_below.add((row, column))
    return _Grid(xs, ys, open_right, open_below)


def _crosses(lines: Sequence[_Span], place: float, at: float) -> bool:
    """Whether one of the lines that stand at a place runs through a point of it."""
    return any(abs(where - place) <= _NEAR and start <= at <= end for where, start, end in lines)


def _places(values: Iterable[float]) -> list[float]:
    """Ascending places, those within _NEAR of one another once."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places


def aligned_table(found: Sequence[Line]) -> tuple[tuple[Row, ...], int]:
    """The rows of the table that begins with the first of `found`, and how many lines it takes; else nothing and 0.

    A table is lines of several cells each, of which at least two begin at the same place in a column after the first,
    or are figures, perhaps with a currency or a unit, that end at the same place there.
    """
    run = _aligned_lines(found)
    several = [line for line in run if len(line.cells) > 1]
    later = [cell for line in several for cell in line.cells[1:]]
    figures = [
        cell.end for cell in later if any(map(str.isdigit, cell.text)) and sum(map(str.isalpha, cell.text)) <= _UNIT
    ]
    if len(several) < 2 or not (_agree([cell.x for cell in later]) or _agree(figures)):
        return (), 0
    # Where each column begins and ends, from the lines that have all.
    width = max(len(line.cells) for line in several)
    full = zip(*(line.cells for line in run if len(line.cells) == width), strict=True)
    columns = [(min(cell.x for cell in column), max(cell.end for cell in column)) for column in full]
    gaps = [above.y - line.y for above, line in pairwise(run)]
    # The distance from which a line begins a row, where rows lie further apart than the lines within one; else 0.
    wide = [gap for gap in gaps if gap > 0.9 * run[0].size] or [0.0]
    middle = (min(wide) + max(wide)) / 2
    apart = middle if max(wide) > 1.2 * min(wide) and max(wide[:3]) >= middle else 0.0
    table: list[list[str]] = []
    for line, gap in zip(run, [0.0, *gaps], strict=True):
        cells = [""] * width
        for at, cell in enumerate(line.cells):
            if len(line.cells) < width:
                at = _column(cell, columns, line.size / 2)
            cells[at] = f"{cells[at]} {cell.text}".strip()
        wrapped = gap < apart if apart else not cells[0]
        if table and wrapped:
            table[-1] = [f"{above} {cell}".strip() for above, cell in zip(table[-1], cells, strict=True)]
        else:
            table.append(cells)
    return tuple(map(tuple, table)), len(run)


def _aligned_lines(found: Sequence[Line]) -> Sequence[Line]:
    """The first lines of `found` that may be one table: each of several cells, or of one below those."""
    run: list[Line] = []
    for line, below in zip(found, [*found[1:], None], strict=True):
        near = not run or (line.page == run[0].page and 0 < run[-1].y - line.y < 4 * line.size)
        goes_on = run and (_shares_place(line, run) or (below and len(below.cells) > 1 and _shares_place(below, run)))
        heading = run and line.size >= LARGER * run[0].size
        hangs = line.hangs and not any(len(above.cells) > 2 for above in run)
        if line.rows or hangs or not near or (len(line.cells) < 2 and (heading or not goes_on)):
            break
        run.append(line)
    gaps = [above.y - line.y for above, line in pairwise(run)]
    last = max((at for at, line in enumerate(run) if len(line.cells) > 1), default=0)
    for at in range(last + 1, len(run)):
        if run[at].x <= run[0].x + 1 and gaps[at - 1] > 1.1 * min(gaps[: at - 1], default=0.0):
            return run[:at]  # the paragraph below
    return run


def _shares_place(line: Line, run: Sequence[Line]) -> bool:
    """Whether a cell of `line` begins where one of `run` does."""
    return any(abs(cell.x - other.x) < _SAME for cell in line.cells for above in run for other in above.cells)


def _agree(places: Sequence[float]) -> bool:
    """Whether two of the places are the same."""
    return any(second - first < _SAME for first, second in pairwise(sorted(places)))


def _column(cell: Cell, columns: Sequence[tuple[float, float]], slack: float) -> int:
    """The column of a cell of a line that has not all: the one with which it begins, with which it ends, or the last
    that does not begin after it."""
    for side, place in enumerate((cell.x, cell.end)):
        for at, column in enumerate(columns):
            if abs(column[side] - place) < _SAME:
                return at
    return max((at for at, (start, _) in enumerate(columns) if start <= cell.x + slack), default=0)
