"""Headers, footers and page numbers: what stands at the edges of pages and comes again on most of them.

Knows no format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

PART = r"(?:part|chapter|article|section|annex|appendix)\s+\w"
NUMBERED = re.compile(rf"\d+(?:\.\d+)*[.)]?\s+[^\W\d]|{PART}", re.IGNORECASE)
"""The beginning of a line that may be the title of a part: many a part begins on a page of its own."""
_PAGE_NUMBER = re.compile(
    r"\W*(page\s*)?(?:(?:\w{1,3}[-–])?(\d{1,4})|[ivxl]{1,6})(\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_FIGURE = re.compile(r"\d{1,9}")


class Edge(NamedTuple):
    """A line near the top or the bottom of a page, which counts from 1; a `table` is one line too."""

    page: int
    text: str
    table: bool = False


def running(pages: Sequence[Sequence[Edge]], *, often: int) -> frozenset[Edge]:
    """Those of the edges of all pages that are headers, footers or page numbers.

    Word for word the same, a line runs on `often` pages; with figures that count the pages, on at least three and on
    half of them.
    """
    repeated = Counter(form for edges in pages for form in {form for edge in edges for form in _forms(edge)})
    counted = max(3, (len(pages) + 1) // 2)

    def runs(edge: Edge) -> bool:
        same, *ahead = _forms(edge)
        if repeated[same] >= often or any(repeated[form] >= counted for form in ahead):
            return True
        if len(pages) < 2 or (match := _PAGE_NUMBER.fullmatch(edge.text)) is None:
            return False
        word, number, total = match.groups()
        return bool(word or total or not number) or int(number) == edge.page or repeated[[same, *ahead][-1]] > 1

    return frozenset(edge for edges in pages for edge in edges if runs(edge))


def _forms(edge: Edge) -> list[tuple[str, int, int]]:
    """What a line may have in common with running lines: all its text, and for each of its figures, counted from 1, all
    but the figures and how far that one is ahead of the page. A table with other figures than its page's is another
    table, though."""
    if edge.table:
        return [(re.sub(rf"\b{edge.page}\b", "#", edge.text), 0, 0)]
    words = _FIGURE.sub("#", edge.text)
    counts = (int(figure[0]) - edge.page for figure in _FIGURE.finditer(edge.text))
    return [(edge.text, 0, 0), *((words, at, ahead) for at, ahead in enumerate(counts, 1))]
