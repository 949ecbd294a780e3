"""CSV files in any of the usual encodings and with any of the usual delimiters. Knows no other format."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from trag.errors import TragError
from trag.ingest.blocks import Reading
from trag.ingest.parse.characters import decode
from trag.ingest.parse.sheets import COLUMNS, ROWS, blocks

_DELIMITERS = ",;\t|"
_SAMPLE = 50  # rows by which the delimiter is chosen


def parse(content: bytes) -> Reading:
    """A CSV file, of which the first ROWS rows are read. Raises TragError for a field without an end."""
    text, notes = decode(content)
    text = text.replace("\0", "")
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep="):  # Excel's own way to name the delimiter
        delimiter, text = first.strip()[4:5] or "\t", f"\n{rest}"  # the lines keep their numbers
    else:
        delimiter = _delimiter(text)
    try:
        filled = (row for row in _closed(text, delimiter) if any(map(str.strip, row)))  # it is one table
        rows = [tuple(row[:COLUMNS]) for row in islice(filled, ROWS + 1)]
    except csv.Error as error:
        hint = 'Look for a quotation mark that is not closed; inside a quoted cell, write " twice.'
        raise TragError(f"is a damaged CSV file ({error}).", hint) from error
    if len(rows) > ROWS:
        rows, notes = rows[:ROWS], (*notes, f"only the first {ROWS:,} rows read")
    return Reading("CSV", blocks(rows), notes=notes)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


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


def _delimiter(text: str) -> str:
    """The one by which most of the first rows have the same number of cells, more than one."""

    def agreement(delimiter: str) -> tuple[int, int]:
        try:
            widths = Counter(len(row) for row in islice(_rows(text[:100_000], delimiter), _SAMPLE))
        except csv.Error:
            return 0, 0
        del widths[1]
        width, rows = max(widths.items(), key=lambda each: (each[1], each[0]), default=(0, 0))
        return rows, width

    return max(_DELIMITERS, key=agreement)
