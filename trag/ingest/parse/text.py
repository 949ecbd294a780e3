"""Plain text: paragraphs, lists, aligned tables, headings by underline or by their wording. Knows no other format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from trag.ingest.blocks import Block, Reading
from trag.ingest.parse import hyphens
from trag.ingest.parse.characters import decode
from trag.ingest.parse.headings import is_title, promote
from trag.ingest.parse.tables import Row, with_header
from trag.ingest.parse.text_pages import one_text

BULLET = re.compile(r"\A[-*•‣◦▪–+]\s+(?=\S)")
NUMBER = re.compile(r"(?:\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+\.?|\(?[a-z]\)|\(?[ivx]{1,4}\)|\(\d{1,3}\))\s+(?=\S)")
"""The marks of unordered and of ordered items."""

_UNDERLINE = re.compile(r"([=\-~^*+#\"'`:._])\1{2,}")
_HASHES = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*")
_COLUMNS = re.compile(r"\s*\|\s*|\t+|\s{2,}")
_RULE = re.compile(r"[\s|+:=_*~-]+")
LEADER = re.compile(r"\s*(?:\.\s?){5,}")
"""The dots that lead from a title to its page, from a thing to its price, or over the place to write on in a form."""
_LED = re.compile(rf"(?<=[^\s.]){LEADER.pattern}")
_PAGE = re.compile(r"(\d{1,4})|[ivxlc]{1,7}", re.IGNORECASE)
_CONTENTS = re.compile(r"[\W\d]*(?:table of )?contents\W*", re.IGNORECASE)
_ENTRIES = 4
_BETWEEN = 6
"""The fewest entries of a table of contents, and the most lines from one to the next: the longest title, a part."""
_LONG_SPACE = re.compile(r"[^\S\n]{80,}")  # more than says anything; a pattern that ends in spaces would crawl over it
_CELL = re.compile(r"\S+(?: \S+)*")
_ASIDE = 20
"""Characters further to the right than the line above, from which on a line is set apart, as a signature is."""
_BAR = re.compile(r"([=*#-])\1{19,}")
"""A rule across the page, below which a part begins."""


def parse(content: bytes) -> Reading:
    """A text file in any of the usual encodings."""
    text, notes = decode(content)
    return Reading("text", blocks(text), notes=notes)


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of plain text. Blank lines part paragraphs; the line breaks within one are taken for wrapping."""
    text = one_text(re.sub("\r\n?|[\u2028\u2029]", "\n", text))
    written = hyphens.words([text])
    marked = [
        replace(block, text=hyphens.unwrapped(block.text, written)) if block.kind == "item" else block
        for block in _marked(text)
    ]
    return tuple(_unwrapped(block, written) for block in promote(marked))


def contents(lines: Sequence[str]) -> list[range]:
    """Where tables of contents stand among `lines`, each from its name, or else its first entry, to its last entry.

    An entry is a title that dots lead to nothing but a page. What tells a table of contents from a list of prices that
    rise is its name above it, or that most of its titles come again without the page.
    """
    entries = {at: entry for at, line in enumerate(lines) if (entry := _entry(line))}
    tables: list[list[int]] = []
    for at, (_, page) in entries.items():
        before = tables[-1][-1] if tables else at
        if tables and at - before <= _BETWEEN and entries[before][1] <= page:
            tables[-1].append(at)
        else:
            tables.append([at])
    titles = {_folded(line) for at, line in enumerate(lines) if at not in entries} if entries else set()
    found: list[range] = []
    for table in tables:
        above = range(max(0, table[0] - _BETWEEN), table[0])
        first = next((at for at in above if _CONTENTS.fullmatch(lines[at])), table[0])
        again = sum(_folded(entries[at][0]) in titles for at in table)
        if len(table) >= _ENTRIES and (first < table[0] or 2 * again >= len(table)):
            found.append(range(first, table[-1] + 1))
    return found


def _entry(line: str) -> tuple[str, int] | None:
    """The title and the page, 0 for a Roman one, of a line that may be of a table of contents; else None."""
    title, *rest = LEADER.split(line)
    page = _PAGE.fullmatch(rest[0].strip()) if len(rest) == 1 and title.strip() else None
    return (title, int(page[1] or 0)) if page else None


def _folded(title: str) -> str:
    return re.sub(r"\W+", "", title).casefold()


def _marked(text: str) -> Iterator[Block]:
    """The blocks with the headings that a mark gives away: "# Title", a title underlined, perhaps overlined too, or one
    over its text below a rule across the page."""
    lines = [line.rstrip() for line in _LONG_SPACE.sub(" " * 80, text).split("\n")]
    listed = {at for table in contents(lines) for at in table}
    # Beside what the dots lead to, a row has two columns.
    lines = [_LED.sub("  ", line).rstrip() for at, line in enumerate(lines) if at not in listed]
    underlines: dict[str, int] = {}
    paragraph: list[str] = []
    skip = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        title = line.strip()
        if skip or not title:
            yield from _paragraph(paragraph)
            paragraph = []
            skip = False
        elif hashes := _HASHES.fullmatch(title):
            yield from _paragraph(paragraph)
            paragraph = []
            yield Block("heading", hashes[2], len(hashes[1]))
        elif _is_underlined(title, below.strip()) and all(map(_UNDERLINE.fullmatch, map(str.strip, paragraph))):
            # Each kind of underline is a level of its own, in the order in which they appear.
            kind = f"{below.strip()[0]} {bool(paragraph)}"
            paragraph = []
            yield Block("heading", title, underlines.setdefault(kind, len(underlines) + 1))
            skip = True
        elif len(paragraph) == 1 and _BAR.fullmatch(paragraph[0]) and _is_title_over(title, below.strip()):
            kind = f"{paragraph[0][0]} over"
            paragraph = []
            yield Block("heading", " ".join(title.split()), underlines.setdefault(kind, len(underlines) + 1))
        else:
            paragraph.append(line)
    yield from _paragraph(paragraph)


