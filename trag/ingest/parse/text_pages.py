"""The pages of a text file, which form feeds part, as one text without headers, footers and page numbers.

Knows nothing of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from trag.ingest.parse.running import PART, Edge, running

_MOST = 3
"""Lines of a header or a footer; a blank line parts it from the text."""
_TITLE = re.compile(rf"\d+(?:\.\d+)*[.)]?\s+[A-Z]|(?i:{PART})")
"""What begins the title of a part, which may stand at the top of each page."""
_COLUMNS = re.compile(r"\t+| {2,}")
_BEGINS = re.compile(r"[-*•]\s|\(?\w{1,3}[.)]\s|\d+(?:\.\d+)+\s")
_FULL = 0.75
"""Of the usual length of a line, how long one is that was wrapped."""


def one_text(text: str) -> str:
    """The text of all pages. A sentence or a table that a page break cuts goes on without a blank line."""
    pages = [[line.rstrip() for line in page.split("\n")] for page in text.split("\f")]
    if len(pages) == 1:
        return text
    edges = [_edges(page, number) for number, page in enumerate(pages, 1)]
    repeated = running([list(at.values()) for at in edges], often=max(2, len(pages) // 2))
    lengths = sorted(len(line) for page in pages for line in page if line)
    usual = lengths[3 * len(lengths) // 4] if lengths else 0
    whole: list[str] = []
    for page, at in zip(pages, edges, strict=True):
        kept = "\n".join(line for index, line in enumerate(page) if at.get(index) not in repeated).strip("\n")
        if kept:
            lines = kept.split("\n")
            cut = bool(whole) and _goes_on(whole[-1], lines[0], _FULL * usual)
            whole += lines if cut else ["", *lines]
    return "\n".join(whole)


def _edges(lines: Sequence[str], page: int) -> dict[int, Edge]:
    """By its index, each line at the top and at the bottom of a page that may be of a header or a footer."""
    runs = [list(run) for told, run in groupby(range(len(lines)), key=lambda at: bool(lines[at])) if told]
    outer = [run for run in (*runs[:1], *runs[-1:]) if len(run) <= _MOST]
    words = {at: " ".join(lines[at].split()) for run in outer for at in run}
    return {at: Edge(page, text) for at, text in words.items() if not _TITLE.match(text)}


def _goes_on(above: str, below: str, full: float) -> bool:
    """Whether the first line of a page goes on with the last one of the page before; `full` are the characters of a
    line that was wrapped."""
    above, below = above.strip(), below.strip()
    if not above or _BEGINS.match(below):
        return False
    cells = len(_COLUMNS.split(above))
    if cells > 1:
        return len(_COLUMNS.split(below)) == cells
    return above[-1] not in ".!?:;" and (below[0].islower() or len(above) >= full)
