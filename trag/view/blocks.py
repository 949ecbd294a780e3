"""A document as one reads it: its headings, paragraphs, lists and tables, with what is looked for marked in its place.

Blocks, a passage that was cut from them, the sentences that it bears out -> DocumentView. The passage is found again by
its words: a paragraph has them or is among them, a row of a table says them in the sentence that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from store.passage import Passage
from trag.ingest.reading import Block
from trag.table_rows import row_words
from trag.view.marks import Span, supporting
from trag.view.views import Piece

AROUND = 200
"""Lines, each a paragraph, an item or a row, that are shown before and after the passage."""
_SURE = 0.3  # of a passage's characters: a table's rows repeat their caption in it
_WHOLE = 20  # characters of a line that tells where a passage goes on within a paragraph

Kind = Literal["heading", "paragraph", "item", "table"]


@dataclass(frozen=True, slots=True)
class Line:
    """A heading, a paragraph, an item or a row of a table, in its cells, of which others than a row have one. `level`
    is 1 for the highest heading of the document, and for an item of no list in a list. `here`: the passage has it."""

    cells: tuple[tuple[Piece, ...], ...]
    level: int = 1
    here: bool = False

    @property
    def marked(self) -> bool:
        return any(piece.mark for cell in self.cells for piece in cell)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one kind that follow each other; of a table with its `header`, () where it has none. `page` is given
    where another one begins; `ocr`: a program has read them off a picture."""

    kind: Kind
    lines: tuple[Line, ...]
    header: tuple[str, ...] = ()
    page: int | None = None
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document; `before` and `after` count the lines that are not shown. `place` is the line to open at,
    the first that is marked or else the first of the passage, None where no passage was asked for."""

    parts: tuple[Part, ...]
    place: Line | None
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class _Said:
    """A line of a block: its cells, and the words by which passages say it, for a long row in several sentences."""

    block: int
    kind: Kind
    level: int
    page: int | None
    ocr: bool
    cells: tuple[str, ...]
    said: tuple[str, ...]


def document(
    blocks: Sequence[Block], passage: Passage | None = None, support: Sequence[str] = (), *, around: int = AROUND
) -> DocumentView | None:
    """The beginning of a document, or a passage with the words of `support` marked, and what is around it; None where
    the blocks do not have the passage."""
    lines = [*_lines(blocks)]
    first, last = (0, -1) if passage is None else _place(lines, passage)
    if passage is not None and last < first:
        return None
    spans = supporting(passage.text, support) if passage else ()
    start, end = max(0, first - around), max(last, first) + around + 1
    shown = [
        (each, _line(each, passage, spans) if passage and first <= at <= last else _line(each, None, ()))
        for at, each in enumerate(lines[start:end], start)
    ]
    here = [line for _, line in shown if line.here]
    place = next((line for line in here if line.marked), here[0] if here else None)
    return DocumentView(tuple(_parts(shown, blocks)), place, start, max(0, len(lines) - end))


def _lines(blocks: Sequence[Block]) -> Iterator[_Said]:
    levels = sorted({block.level for block in blocks if block.kind == "heading"})
    for at, block in enumerate(blocks):
        if block.kind == "table":
            header, *body = block.rows
            for row in body:
                if any(row):
                    said = tuple(f"{words}." for words in row_words(header, row))
                    yield _Said(at, "table", 1, block.page, block.ocr, row, said)
        elif block.text.strip():
            level = levels.index(block.level) + 1 if block.kind == "heading" else max(block.level, 1)
            yield _Said(at, block.kind, level, block.page, block.ocr, (block.text,), (block.text,))


def _place(lines: Sequence[_Said], passage: Passage) -> tuple[int, int]:
    """The first and the last line of a passage: the stretch below one heading that has most of its words, where several
    have as many the one below its own heading; (0, -1) where none has enough."""
    own, heading = passage.section.rpartition(" > ")[2], ""
    best, most, first, found = (0, -1), (0, False), 0, 0
    for at, each in enumerate(lines):
        shares = 0 if each.kind == "heading" else max(_shared(said, passage.text) for said in each.said)
        if not shares:
            found = 0
            heading = each.cells[0] if each.kind == "heading" else heading
            continue
        first = first if found else at
        found += shares
        if (found, heading == own) > most:
            best, most = (first, at), (found, heading == own)
    return best if most[0] >= _SURE * len(passage.text) else (0, -1)


def _shared(said: str, passage: str) -> int:
    """How many characters a line shares with a passage that has it whole or goes on in it."""
    if said in passage:
        return len(said)
    return max((len(line) for line in passage.split("\n") if len(line) >= _WHOLE and line in said), default=0)


def _line(line: _Said, passage: Passage | None, spans: Sequence[Span]) -> Line:
    if passage is None:
        return Line(tuple((Piece(cell),) for cell in line.cells), line.level)
    cells: list[tuple[Piece, ...]] = []
    inside = [(said, _inside(said, passage.text, spans)) for said in line.said]
    for cell in line.cells:
        words = cell.replace("\n", ", ").rstrip(".") if line.kind == "table" else cell
        marks = {
            (max(start, at) - at, min(end, at + len(words)) - at)
            for said, found in inside
            if words and (at := said.find(words)) >= 0
            for start, end in found
            if start < at + len(words) and end > at
        }
        cells.append(tuple(_pieces(words if marks else cell, sorted(marks))))
    return Line(tuple(cells), line.level, here=True)


def _inside(said: str, passage: str, spans: Sequence[Span]) -> list[Span]:
    """The spans of a passage as they are in a line of it."""
    found: list[Span] = []
    for words in (said, *(line for line in passage.split("\n") if len(line) >= _WHOLE)):
        there, here = passage.find(words), said.find(words)
        if there >= 0 and here >= 0:
            found += [
                (max(start - there, 0) + here, min(end - there, len(words)) + here)
                for start, end in spans
                if start < there + len(words) and end > there
            ]
            if words is said:
                break
    return found


def _pieces(text: str, marks: Sequence[Span]) -> Iterator[Piece]:
    at = 0
    for start, end in marks:
        if start > at:
            yield Piece(text[at:start])
        if end > max(start, at):
            yield Piece(text[max(start, at) : end], "support")
        at = max(at, end)
    if at < len(text):
        yield Piece(text[at:])


def _parts(shown: Sequence[tuple[_Said, Line]], blocks: Sequence[Block]) -> Iterator[Part]:
    page: int | None = None

    def together(each: tuple[_Said, Line]) -> tuple[Kind, int, int | None, bool]:
        said = each[0]
        return said.kind, -1 if said.kind == "item" else said.block, said.page, said.ocr

    for (kind, block, on, ocr), group in groupby(shown, together):
        header = blocks[block].rows[0] if kind == "table" else ()
        lines = tuple(line for _, line in group)
        yield Part(kind, lines, header if any(header) else (), on if on != page else None, ocr)
        page = on
