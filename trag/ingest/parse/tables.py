"""Tables as rows of cells, whatever the format: which rows are a header, and which line beside a table its caption.

A merged cell is expected to stand in every place that it reaches over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from trag.ingest.reading import Block

Row = tuple[str, ...]

_LONGEST_NAME = 60
_FIGURE = re.compile(r"[-+(]?(?:[$€£¥]|[A-Z]{3} |Rs\. )?\d")
_PERIOD = re.compile(r"(?:FY ?|in )?(?:1[89]|20|21)\d\d(?:[/–-]\d{2,4})?|(?:Q[1-4]|H[12])(?: ?(?:FY ?)?\d{2,4})?", re.I)

_LONGEST_CAPTION = 200
_CAPTION = re.compile(
    r"(?:[Tt]able|TABLE|Tab\.|Tabelle|Tableau|Tabla|Tabella)\s*"
    r"(?:[A-Z]?\d[\w.]*\s*(?:[.:–—-]|\(|$|\s[A-Z])|(?:[A-Z]|[IVX]{1,5})\s*[.:–—]\s+\S)"
)
_NUMBER = re.compile(r"[\d.]+\s+")
_UNIT = re.compile(
    r"\(?(?:all\s+)?(?:(?:amounts|figures|values|numbers|sums)\s+)?(?:are\s+)?in\s[^.;]{2,60}\)?\.?", re.IGNORECASE
)


def with_header(rows: Sequence[Sequence[str]], *, marked: int) -> tuple[Row, ...]:
    """The rows that hold anything, all equally long, below one header row.

    `marked` is the number of first rows that the file says are the header (True for 1); with 0 it is what looks like
    one, else an empty row. Two header rows become one ("2025 Budget"). A row that is one cell from side to side names
    the rows below it: it becomes their first cell, under an empty name. A name that a first column holds once for
    several rows is put in all of them. Two columns without a mark are taken for names and values, one pair a row.
    """
    filled = _filled(rows)
    if not filled:
        return ()
    width = len(filled[0])
    group = ""
    while len(filled) > 1 and _is_one_cell(filled[0]):
        group = f"{group} – {filled[0][0]}" if group else filled[0][0]
        filled, marked = filled[1:], max(marked - 1, 0)
    count = min(max(marked, _header_rows(filled, marked=marked)), len(filled))
    header = _combined(filled[:count]) if count else ("",) * width
    grouped: list[Row] = []
    for across, run in groupby(filled[count:], key=lambda row: _is_one_cell(row) and len(filled) > 2):
        if across:
            group = list(run)[-1][0]
        else:
            grouped += [(group, *row) for row in _carried_down(list(run))]
    if any(row[0] for row in grouped):
        return (("", *header), *grouped)
    return (header, *(row[1:] for row in grouped))


def transposed(rows: Sequence[Sequence[str]]) -> tuple[Row, ...]:
    """Rows for columns: a table whose first column is its header, with one record a column."""
    return tuple(zip(*_filled(rows), strict=True))


def is_layout(cells: Sequence[Sequence[str]], holding: Sequence[Sequence[bool]]) -> bool:
    """Whether a table only sets things side by side: it is one cell, or it has cells that hold more than text (a table,
    a heading over something) and is one row or one column, or has no row of names on top and most of its words in one
    such cell."""
    if sum(map(len, cells)) < 2:
        return True
    held = [
        text for row, marks in zip(cells, holding, strict=True) for text, mark in zip(row, marks, strict=True) if mark
    ]
    if not held:
        return False
    if len(cells) == 1 or max(map(len, cells)) == 1:
        return True
    names = [cell.strip() for cell in cells[0]]
    if len(names) > 1 and _are_names(names) and not any(holding[0]):
        return False
    return 2 * max(map(len, held)) > sum(len(text) for row in cells for text in row)


def as_lines(rows: Sequence[Sequence[str]]) -> str:
    """A table within a cell of another as text, a line a row: "normal: EUR 12"."""
    if not (said := with_header(rows, marked=0)):
        return ""
    header, *body = said
    named = any(header)
    lines = (
        ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, row, strict=True) if cell)
        if named
        else ": ".join(filter(None, (row[0], ", ".join(filter(None, row[1:])))))
        for row in body
    )
    return "\n".join(line.replace("\n", " ") for line in lines)


def same_header(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two rows are the same header, as at the top of each page of a long table."""
    return any(first) and ["".join(cell.split()) for cell in first] == ["".join(cell.split()) for cell in second]


def _filled(rows: Sequence[Sequence[str]]) -> list[Row]:
    width = max(map(len, rows), default=0)
    return [(*row, *[""] * (width - len(row))) for row in rows if any(cell.strip() for cell in row)]


