"""Sheets of cells: CSV files, and the title lines and tables, with their header rows, of any sheet."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, takewhile
from types import MappingProxyType

from trag.errors import TragError
from trag.ingest.parse.characters import decode
from trag.ingest.parse.tables import Row, with_header
from trag.ingest.reading import Block, Reading

ROWS = 50_000
COLUMNS = 200
"""What is read of one sheet."""

_DELIMITERS = ",;\t|"
_SAMPLE = 50  # rows by which the delimiter is chosen
_FIGURE = re.compile(r"[-+(]?\s*(?:[€$£]\s*)?\d[\d.,'\s]*(?:\s*(?:%|[€$£]|[A-Z]{3}))?\)?|\d{4}-\d\d-\d\d.*|yes|no")
_LONGEST_NAME = 80


def parse_csv(content: bytes) -> Reading:
    """A CSV file in any of the usual encodings and with any of the usual delimiters, of which the first ROWS rows are
    read. Raises TragError for a field without an end."""
    text, notes = decode(content)
    text = text.replace("\0", "")
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep="):  # Excel's own way to name the delimiter
        delimiter, text = first.strip()[4:5] or "\t", f"\n{rest}"  # the lines keep their numbers
    else:
        delimiter = max(_DELIMITERS, key=lambda mark: _fitness(text, mark))
    try:
        rows = list(islice(_parted(tuple(row[:COLUMNS]) for row in _closed(text, delimiter)), ROWS + 1))
    except csv.Error as error:
        hint = 'Look for a quotation mark that is not closed; inside a quoted cell, write " twice.'
        raise TragError(f"is a damaged CSV file ({error}).", hint) from error
    if len(rows) > ROWS:
        rows, notes = rows[:ROWS], (*notes, f"only the first {ROWS:,} rows read")
    return Reading("CSV", blocks(rows), notes=notes)


def _fitness(text: str, delimiter: str) -> tuple[int, int]:
    """How many of the first rows have the same number of cells, more than one, and that number."""
    rows = csv.reader(io.StringIO(text[:100_000], newline=""), delimiter=delimiter)
    try:
        widths = Counter(len(row) for row in islice(rows, _SAMPLE))
    except csv.Error:
        return 0, 0
    del widths[1]
    return max(((count, width) for width, count in widths.items()), default=(0, 0))


def _closed(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows. Raises csv.Error in place of one that has a field without an end: all that is below would be in it.

    A strict reader would refuse a quotation mark within a field too, which loses nothing.
    """
    is_over = False

    def lines() -> Iterator[str]:
        nonlocal is_over
        yield from io.StringIO(text, newline="")
        is_over = True

    reader = csv.reader(lines(), delimiter=delimiter)
    line = 1
    for row in reader:
        if is_over:  # it asked for more
            raise csv.Error(f"the row that begins in line {line} has no end")
        yield row
        line = reader.line_num + 1


