"""Plain text: paragraphs, lists, aligned tables, headings by underline or by their wording. Knows no other format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trag.ingest.blocks import Block, Reading
from trag.ingest.parse.characters import decode
from trag.ingest.parse.headings import promote
from trag.ingest.parse.tables import with_header

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
_LONG_SPACE = re.compile(
    r"[^\S\n]{16,}"
)  # as much as says anything; a pattern that ends in spaces would crawl over more


def parse(content: bytes) -> Reading:
    """A text file in any of the usual encodings."""
    text, notes = decode(content)
    return Reading("text", blocks(text), notes=notes)


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of plain text. Blank lines part paragraphs; the line breaks within one are taken for wrapping."""
    return tuple(map(_unwrapped, promote(list(_marked(text)))))


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
    """The blocks with the headings that a mark gives away: "# Title", or a title underlined, perhaps overlined too."""
    text = _LONG_SPACE.sub(" " * 16, re.sub("\r\n?|[\f\u2028\u2029]", "\n", text))
    lines = [line.rstrip() for line in text.split("\n")]
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
        else:
            paragraph.append(line)
    yield from _paragraph(paragraph)


def _is_underlined(title: str, below: str) -> bool:
    row = len(_COLUMNS.split(title)) > 1
    return (
        not row and bool(_UNDERLINE.fullmatch(below)) and len(below) >= len(title) // 2 and not _RULE.fullmatch(title)
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
    for line in lines:
        text = line.strip()
        if BULLET.match(text) or (marks[_mark(line)] > 1 and _mark(line)):
            if part:
                yield _block(kind, level, part)
            kind, level, part = "item", 1 + (len(line) - len(line.lstrip())) // 2, []
        part.append(text)
    if part:
        yield _block(kind, level, part)


def _mark(line: str) -> str:
    """The kind of number that the line begins with ("1.", "1.1", "(a)"), "" without one."""
    match = NUMBER.match(line.strip())
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "1", match[0])).strip() if match else ""


def _block(kind: str, level: int, lines: Sequence[str]) -> Block:
    if kind == "item":
        return Block("item", BULLET.sub("- ", " ".join(lines), count=1), level)
    return Block("paragraph", "\n".join(lines))


def _table(lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The rows of lines that are aligned in columns, or parted by "|" or tabs; none when they are not."""
    if len(lines) < 2:
        return ()
    rows = tuple(tuple(_COLUMNS.split(line.strip().strip("|").strip())) for line in lines)
    parted = all("|" in line.strip() or "\t" in line.strip() for line in lines)
    sentences = any(cell.endswith((".", "!", "?")) for row in rows for cell in row[:-1])
    regular = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return rows if regular and (parted or (len(rows) > 2 and not sentences)) else ()


def _unwrapped(block: Block) -> Block:
    """A paragraph on one line, unless its lines were not wrapped: too short, as in an address, or each with an end."""
    if block.kind != "paragraph":
        return block
    lines = block.text.split("\n")
    if BULLET.match(block.text) or NUMBER.match(block.text):
        return replace(block, kind="item", level=1, text=BULLET.sub("- ", " ".join(lines), count=1))
    short = len(lines) > 2 and max(map(len, lines)) < 45
    ended = all(line.endswith((".", ";", ":", "!", "?")) for line in lines)
    return replace(block, text=("\n" if short or ended else " ").join(lines))
