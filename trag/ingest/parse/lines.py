"""What the lines of a printed page carry beside their text: words cut at their ends, headers and footers, tables of
contents with their dots."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

PART = r"(?:part|chapter|article|section|annex|appendix)\s+\w"
NUMBERED = re.compile(rf"\d+(?:\.\d+)*[.)]?\s+[^\W\d]|{PART}", re.IGNORECASE)
"""The beginning of a line that may be the title of a part: many a part begins on a page of its own."""
LEADER = re.compile(r"\s*(?:\.\s?){5,}")
"""The dots that lead from a title to its page, from a thing to its price, or over the place to write on in a form."""

_CUT = re.compile(r"(?<![\w-])([\w-]*\w)-\n(\w+)")
_JOINS = ("and", "or", "nor", "to")
"""Words before which a hyphen stands for a word that follows: "short- and long-term"."""
_PAGE_NUMBER = re.compile(
    r"\W*(page\s*)?(?:(?:\w{1,3}[-–])?(\d{1,4})|[ivxl]{1,6})(\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_FIGURE = re.compile(r"\d{1,9}")
_PAGE = re.compile(r"(\d{1,4})|[ivxlc]{1,7}", re.IGNORECASE)
_CONTENTS = re.compile(r"[\W\d]*(?:table of )?contents\W*", re.IGNORECASE)
_ENTRIES = 4
_BETWEEN = 6
"""The fewest entries of a table of contents, and the most lines from one to the next: the longest title, a part."""


def word_counts(texts: Iterable[str]) -> Counter[str]:
    """How often a document has each word, with the hyphens in it."""
    return Counter(word for text in texts for word in re.findall(r"[\w-]+", text))


def unwrapped(text: str, counts: Counter[str]) -> str:
    """Lines joined to one. A hyphen at an end of line stays in a compound: one that has a hyphen already, or that the
    document, whose `word_counts` these are, has with it elsewhere."""

    def word(match: re.Match[str]) -> str:
        first, second = match.groups()
        if second in _JOINS and not counts[first + second]:
            return f"{first}- {second}"
        named = second[0].isupper() or not (first.isalpha() and second.isalpha())
        compound = named or counts[f"{first}-{second}"]
        return f"{first}-{second}" if compound and not counts[first + second] else first + second

    return _CUT.sub(word, text).replace("\n", " ")


class EdgeLine(NamedTuple):
    """A line near the top or the bottom of a page, which counts from 1; a `table` is one line too."""

    page: int
    text: str
    table: bool = False


def running_lines(pages: Sequence[Sequence[EdgeLine]], *, often: int) -> frozenset[EdgeLine]:
    """Those lines at the edges of all pages that are headers, footers or page numbers.

    Word for word the same, a line runs on `often` pages; with figures that count the pages, on at least three and on
    half of them.
    """
    repeated = Counter(form for edges in pages for form in {form for edge in edges for form in _forms(edge)})
    counted = max(3, (len(pages) + 1) // 2)

    def runs(edge: EdgeLine) -> bool:
        same, *ahead = _forms(edge)
        if repeated[same] >= often or any(repeated[form] >= counted for form in ahead):
            return True
        if len(pages) < 2 or (match := _PAGE_NUMBER.fullmatch(edge.text)) is None:
            return False
        word, number, total = match.groups()
        return bool(word or total or not number) or int(number) == edge.page or repeated[[same, *ahead][-1]] > 1

    return frozenset(edge for edges in pages for edge in edges if runs(edge))


def _forms(edge: EdgeLine) -> list[tuple[str, int, int]]:
    """What a line may have in common with running lines: all its text, and for each of its figures, counted from 1, all
    but the figures and how far that one is ahead of the page. A table with other figures than its page's is another
    table, though."""
    if edge.table:
        return [(re.sub(rf"\b{edge.page}\b", "#", edge.text), 0, 0)]
    words = _FIGURE.sub("#", edge.text)
    counts = (int(figure[0]) - edge.page for figure in _FIGURE.finditer(edge.text))
    return [(edge.text, 0, 0), *((words, at, ahead) for at, ahead in enumerate(counts, 1))]


def contents_lines(lines: Sequence[str]) -> set[int]:
    """The indices of the lines of tables of contents, each from its name, or else its first entry, to its last entry.

    An entry is a title that dots lead to nothing but a page. What tells a table of contents from a list of prices that
    rise is its name above it, or that most of its titles come again without the page.
    """
    entries: dict[int, tuple[str, int]] = {}  # title and page, 0 for a Roman one
    for at, line in enumerate(lines):
        title, *rest = LEADER.split(line)
        if len(rest) == 1 and title.strip() and (page := _PAGE.fullmatch(rest[0].strip())):
            entries[at] = title, int(page[1] or 0)
    tables: list[list[int]] = []
    for at, (_, number) in entries.items():
        before = tables[-1][-1] if tables else at
        if tables and at - before <= _BETWEEN and entries[before][1] <= number:
            tables[-1].append(at)
        else:
            tables.append([at])
    titles = {_folded(line) for at, line in enumerate(lines) if at not in entries} if entries else set()
    found: set[int] = set()
    for table in tables:
        above = range(max(0, table[0] - _BETWEEN), table[0])
        first = next((at for at in above if _CONTENTS.fullmatch(lines[at])), table[0])
        again = sum(_folded(entries[at][0]) in titles for at in table)
        if len(table) >= _ENTRIES and (first < table[0] or 2 * again >= len(table)):
            found.update(range(first, table[-1] + 1))
    return found


def _folded(title: str) -> str:
    return re.sub(r"\W+", "", title).casefold()