def _parted(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, with a blank one only where what stands below is no more of the table above: it has another number of
    cells, or begins with names over figures of its own."""
    above: list[Row] = []
    for filled, group in groupby(rows, key=lambda row: any(map(str.strip, row))):
        if not filled:
            continue
        run = list(group)
        tables = [row for row in above[-_SAMPLE:] if not _is_title(row)]
        if len(tables) > 1 and (_width(run) != _width(tables) or _header_rows(run, [False] * len(run))):
            yield ()
            above = []
        above += run
        yield from run


def _width(rows: Sequence[Row]) -> int:
    """Of most rows, how many cells there are to the last that holds anything."""
    widths = (max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0) for row in rows[:_SAMPLE])
    return Counter(widths).most_common(1)[0][0]


def blocks(
    rows: Sequence[Row],
    bold: frozenset[tuple[int, int]] = frozenset(),
    remarks: Mapping[tuple[int, int], str] = MappingProxyType({}),
) -> tuple[Block, ...]:
    """The blocks of a sheet. `bold` and `remarks`, what is noted on a cell, are told by (row, column), from 0.

    Blank rows part tables, and so do blank columns where what stands beside them is a table of its own. A line of one
    cell above a table, without a blank one between, is its caption; below, alone or where it is a sentence, it is a
    paragraph. A table without a header of its own goes on with the one above it, if it is as wide. A remark stands in
    brackets behind its cell, on a name of a column below the table.
    """
    width = max(map(len, rows), default=0)
    cells = [(*row, *[""] * (width - len(row))) for row in rows]
    return tuple(_blocks(_Sheet(cells, bold, remarks), range(len(cells)), range(width), ()))


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The cells, each row as wide as the others, which of them are bold, and what is noted on them."""

    cells: Sequence[Row]
    bold: frozenset[tuple[int, int]]
    remarks: Mapping[tuple[int, int], str]

    def row(self, at: int, columns: Sequence[int], *, noted: bool = False) -> Row:
        cells = self.cells[at]
        if not noted or not self.remarks:
            return tuple(cells[column] for column in columns)
        noted_cells = ((cells[column], self.remarks.get((at, column))) for column in columns)
        return tuple(f"{cell} ({remark})" if remark and cell else remark or cell for cell, remark in noted_cells)

    def is_filled(self, at: int, columns: Sequence[int]) -> bool:
        return any(self.cells[at][column].strip() for column in columns)


def _blocks(sheet: _Sheet, lines: Sequence[int], columns: Sequence[int], above: Sequence[str]) -> list[Block]:
    """The blocks of an area of a sheet, whose first table has the titles `above` over its own."""
    found: list[Block] = []
    header: Row = ()
    for filled, group in groupby(lines, key=lambda at: sheet.is_filled(at, columns)):
        run = list(group)
        if not filled:
            continue
        # The lines of one cell, alone or merged over several, above the first row of several.
        first = sum(1 for _ in takewhile(lambda at: _is_title(sheet.row(at, columns)), run))
        first = 0 if first == len(run) else first
        areas = _side_by_side(sheet, run, first, columns)
        if len(areas) > 1:
            shared = first if all(sheet.cells[at][columns[0]] for at in run[:first]) else 0
            titles = [*above, *(sheet.cells[at][columns[0]] for at in run[:shared])]
            found += [block for area in areas for block in _blocks(sheet, run[shared:], area, titles)]
            header, above = (), ()
            continue
        titles = [*above, *(next(filter(None, sheet.row(at, columns, noted=True))) for at in run[:first])]
        body = run[first:]
        only_lines = len(columns) > 1 and all(_is_title(sheet.row(at, columns)) for at in run)
        if only_lines or (len(body) < 2 and not header):
            found += [Block("paragraph", " ".join(filter(None, sheet.row(at, columns, noted=True)))) for at in run]
            continue
        above = ()
        kept = [column for column in columns if any(sheet.cells[at][column].strip() for at in body)]
        plain = [sheet.row(at, kept) for at in body]
        is_bold = [all((at, column) in sheet.bold for column in kept if sheet.cells[at][column]) for at in body]
        count = _header_rows(plain, is_bold)
        cells = [*plain[:count], *(sheet.row(at, kept, noted=True) for at in body[count:])]
        named = count
        if not count and len(cells[0]) == len(header):
            cells, count = [header, *cells], 1
        table = with_header(cells, marked=count)
        header = cells[0] if count == 1 else ()
        notes = [title for title in titles if title.endswith(".")]
        found += [Block("paragraph", note) for note in notes]
        found.append(Block("table", " – ".join(title for title in titles if title not in notes), rows=table))
        found += [
            Block("paragraph", f"{sheet.cells[at][column]}: {sheet.remarks[at, column]}")
            for at in body[:named]
            for column in kept
            if (at, column) in sheet.remarks
        ]
    return found


def _side_by_side(sheet: _Sheet, run: Sequence[int], first: int, columns: Sequence[int]) -> list[list[int]]:
    """The columns of each table among rows without a blank one between, of which `first` are titles above them all."""
    filled = [column for column in columns if any(sheet.cells[at][column].strip() for at in run[first:])]
    spans: list[list[int]] = []
    for column in filled:
        if spans and spans[-1][-1] == column - 1:
            spans[-1].append(column)
        else:
            spans.append([column])
    areas = spans[:1]
    for span in spans[1:]:
        if _is_apart(sheet, run[first:], areas[-1], span):
            areas.append(span)
        else:  # a blank column for the eye
            areas[-1] = [*areas[-1], *span]
    return areas


def _is_apart(sheet: _Sheet, run: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether what stands right of a blank column is a table of its own: it begins with names of columns and a column
    of words, and is a table whole or has other rows than what stands left of it, each without a gap."""
    rows, others = ([at for at in run if sheet.is_filled(at, side)] for side in (right, left))
    if min(len(rows), len(others)) < 2:
        return False
    under_title = next((row for row in rows if not _is_title(sheet.row(row, right))), rows[0])
    names = sheet.row(under_title if len(right) > 1 else rows[0], right)
    below = [cell for at in rows if at > under_title and (cell := sheet.cells[at][right[0]].strip())]
    words = [cell for cell in below if not _is_figure(cell)]
    if any(map(_is_figure, names)) or not all(names) or 2 * len(words) < len(below):
        return False
    if min(len(left), len(right)) > 1:
        return True
    gapless = all(each[-1] - each[0] + 1 == len(each) for each in (rows, others))
    return gapless and (rows[0], rows[-1]) != (others[0], others[-1])


def _is_title(row: Row) -> bool:
    cells = set(filter(None, row))
    return len(cells) == 1 and max(map(len, cells)) <= 2 * _LONGEST_NAME


def _header_rows(rows: Sequence[Row], marked: Sequence[bool]) -> int:
    """How many of the first rows are names for the columns: those that are marked; else the first, if it is all names
    and a column below it holds figures, or if it has more than two names."""
    count = next((at for at, is_marked in enumerate(marked) if not is_marked), len(rows))
    if 0 < count < min(len(rows), 4):
        return count
    names = [cell.strip() for cell in rows[0]]
    if len(rows) < 2 or any(map(_is_figure, names)) or any(len(name) > _LONGEST_NAME for name in names):
        return 0
    named = list(filter(None, names))
    told_apart = len(set(named)) == len(named) > 1
    figures = any(_is_figure(row[at]) for row in rows[1:20] for at in range(len(names)) if names[at])
    return int(told_apart and all(names[1:]) and (figures or len(names) > 2))


def _is_figure(text: str) -> bool:
    """Whether a cell holds an amount, a date or a yes or no, and no name."""
    return _FIGURE.fullmatch(text.strip()) is not None
