"""Plain text: pages made one text, paragraphs, lists, aligned tables, headings by underline or by their wording."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from trag.ingest.parse.characters import decode
from trag.ingest.parse.headings import is_title, promote
from trag.ingest.parse.lines import (
    LEADER,
    PART,
    EdgeLine,
    contents_lines,
    running_lines,
    unwrapped,
    word_counts,
)
from trag.ingest.parse.marks import BULLET, NUMBER
from trag.ingest.parse.tables import Row, with_header
from trag.ingest.reading import Block, Reading

_UNDERLINE = re.compile(r"([=\-~^*+#\"'`:._])\1{2,}")
_HASHES = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*")
_COLUMNS = re.compile(r"\s*\|\s*|\t+|\s{2,}")
_RULE = re.compile(r"[\s|+:=_*~-]+")
_LED = re.compile(rf"(?<=[^\s.]){LEADER.pattern}")
_LONG_SPACE = re.compile(r"[^\S\n]{80,}")  # more than says anything; a pattern that ends in spaces would crawl over it
_CELL = re.compile(r"\S+(?: \S+)*")
_ASIDE = 20
"""Characters further to the right than the line above, from which on a line is set apart, as a signature is."""
_BAR = re.compile(r"([=*#-])\1{19,}")
"""A rule across the page, below which a part begins."""

_EDGE = 3
"""Lines of a header or a footer; a blank line parts it from the text."""
_PART_TITLE = re.compile(rf"\d+(?:\.\d+)*[.)]?\s+[A-Z]|(?i:{PART})")
"""What begins the title of a part, which may stand at the top of each page."""
_PAGE_COLUMNS = re.compile(r"\t+| {2,}")
_BEGINS = re.compile(r"[-*•]\s|\(?\w{1,3}[.)]\s|\d+(?:\.\d+)+\s")
_FULL = 0.75
"""Of the usual length of a line, how long one is that was wrapped."""


def parse(content: bytes) -> Reading:
    """A text file in any of the usual encodings."""
    text, notes = decode(content)
    return Reading("text", blocks(text), notes=notes)


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of plain text. Blank lines part paragraphs; the line breaks within one are taken for wrapping."""
    text = _joined_pages(re.sub("\r\n?|[\u2028\u2029]", "\n", text))
    counts = word_counts([text])
    marked = [
        replace(block, text=unwrapped(block.text, counts)) if block.kind == "item" else block for block in _marked(text)
    ]
    found: list[Block] = []
    for block in promote(marked):
        lines = block.text.split("\n")
        # Lines that are short, as in an address, or that have an end each, were not wrapped.
        short = len(lines) > 2 and max(map(len, lines)) < 45
        ended = all(line.endswith((".", ";", ":", "!", "?")) for line in lines)
        if block.kind == "paragraph" and (BULLET.match(block.text) or NUMBER.match(block.text)):
            text = BULLET.sub("- ", unwrapped(block.text, counts), count=1)
            block = replace(block, kind="item", level=1, text=text)
        elif block.kind == "paragraph" and not (short or ended):
            block = replace(block, text=unwrapped(block.text, counts))
        found.append(block)
    return tuple(found)