def _carried_down(rows: Sequence[Row]) -> list[Row]:
    """The rows, where the first columns name groups only once, each in its first row, with those names in all rows.

    The names are words or numbers and no ticks, none of them there twice, and a good part of the rows has none. Rows
    without one have all a cell in the same further column. One at the very end may be the total of all, and stays as
    it is.
    """
    blank = [at for at, row in enumerate(rows) if not row[0].strip()]
    key = next((at for at in range(1, len(rows[0])) if all(rows[place][at].strip() for place in blank)), 0)
    if not key or not blank or (blank == [len(rows) - 1] and (len(rows) > 2 or _FIGURE.match(rows[-1][key].strip()))):
        return list(rows)
    found = [list(row) for row in rows]
    for at in range(key):
        cells = [row[at].strip() for row in rows]
        above = [row[:at] for row in found]  # a name holds no further than that of the larger group
        names = [(tuple(before), cell) for before, cell in zip(above, cells, strict=True) if cell]
        blanks = cells.count("")
        if not cells[0] or 4 * blanks < len(rows) or len(set(names)) < len(names):
            break
        if not all(any(map(str.isalnum, cell)) for _, cell in names) or (len(names) == 1 and len(cells[0]) == 1):
            break  # ticks
        for place in range(1, len(found)):
            if not cells[place] and above[place] == above[place - 1]:
                found[place][at] = found[place - 1][at]
    return [tuple(row) for row in found]


def _is_one_cell(row: Row) -> bool:
    return len(row) > 2 and len(set(row)) == 1 and len(row[0]) <= 2 * _LONGEST_NAME


def _header_rows(rows: Sequence[Row], *, marked: int) -> int:
    """How many of the first rows look like a header, 0 to 2; a marked first row may have the second belong to it.

    One is short names, each once, without figures but for years and quarters, or else all over one column of figures.
    """
    if len(rows) < 2 or len(rows[0]) < 3:
        return 0
    merged = any(cell and cell == after for cell, after in pairwise(rows[0]))
    if marked < 2 and merged and len(rows) > 2 and _is_header(_combined(rows[:2])):
        return 2
    names, *body = [[cell.strip() for cell in row] for row in rows]
    figures = len(body) > 1 and any(all(map(_FIGURE.match, column)) for column in list(zip(*body, strict=True))[1:])
    over_figures = figures and all(name[:1].isalpha() for name in names[1:])
    return int(_is_header(rows[0]) or (over_figures and _are_names(names)))


def _is_header(cells: Row) -> bool:
    names = [cell.strip() for cell in cells]
    return _are_names(names) and not any(any(map(str.isdigit, _PERIOD.sub("", name))) for name in names[1:])


def _are_names(names: Sequence[str]) -> bool:
    """Whether cells are short and each there once; the first may be empty."""
    return all(names[1:]) and len(set(names)) == len(names) and max(map(len, names)) <= _LONGEST_NAME


def _combined(rows: Sequence[Row]) -> Row:
    """One header of several rows; a cell that reaches down over them is named once."""
    return tuple(
        " ".join(dict.fromkeys(filter(None, (cell.strip() for cell in column)))) for column in zip(*rows, strict=True)
    )


def belongs_to_table(line: str) -> bool:
    """Whether a line that stands alone is a caption or a unit in brackets, however much it looks like a heading."""
    return _CAPTION.match(line) is not None or (line.startswith("(") and _UNIT.fullmatch(line) is not None)


def with_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks, where a caption ("Table 3: Budget"), and a unit that stands alone ("in thousand EUR"), have
    become the text of their table.

    A caption stands above its table or, where none does, below. The part of a table on the next page, under the same
    header, has the caption of the first.
    """
    found: list[Block] = []
    waiting = iter(range(len(blocks)))
    for at in waiting:
        block = blocks[at]
        if block.kind != "table":
            found.append(block)
            continue
        caption = block.text or _take_caption(found)
        below = blocks[at + 1] if at + 1 < len(blocks) else None
        of_next = at + 2 < len(blocks) and blocks[at + 2].kind == "table"
        if not caption and below is not None and not of_next and _is_short(below) and _CAPTION.match(below.text):
            caption = below.text
            next(waiting)
        before = found[-1] if found else None
        if not caption and before is not None and before.kind == "table" and before.page != block.page:
            caption = before.text if same_header(before.rows[0], block.rows[0]) else ""
        found.append(replace(block, text=caption.rstrip(".").replace("\n", " ")))
    return tuple(found)


def _take_caption(found: list[Block]) -> str:
    """The caption above a table, and the unit beside it; both are taken off `found`."""
    unit = found.pop().text if found and _is_short(found[-1]) and _UNIT.fullmatch(found[-1].text) else ""
    if found and _is_short(found[-1]) and _CAPTION.match(found[-1].text):
        return f"{found.pop().text} {unit}".strip()
    if unit and found and found[-1].kind == "heading":
        return f"{_NUMBER.sub('', found[-1].text, count=1)} {unit}"
    return unit


def _is_short(block: Block) -> bool:
    return block.kind == "paragraph" and len(block.text) <= _LONGEST_CAPTION
