"""PDF: what `pdf_lines` finds on the pages, made into headings, paragraphs, items and simple tables, each with its
page.

Knows no other format. What is drawn as a picture is not read: the notes say on which pages nothing was.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from trag.errors import TragError
from trag.ingest.blocks import Block, Reading
from trag.ingest.parse.characters import listed
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.pdf_lines import Line, lines, rows, without_contents, without_running_lines
from trag.ingest.parse.tables import with_header
from trag.ingest.parse.text import BULLET, NUMBER

PAGES = 5_000
"""Pages that a file may have."""

_TABLE = 500  # lines of the longest table that is looked for
_HEADING_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*(?=[.)]?\s)")
_HYPHEN = re.compile(r"(\w+)-\n(\w+)")


def parse(content: bytes) -> Reading:
    """A PDF. Raises TragError when it is encrypted, damaged, has no page, or more than PAGES."""
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise TragError("is encrypted with a password.", "Save a copy without a password and ingest that.")
        count = len(reader.pages)
        if not 0 < count <= PAGES:
            raise TragError(f"has {count:,} pages; from 1 to {PAGES:,} are read.", "Split it into smaller files.")
        pages = [lines(page, number) for number, page in enumerate(reader.pages, 1)]
    except DependencyError as error:
        raise TragError("is encrypted.", "Save a copy without encryption and ingest that.") from error
    except (PyPdfError, ValueError, NotImplementedError) as error:
        raise TragError(
            f"is a damaged PDF ({error}).", "Open it in a PDF viewer, print it to a new PDF and ingest that."
        ) from error
    empty = [number for number, found in enumerate(pages, 1) if not found]
    notes = (f"{listed('page', empty)} without text (scanned?)",) if empty else ()
    blocks = tuple(_blocks(without_contents(without_running_lines(pages))))
    if not any(block.kind == "heading" for block in blocks):
        blocks = promote(blocks)
    words = Counter(word for block in blocks for word in re.findall(r"[\w-]+", block.text))
    return Reading("PDF", tuple(replace(block, text=_unwrapped(block.text, words)) for block in blocks), count, notes)


def _unwrapped(text: str, words: Counter[str]) -> str:
    """Lines joined to one. A hyphen at an end of line stays where the document writes the word with it elsewhere."""

    def word(match: re.Match[str]) -> str:
        first, second = match.groups()
        compound = second[0].isupper() or words[f"{first}-{second}"] or not (first.isalpha() and second.isalpha())
        return f"{first}-{second}" if compound and not words[first + second] else first + second

    return _HYPHEN.sub(word, text).replace("\n", " ")


def _blocks(found: Sequence[Line]) -> Iterator[Block]:
    """The blocks of a document's lines. Paragraphs keep their line ends as "\\n"."""
    body = _body_size(found)
    sizes = sorted({line.size for line in found if _is_larger(line, body)}, reverse=True)
    leading = _leading(found, body)
    paragraph: list[Line] = []
    heading: tuple[Block, Line] | None = None
    index = 0
    while index < len(found):
        line = found[index]
        table, used = rows(found[index : index + _TABLE]) if len(line.cells) > 1 else ((), 0)
        level = _heading_level(line, body, sizes) if not table else None
        if heading and not (level == heading[0].level and _wraps(heading[1], line)):
            yield heading[0]
            heading = None
        if table or level is not None or (paragraph and _begins(line, paragraph, leading)):
            yield from _paragraph(paragraph)
            paragraph = []
        if table:
            yield Block("table", page=line.page, rows=with_header(table, marked=line.bold))
        elif level is not None:
            text = f"{heading[0].text} {line.text}" if heading else line.text
            heading = Block("heading", text, level, heading[0].page if heading else line.page), line
        else:
            paragraph.append(line)
        index += max(used, 1)
    if heading:
        yield heading[0]
    yield from _paragraph(paragraph)


def _paragraph(found: Sequence[Line]) -> Iterator[Block]:
    if found:
        text = "\n".join(line.text for line in found)
        item = BULLET.match(text) or NUMBER.match(text)
        yield Block("item" if item else "paragraph", BULLET.sub("- ", text, count=1), int(bool(item)), found[0].page)


def _body_size(found: Sequence[Line]) -> float:
    """The size in which most characters are set."""
    sizes: Counter[float] = Counter()
    for line in found:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _leading(found: Sequence[Line], body: float) -> float:
    """The usual distance between lines of the body, in points."""
    gaps = [_gap(above, line) for above, line in pairwise(found) if above.size == line.size == body]
    return min(median([gap for gap in gaps if 0 < gap < 2.5 * body] or [1.2 * body]), 1.6 * body)


def _gap(above: Line, line: Line) -> float:
    """The distance down from one line to the next; none at all where a page or a column ends between them."""
    return above.y - line.y if above.page == line.page else float("-inf")


def _is_larger(line: Line, body: float) -> bool:
    return line.size >= 1.12 * body and any(map(str.isalpha, line.text)) and len(line.text) <= LONGEST


def _heading_level(line: Line, body: float, sizes: Sequence[float]) -> int | None:
    """By size, then by the depth of its number; bold lines of the body's size come below. None for no heading."""
    number = _HEADING_NUMBER.match(line.text)
    depth = number[0].count(".") if number else 0
    if _is_larger(line, body):
        return 1 + 10 * sizes.index(line.size) + depth
    if not line.bold or len(line.text) > LONGEST or line.text[-1] in ".,;:" or line.size < 0.95 * body:
        return None
    if (len(line.cells) > 1 and not number) or not any(map(str.isalpha, line.text)) or BULLET.match(line.text):
        return None
    return 1 + 10 * len(sizes) + depth


def _wraps(heading: Line, line: Line) -> bool:
    """Whether a line of a heading's kind goes on with the heading above it."""
    return 0 < _gap(heading, line) < 1.6 * line.size and not _HEADING_NUMBER.match(line.text)


def _begins(line: Line, paragraph: Sequence[Line], leading: float) -> bool:
    """Whether a line begins a paragraph of its own and does not go on with the one above."""
    above = paragraph[-1]
    ended = above.text[-1] in ".!?:;"
    in_list = any(mark.match(paragraph[0].text) for mark in (BULLET, NUMBER))
    if BULLET.match(line.text) or abs(line.size - above.size) > 1.5:
        return True
    if NUMBER.match(line.text) and (ended or in_list):  # else "as in section" may stand above it
        return True
    gap = _gap(above, line)
    if gap <= 0:  # the next column or page
        return ended or not (line.text[0].islower() or line.text[0].isdigit())
    indented = line.x > above.x + 0.8 * line.size and ended and not in_list
    return gap > 1.3 * leading or indented
