"""Sheets of cells: CSV files, and the title lines and tables, with their header rows, of any sheet."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, takewhile

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
        filled = (row for row in _closed(text, delimiter) if any(map(str.strip, row)))  # it is one table
        rows = [tuple(row[:COLUMNS]) for row in islice(filled, ROWS + 1)]
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


def blocks(rows: Sequence[Row], marked: frozenset[int] = frozenset()) -> tuple[Block, ...]:
    """The blocks of a sheet. `marked` are the indices of rows that the file shows as a header, such as bold ones.

    Blank rows part tables. A line of one cell above a table, without a blank one between, is its caption; below, alone
    or where it is a sentence, it is a paragraph. A table without a header of its own goes on with the one above it, if
    it is as wide.
    """
    found: list[Block] = []
    header: Row = ()
    for filled, group in groupby(enumerate(rows), key=lambda each: any(cell.strip() for cell in each[1])):
        run = list(group)
        if not filled:
            continue
        # The lines of one cell, alone or merged over several, above the first row of several.
        titles = [next(filter(None, row)) for _, row in takewhile(lambda each: _is_title(each[1]), run)]
        body = run[len(titles) :] or run
        titles = titles if len(titles) < len(run) else []
        only_lines = all(len(row) > 1 and _is_title(row) for _, row in run)
        if only_lines or (len(body) < 2 and not header):
            found += [Block("paragraph", " ".join(filter(None, row))) for _, row in run]
            continue
        width = max(len(row) for _, row in body)
        padded = [(*row, *[""] * (width - len(row))) for _, row in body]
        kept = [at for at in range(width) if any(row[at].strip() for row in padded)]
        cells: list[Row] = [tuple(row[at] for at in kept) for row in padded]
        count = _header_rows(cells, [index in marked for index, _ in body])
        if not count and len(cells[0]) == len(header):
            cells, count = [header, *cells], 1
        table = with_header(cells, marked=count)
        header = cells[0] if count == 1 else ()
        notes = [title for title in titles if title.endswith(".")]
        found += [Block("paragraph", note) for note in notes]
        found.append(Block("table", " – ".join(title for title in titles if title not in notes), rows=table))
    return tuple(found)


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
