"""Tables that are ruled: the grid that the rules of a page make, and the text in its cells.

Knows nothing of other tables, or of what a table says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trag.ingest.parse.pdf_path import Rule
from trag.ingest.parse.pdf_pen import Fragment

_NEAR = 2.5  # points within which two rules meet
_MOST = 600  # rules of a page; more are a drawing
_FULLEST = 20_000  # cells of a grid

Cell = tuple[int, int]


@dataclass(slots=True, eq=False)
class Grid:
    """A ruled table: where its columns and its rows begin and end, both in ascending order, and the text in its cells.

    Cells are counted by row from the top and by column. `open_right` and `open_below` are those with no rule on that
    side.
    """

    xs: list[float]
    ys: list[float]
    open_right: set[Cell]
    open_below: set[Cell]
    inside: dict[Cell, list[Fragment]] = field(default_factory=lambda: defaultdict(list))

    def cell(self, fragment: Fragment) -> Cell | None:
        """The cell in which a text begins, None outside."""
        column = bisect_right(self.xs, fragment.x + fragment.size / 4) - 1
        row = len(self.ys) - 1 - bisect_right(self.ys, fragment.y + fragment.size / 4)
        return (row, column) if 0 <= row < len(self.ys) - 1 and 0 <= column < len(self.xs) - 1 else None

    def merged(self) -> dict[Cell, Cell]:
        """For each cell the first of those that it is merged with."""
        parents = {
            (row, column): (row, column) for row in range(len(self.ys) - 1) for column in range(len(self.xs) - 1)
        }

        def root(cell: Cell) -> Cell:
            while parents[cell] != cell:
                cell = parents[cell]
            return cell

        def join(first: Cell, second: Cell) -> None:
            low, high = sorted((root(first), root(second)))
            parents[high] = low

        parted = {cell for cell in self.open_right if self._is_parted(*cell)}
        columns = {column for row, column in parted if row}
        for cell in parents:
            row, column = cell
            if cell in self.open_right and cell not in parted and not (row and column in columns):
                join(cell, (row, column + 1))
            if cell in self.open_below:
                join(cell, (row + 1, column))
        return {cell: root(cell) for cell in parents}

    def _is_parted(self, row: int, column: int) -> bool:
        """Whether text begins in a cell and in the one to its right, and none runs over from one to the other: some
        programs leave out the rules between the cells of every second row."""
        edge = self.xs[column + 1]
        left, right = (
            [fragment for fragment in self.inside.get((row, at), []) if fragment.text.strip()]
            for at in (column, column + 1)
        )
        return bool(left) and bool(right) and all(fragment.end <= edge + _NEAR for fragment in left)


def grids(rules: Sequence[Rule]) -> list[Grid]:
    """The grids of at least two rows and two columns that rules make."""
    across = _merged((rule.y0, rule.x0, rule.x1) for rule in rules if rule.y0 == rule.y1)
    down = _merged((rule.x0, rule.y0, rule.y1) for rule in rules if rule.y0 != rule.y1)
    if not across or not down or len(across) + len(down) > _MOST:
        return []
    return [grid for part in _connected(across, down) if (grid := _grid(*part)) is not None]


def fill(found: list[Grid], fragments: Sequence[Fragment]) -> dict[int, Grid]:
    """Puts text into grids; which of the `fragments`, by index, are in which grid that is a table."""
    owners: dict[int, Grid] = {}
    for at, fragment in enumerate(fragments):
        for grid in found:
            if (cell := grid.cell(fragment)) is not None:
                grid.inside[cell].append(fragment)
                owners[at] = grid
                break
    tables = [grid for grid in found if _is_table(grid)]
    return {at: grid for at, grid in owners.items() if grid in tables}


def _is_table(grid: Grid) -> bool:
    """Whether text stands in two rows and two columns at least, and in a third of the cells: else it is a form or a
    frame."""
    parts = grid.merged()
    filled = {parts[cell] for cell, inside in grid.inside.items() if any(each.text.strip() for each in inside)}
    rows, columns = {row for row, _ in filled}, {column for _, column in filled}
    return len(rows) > 1 and len(columns) > 1 and 3 * len(filled) >= len(set(parts.values()))


Line = tuple[float, float, float]
"""A rule by the place at which it stands, and where it begins and ends."""


def _merged(lines: Iterable[Line]) -> list[Line]:
    """Lines at one place that touch made one: many programs rule each cell by itself."""
    merged: list[Line] = []
    groups: list[list[Line]] = []
    for line in sorted(lines):
        if groups and line[0] - groups[-1][0][0] <= _NEAR:
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        place = group[0][0]
        spans: list[tuple[float, float]] = []
        for _, start, end in sorted(group, key=lambda line: line[1]):
            if spans and start <= spans[-1][1] + _NEAR:
                spans[-1] = (spans[-1][0], max(spans[-1][1], end))
            else:
                spans.append((start, end))
        merged += [(place, start, end) for start, end in spans]
    return merged


def _connected(across: Sequence[Line], down: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """The lines that cross or touch one another, directly or by others, put together."""
    parents = list(range(len(across) + len(down)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    for first, (y, left, right) in enumerate(across):
        for second, (x, bottom, top) in enumerate(down, len(across)):
            if left - _NEAR <= x <= right + _NEAR and bottom - _NEAR <= y <= top + _NEAR:
                parents[root(first)] = root(second)
    parts: dict[int, tuple[list[Line], list[Line]]] = defaultdict(lambda: ([], []))
    for at, line in enumerate((*across, *down)):
        parts[root(at)][at >= len(across)].append(line)
    return list(parts.values())


def _grid(across: Sequence[Line], down: Sequence[Line]) -> Grid | None:
    """The grid of connected lines. Its outer sides may be open: then the lines across or down end there."""
    if not across or not down:
        return None
    xs = _places([*(x for x, _, _ in down), min(left for _, left, _ in across), max(right for _, _, right in across)])
    ys = _places([*(y for y, _, _ in across), min(bottom for _, bottom, _ in down), max(top for _, _, top in down)])
    height, width = len(ys) - 1, len(xs) - 1
    if height < 2 or width < 2 or height * width > _FULLEST:
        return None
    open_right: set[Cell] = set()
    open_below: set[Cell] = set()
    for row in range(height):
        middle = (ys[height - row] + ys[height - row - 1]) / 2
        for column in range(width):
            center = (xs[column] + xs[column + 1]) / 2
            if column + 1 < width and not _crosses(down, xs[column + 1], middle):
                open_right.add((row, column))
            if row + 1 < height and not _crosses(across, ys[height - row - 1], center):
                open_below.add((row, column))
    return Grid(xs, ys, open_right, open_below)


def _crosses(lines: Sequence[Line], place: float, at: float) -> bool:
    """Whether one of the lines that stand at a place runs through a point of it."""
    return any(abs(where - place) <= _NEAR and start <= at <= end for where, start, end in lines)


def _places(values: Iterable[float]) -> list[float]:
    """Ascending places, those within _NEAR of one another once."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places