def _is_underlined(title: str, below: str) -> bool:
    row = len(_COLUMNS.split(title)) > 1
    return (
        not row and bool(_UNDERLINE.fullmatch(below)) and len(below) >= len(title) // 2 and not _RULE.fullmatch(title)
    )


def _is_title_over(title: str, below: str) -> bool:
    """Whether a line is worded as a title and the one below it is text, and no row of a table."""
    return (
        is_title(title)
        and title[-1] not in ".,;:"
        and bool(below)
        and len(_COLUMNS.split(below)) == 1
        and not _RULE.fullmatch(below)
    )


def _paragraph(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of lines with no blank one between them."""
    ruled = any(map(_RULE.fullmatch, lines))
    lines = [line for line in lines if not _RULE.fullmatch(line)]
    for start in (0, 1):  # a line above a table may name it
        if rows := _table(lines[start:]):
            if start:
                yield Block("paragraph", lines[0].strip())
            yield Block("table", rows=with_header(rows, marked=ruled))
            return
    # One numbered line may be a heading, which `promote` decides; several of a kind are a list.
    marks = Counter(map(_mark, lines))
    kind, level, part = "paragraph", 0, list[str]()
    first = above = 0
    for line in lines:
        text = " ".join(line.split())
        indent = len(line) - len(line.lstrip())
        item = BULLET.match(text) or (marks[_mark(line)] > 1 and _mark(line))
        # A line beside the list goes on with no item of it that has ended.
        after_list = kind == "item" and indent < first and part[-1].endswith((".", "!", "?", ";"))
        aside = bool(part) and above < _ASIDE // 2 and indent >= above + _ASIDE
        if item or after_list or aside:
            if part:
                yield _block(kind, level, part)
            kind, level, part = ("item", 1 + indent // 2, []) if item else ("paragraph", 0, [])
            first = indent
        part.append(text)
        above = indent
    if part:
        yield _block(kind, level, part)


def _mark(line: str) -> str:
    """The kind of number that the line begins with ("1.", "1.1", "(a)"), "" without one."""
    match = NUMBER.match(line.strip())
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "1", match[0])).strip() if match else ""


def _block(kind: str, level: int, lines: Sequence[str]) -> Block:
    if kind == "item":
        return Block("item", BULLET.sub("- ", "\n".join(lines), count=1), level)
    return Block("paragraph", "\n".join(lines))


def _table(lines: Sequence[str]) -> tuple[Row, ...]:
    """The rows of lines that are aligned in columns, or parted by "|" or tabs; none when they are not."""
    if len(lines) < 2:
        return ()
    rows = tuple(tuple(_COLUMNS.split(line.strip().strip("|").strip())) for line in lines)
    parted = all("|" in line.strip() or "\t" in line.strip() for line in lines)
    if not parted:
        rows = _aligned(lines, rows)
    sentences = any(len(cell.split()) > 2 and cell.endswith((".", "!", "?")) for row in rows for cell in row[:-1])
    regular = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return rows if regular and (parted or (len(rows) > 2 and not sentences)) else ()


def _aligned(lines: Sequence[str], rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows, where those with fewer cells than most are cut at the columns of the others: a cell may be empty, or so
    long that one space alone parts it from the next. A line under the last columns alone goes on with the row above."""
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width < 2 or count == len(rows) or 2 * count < len(rows) or len(rows[0]) != width:
        return rows
    placed = [[cell.start() for cell in _CELL.finditer(line)] for line in lines]
    full = [starts for starts, row in zip(placed, rows, strict=True) if len(row) == width]
    if any(len(starts) != width for starts in full):
        return rows
    starts = [Counter(column).most_common(1)[0][0] for column in zip(*full, strict=True)]
    whole: list[Row] = []
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            if not all(line[at - 1 : at].isspace() or not line[at:] for at in starts[1:]):
                return rows
            row = tuple(line[start:end].strip() for start, end in pairwise([*starts, None]))
            if not all(line[at : at + 1].strip() for at, cell in zip(starts, row, strict=True) if cell):
                return rows
        if row[0] or not whole:
            whole.append(row)
        else:
            whole[-1] = tuple(" ".join(filter(None, cells)) for cells in zip(whole[-1], row, strict=True))
    return tuple(whole)


def _unwrapped(block: Block, written: Counter[str]) -> Block:
    """A paragraph on one line, unless its lines were not wrapped: too short, as in an address, or each with an end."""
    if block.kind != "paragraph":
        return block
    lines = block.text.split("\n")
    if BULLET.match(block.text) or NUMBER.match(block.text):
        text = hyphens.unwrapped(block.text, written)
        return replace(block, kind="item", level=1, text=BULLET.sub("- ", text, count=1))
    short = len(lines) > 2 and max(map(len, lines)) < 45
    ended = all(line.endswith((".", ";", ":", "!", "?")) for line in lines)
    return block if short or ended else replace(block, text=hyphens.unwrapped(block.text, written))
