"""The words of an answer as HTML: its Markdown as lists, tables and emphasis, its sources as numbers behind them.

Nothing in an answer makes a link, a picture, a heading or HTML of its own: all that is left is text and its order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

from trag.table_rows import Row
from trag.web.language import gettext

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_OPEN, _CLOSE, _CITE = "\ue000", "\ue001", "\ue002"
"""Stand for what is put around and behind pieces, which Markdown takes for letters; of the range of private use, and
taken out of what anybody wrote."""
_LEFT_OUT = dict.fromkeys(map(ord, (_OPEN, _CLOSE, _CITE)))
_NOT_READ = (
    *("link", "image", "autolink", "html_inline", "html_block", "heading", "lheading", "blockquote", "code", "hr"),
    *("entity", "escape", "reference"),  # "> 5" and "C:\\*" are meant as they stand
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
"""What makes a line the item of a list in Markdown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the answer, under the number of its source (0: none); `supported` is None between sentences, `row`
    what it says where it is the row of a table."""

    text: str
    supported: bool | None = None
    number: int = 0
    row: Row | None = None


def html(pieces: Sequence[Piece], answer: str) -> Markup:
    """The pieces of the answer of that id, in order. A number leads to the element `source-ANSWER-NUMBER`."""
    found = Markup()
    for is_row, group in groupby(pieces, key=lambda piece: piece.row is not None):
        draw = _rows if is_row else _prose
        found += draw(group, answer)
    return found


def _prose(pieces: Iterable[Piece], answer: str) -> Markup:
    text, numbers = "", []
    for piece in pieces:
        words = piece.text.translate(_LEFT_OUT)
        if piece.supported is False:  # a mark never goes over the end of a line, and so not out of an item of a list
            words = "\n".join(map(_underlined, words.split("\n")))
        text += words
        if piece.number:
            kept = text.rstrip(" \n|")  # a number stands in the last cell of a row
            text = kept + _CITE + text[len(kept) :]
            numbers.append(piece.number)
    text = text.strip("\n")
    if not text.strip():
        return Markup()
    # A single line is no list: "31. December" is a day.
    drawn = _markdown().render(text) if "\n" in text else f'<p dir="auto">{_markdown().renderInline(text)}</p>'
    drawn = drawn.replace(_OPEN, '<span class="unsupported">')
    drawn = drawn.replace(_CLOSE, '<span class="unseen"> (no source found)</span></span>')
    for number in numbers:
        drawn = drawn.replace(_CITE, _cite(number, answer), 1)
    return Markup(drawn)


def _underlined(line: str) -> str:
    begun = _ITEM.match(line)
    mark, words = (begun[0], line[begun.end() :]) if begun else ("", line)
    return f"{mark}{_OPEN}{words}{_CLOSE}" if words.strip() and not words.startswith("|") else line


def _rows(pieces: Iterable[Piece], answer: str) -> Markup:
    found = Markup()
    for piece in pieces:
        row = piece.row
        if row is None:
            continue
        named = Markup('<span class="cell">{}{}</span>')
        cells = (named.format(_name(name) if name else "", cell) for name, cell in row.cells)
        cite = _cite(piece.number, answer) if piece.number else Markup()
        caption = Markup('<span class="caption">{}</span>').format(row.caption)
        found += Markup('<p class="row" dir="auto">{}{}{}</p>').format(caption, Markup().join(cells), cite)
    return found


def _name(name: str) -> Markup:
    return Markup('<span class="name">{}:</span> ').format(name)


def _cite(number: int, answer: str) -> Markup:
    label = gettext("Source %(number)s") % {"number": number}
    return Markup('<a class="cite" href="#source-{0}-{1}" aria-label="{2}">{1}</a>').format(answer, number, label)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore

    def each_its_own_way(state: StateCore) -> None:
        for token in state.tokens:
            if token.nesting == 1:
                token.attrSet("dir", "auto")
            if token.type == "table_open":  # a wide one is scrolled, with keys too
                token.attrSet("tabindex", "0")

    made = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(list(_NOT_READ))
    made.core.ruler.push("each_its_own_way", each_its_own_way)
    return made