def _joined_pages(text: str) -> str:
    """The text of all pages, which form feeds part, without headers, footers and page numbers. A sentence or a table
    that a page break cuts goes on without a blank line."""
    pages = [[line.rstrip() for line in page.split("\n")] for page in text.split("\f")]
    if len(pages) == 1:
        return text
    edges: list[dict[int, EdgeLine]] = []  # by index, the lines at the top and at the bottom of each page
    for number, page in enumerate(pages, 1):
        runs = [list(run) for filled, run in groupby(enumerate(page), key=lambda each: bool(each[1])) if filled]
        outer = (each for run in (*runs[:1], *runs[-1:]) if len(run) <= _EDGE for each in run)
        lines = {at: EdgeLine(number, " ".join(line.split())) for at, line in outer}
        edges.append({at: line for at, line in lines.items() if not _PART_TITLE.match(line.text)})
    repeated = running_lines([list(at.values()) for at in edges], often=max(2, len(pages) // 2))
    lengths = sorted(len(line) for page in pages for line in page if line)
    usual = lengths[3 * len(lengths) // 4] if lengths else 0
    whole: list[str] = []
    for page, at in zip(pages, edges, strict=True):
        kept = "\n".join(line for index, line in enumerate(page) if at.get(index) not in repeated).strip("\n")
        if kept:
            first, *rest = kept.split("\n")
            cut = bool(whole) and _goes_on(whole[-1].strip(), first.strip(), _FULL * usual)
            whole += [first, *rest] if cut else ["", first, *rest]
    return "\n".join(whole)


def _goes_on(above: str, below: str, full: float) -> bool:
    """Whether the first line of a page goes on with the last one of the page before; `full` are the characters of a
    line that was wrapped."""
    if not above or _BEGINS.match(below):
        return False
    cells = len(_PAGE_COLUMNS.split(above))
    if cells > 1:
        return len(_PAGE_COLUMNS.split(below)) == cells
    return above[-1] not in ".!?:;" and (below[0].islower() or len(above) >= full)


def _marked(text: str) -> Iterator[Block]:
    """The blocks with the headings that a mark gives away: "# Title", a title underlined, perhaps overlined too, or one
    over its text below a rule across the page."""
    lines = [line.rstrip() for line in _LONG_SPACE.sub(" " * 80, text).split("\n")]
    left_out = contents_lines(lines)
    # Beside what the dots lead to, a row has two columns.
    lines = [_LED.sub("  ", line).rstrip() for at, line in enumerate(lines) if at not in left_out]
    underlines: dict[str, int] = {}  # each kind is a level of its own, in the order in which they appear
    paragraph: list[str] = []
    skip = False
    for line, under in zip(lines, [*lines[1:], ""], strict=True):
        title, below = line.strip(), under.strip()
        kind = ""
        if skip or not title:
            yield from _paragraph(paragraph)
            paragraph = []
            skip = False
        elif hashes := _HASHES.fullmatch(title):
            yield from _paragraph(paragraph)
            paragraph = []
            yield Block("heading", hashes[2], len(hashes[1]))
        elif (
            _UNDERLINE.fullmatch(below)
            and len(below) >= len(title) // 2
            and len(_COLUMNS.split(title)) == 1
            and not _RULE.fullmatch(title)
            and all(map(_UNDERLINE.fullmatch, map(str.strip, paragraph)))
        ):
            kind = f"{below[0]} {bool(paragraph)}"
            skip = True
        elif len(paragraph) == 1 and _BAR.fullmatch(paragraph[0]) and _is_title_over(title, below):
            kind = f"{paragraph[0][0]} over"
            title = " ".join(title.split())
        else:
            paragraph.append(line)
        if kind:
            paragraph = []
            yield Block("heading", title, underlines.setdefault(kind, len(underlines) + 1))
    yield from _paragraph(paragraph)


def _is_title_over(title: str, below: str) -> bool:
    """Whether a line is worded as a title and the one below it is text, and no row of a table."""
    is_text = bool(below) and len(_COLUMNS.split(below)) == 1 and not _RULE.fullmatch(below)
    return is_text and is_title(title) and title[-1] not in ".,;:"


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
    is_item, level, part = False, 0, list[str]()
    parts: list[tuple[bool, int, list[str]]] = []
    first = above = 0
    for line in lines:
        text = " ".join(line.split())
        indent = len(line) - len(line.lstrip())
        item = BULLET.match(text) or (marks[_mark(line)] > 1 and _mark(line))
        # A line beside the list goes on with no item of it that has ended.
        after_list = is_item and indent < first and part[-1].endswith((".", "!", "?", ";"))
        aside = bool(part) and above < _ASIDE // 2 and indent >= above + _ASIDE
        if item or after_list or aside or not part:
            is_item, level, part = bool(item), 1 + indent // 2 if item else 0, []
            parts.append((is_item, level, part))
            first = indent if item or after_list or aside else first
        part.append(text)
        above = indent
    for is_item, level, part in parts:
        text = "\n".join(part)
        yield Block("item", BULLET.sub("- ", text, count=1), level) if is_item else Block("paragraph", text)


def _mark(line: str) -> str:
    """The kind of number that the line begins with ("1.", "1.1", "(a)"), "" without one."""
    match = NUMBER.match(line.strip())
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "1", match[0])).strip() if match else ""


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
    full = [
        [cell.start() for cell in _CELL.finditer(line)]
        for line, row in zip(lines, rows, strict=True)
        if len(row) == width
    ]
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
