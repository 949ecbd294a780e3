"""Headings, paragraphs, items and tables, from the lines on the pages of a PDF.

The outline that a PDF may hold says which lines are headings and how deep; else,
and below those, their size, their weight and their numbers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.lines import unwrapped, word_counts
from trag.ingest.parse.marks import BULLET, NUMBER
from trag.ingest.parse.pdf_lines import LARGER, Line, body_size
from trag.ingest.parse.pdf_tables import aligned_table
from trag.ingest.parse.tables import belongs_to_table, same_header, with_header
from trag.ingest.reading import Block

Titles = Mapping[int, Mapping[str, int]]
"""What a PDF's outline lists: by page, the depth of each title, from 0; titles as `folded` makes them."""

_Place = tuple[int, int]
"""A page, and about where a line begins on it."""
_TABLE = 500  # lines of the longest table that is looked for
_WRAPPED = 3  # lines of the longest heading
_INDENT = 20.0  # points
_BELOW = 100
"""What is added to the levels of headings that an outline does not list."""
_LETTERED = re.compile(r"\(([b-z])\)\s")
_HEADING_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*(?=[.)]?\s)")


def blocks(found: Sequence[Line], titles: Titles) -> tuple[Block, ...]:
    """The blocks of a document's lines."""
    read = tuple(_with_table_headers(_blocks(found, _outlined(found, titles))))
    if not any(block.kind == "heading" for block in read):
        read = promote(read)
    counts = word_counts(block.text for block in read)
    return tuple(
        replace(
            block,
            text=unwrapped(block.text, counts),
            rows=tuple(tuple(unwrapped(cell, counts) for cell in row) for row in block.rows),
        )
        for block in read
    )


def folded(title: str) -> str:
    """A title by its letters and figures alone, without the number before it: what outline and page have in common."""
    return re.sub(r"\W+", "", _HEADING_NUMBER.sub("", title, count=1)).casefold()


def _outlined(found: Sequence[Line], titles: Titles) -> dict[int, int]:
    """The depth of each line, by its index, that the outline lists; nothing where it lists few of its titles' pages."""
    depths: dict[int, int] = {}
    seen: set[tuple[int, str]] = set()
    for at, line in enumerate(found if titles else ()):
        on_page = titles.get(line.page, {})
        for count in range(1, _WRAPPED + 1):
            title = folded(" ".join(each.text for each in found[at : at + count]))
            if title in on_page and (line.page, title) not in seen:
                seen.add((line.page, title))
                depths.update(dict.fromkeys(range(at, at + count), on_page[title]))
                break
    return depths if 2 * len(seen) >= sum(map(len, titles.values())) else {}


def _with_table_headers(found: Iterator[Block]) -> Iterator[Block]:
    """The blocks, in which a table that goes on at the top of the next page has the header of its first part."""
    before: Block | None = None
    for block in found:
        goes_on = before is not None and before.kind == block.kind == "table" and before.page != block.page
        if goes_on and before is not None and len(before.rows[0]) == len(block.rows[0]) and any(before.rows[0]):
            header, *rows = block.rows
            if not any(header):
                rows = rows[1:] if same_header(before.rows[0], rows[0]) else rows
                block = replace(block, rows=(before.rows[0], *rows))
        before = block
        yield block


