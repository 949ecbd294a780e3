"""Tables of contents in Word documents: those that Word made, and those that were typed."""

from __future__ import annotations

import re
from typing import Any

from docx.oxml.ns import qn

from trag.ingest.parse.lines import contents_lines
from trag.ingest.reading import Block

_ENDS_IN_PAGE = re.compile(r"(?:\d|[ivxlc])\s*\Z")
_TAB_TO_PAGE = re.compile(r"[^\S\n]*\t[^\S\n]*(?=(?:\d{1,4}|[ivxlc]+)\Z)")


def contents(body: Any) -> frozenset[Any]:
    """The paragraphs of tables of contents that Word made: in a control of that name, in their field, or each linked
    as a whole to where it leads."""
    found: set[Any] = set()
    for gallery in body.iter(qn("w:docPartGallery")):
        if gallery.get(qn("w:val")) == "Table of Contents":
            found.update(next(gallery.iterancestors(qn("w:sdt"))).iter(qn("w:p")))
    fields: list[bool] = []  # those that are open, and whether each is a table of contents
    for element in body.iter(qn("w:p"), qn("w:fldChar"), qn("w:instrText"), qn("w:hyperlink")):
        paragraph = element if element.tag == qn("w:p") else next(element.iterancestors(qn("w:p")), None)
        if element.tag == qn("w:fldChar"):
            kind = element.get(qn("w:fldCharType"))
            fields = [*fields, False] if kind == "begin" else fields[:-1] if kind == "end" else fields
        elif element.tag == qn("w:instrText") and fields:
            fields[-1] = fields[-1] or (element.text or "").split()[:1] == ["TOC"]
        if paragraph is None:
            continue
        words = _words(paragraph)
        linked = element.tag == qn("w:hyperlink") and element.get(qn("w:anchor"), "").startswith("_Toc")
        whole = linked and 2 * len(_words(element)) > len(words)
        if _ENDS_IN_PAGE.search(words) and (any(fields) or whole):
            found.add(paragraph)
    return frozenset(found)


def _words(element: Any) -> str:
    return "".join(text.text or "" for text in element.iter(qn("w:t")))


def without_contents(blocks: list[Block]) -> tuple[list[Block], int]:
    """The blocks without tables of contents that nothing but tabs, or dots, and pages give away, and how many lines
    those had. Tabs still stand in the text."""
    lines = ["" if block.rows else _TAB_TO_PAGE.sub(" ........ ", block.text) for block in blocks]
    entries = contents_lines(lines)
    return [block for at, block in enumerate(blocks) if at not in entries], len(entries)