def _blocks(found: Sequence[Line], depths: Mapping[int, int]) -> Iterator[Block]:
    """The blocks of a document's lines. Paragraphs keep their line ends."""
    body = body_size(found)
    sizes = sorted({line.size for line in found if _is_larger(line, body)}, reverse=True)
    gaps = [_gap(above, line) for above, line in pairwise(found) if above.size == line.size == body]
    leading = min(median([gap for gap in gaps if 0 < gap < 2.5 * body] or [1.2 * body]), 1.6 * body)
    first = min(depths, default=0)
    edges: dict[_Place, float] = {}
    for line in (line for line in found if not line.words):
        edges[_place(line)] = max(edges.get(_place(line), 0.0), line.end)
    paragraph: list[Line] = []
    pictured: list[Block] = []
    """What was read off pictures that stand in the paragraph: it follows."""
    heading: tuple[Block, Line] | None = None
    index = 0
    while index < len(found):
        line = found[index]
        if line.words:
            if heading:
                yield heading[0]
            heading = None
            pictured += line.words
            index += 1
            continue
        table, used = line.rows, 1
        if not table and len(line.cells) > 1 and not line.hangs:
            table, used = aligned_table(found[index : index + _TABLE])
        if index in depths:
            level: int | None = 1 + depths[index]
        else:
            level = None if table else _heading_level(line, body, sizes)
            if level is not None and depths:
                level = level + _BELOW if index > first else 0
        wrapped = heading and level == heading[0].level and 0 < _gap(heading[1], line) < 1.6 * line.size
        if heading and (not wrapped or _HEADING_NUMBER.match(line.text)):
            yield heading[0]
            heading = None
        if table or level is not None or not paragraph or _begins(line, paragraph, leading, edges):
            yield from (*_paragraph(paragraph), *pictured)
            paragraph, pictured = [], []
        if level is not None:
            text = f"{heading[0].text} {line.text}" if heading else line.text
            heading = Block("heading", text, level, heading[0].page if heading else line.page), line
        elif table:
            yield Block("table", page=line.page, rows=with_header(table, marked=line.bold))
        else:
            paragraph.append(line)
        index += max(used, 1) if level is None else 1
    if heading:
        yield heading[0]
    yield from (*_paragraph(paragraph), *pictured)


def _paragraph(found: Sequence[Line]) -> Iterator[Block]:
    if found:
        text = "\n".join(line.text for line in found)
        item = BULLET.match(text) or NUMBER.match(text) or found[0].hangs
        yield Block("item" if item else "paragraph", BULLET.sub("- ", text, count=1), int(bool(item)), found[0].page)


def _place(line: Line) -> _Place:
    return line.page, round(line.x / _INDENT)


def _gap(above: Line, line: Line) -> float:
    """The distance down from one line to the next; none at all where a page or a column ends between them."""
    return above.y - line.y if above.page == line.page else float("-inf")


def _is_larger(line: Line, body: float) -> bool:
    return line.size >= LARGER * body and any(map(str.isalpha, line.text)) and len(line.text) <= LONGEST


def _heading_level(line: Line, body: float, sizes: Sequence[float]) -> int | None:
    """By size, then by the depth of its number; bold lines of the body's size come below. None for no heading."""
    if belongs_to_table(line.text):
        return None
    number = _HEADING_NUMBER.match(line.text)
    depth = number[0].count(".") if number else 0
    if _is_larger(line, body):
        return 1 + 10 * sizes.index(line.size) + depth
    if not line.bold or len(line.text) > LONGEST or line.text[-1] in ".,;:" or line.size < 0.95 * body:
        return None
    if (len(line.cells) > 1 and not number) or not any(map(str.isalpha, line.text)) or BULLET.match(line.text):
        return None
    return 1 + 10 * len(sizes) + depth


def _begins(line: Line, paragraph: Sequence[Line], leading: float, edges: Mapping[_Place, float]) -> bool:
    """Whether a line begins a paragraph of its own and does not go on with the one above; `edges` are where the longest
    of the lines end that begin at a place."""
    above = paragraph[-1]
    filled = above.end - above.x >= 0.75 * (edges.get(_place(above), 0.0) - above.x)
    ended = above.text[-1] in ".!?:;"
    in_list = paragraph[0].hangs or any(mark.match(paragraph[0].text) for mark in (BULLET, NUMBER))
    if BULLET.match(line.text) or line.hangs or abs(line.size - above.size) > 1.5:
        return True
    counted = _LETTERED.match(line.text)
    within = not ended and counted and any(f" ({chr(ord(counted[1]) - 1)}) " in each.text for each in paragraph)
    if NUMBER.match(line.text) and (ended or in_list) and not within:  # else "as in section" may stand above it
        return True
    gap = _gap(above, line)
    if gap <= 0:  # the next column or page
        return ended or not ((filled and len(paragraph) > 1) or line.text[0].islower() or line.text[0].isdigit())
    indented = line.x > above.x + 0.8 * line.size and ended and not in_list
    item = paragraph[0].cells[-1 if paragraph[0].hangs else 0]
    below_item = in_list and line.x < item.x - line.size
    return gap > 1.3 * leading or indented or ((ended or below_item) and not filled) or (ended and below_item)
