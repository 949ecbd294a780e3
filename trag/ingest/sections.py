"""Blocks -> sections: each stretch of text under its path of headings, tables said in sentences.

Knows no format, and nothing of how sections are cut into passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from trag.ingest.blocks import Block
from trag.words import row_sentences

_NUMBERED = re.compile(
    r"\d+(?:\.\d+)*[.):]?\s|(?:[IVXL]+|[A-Z])[.):]\s|§|(?i:part|chapter|article|section|rule|clause|title)\s+(?:\d|[IVXL]+\b|[A-Z]\b)"
)
_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+")
_BARE = re.compile(r"\d+(?:\.\d+)*[.)]?")
_LONGEST_LEAD_IN = 200
_LONGEST_CLAUSE = 90


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading, on one page where there are pages.

    `path` runs from the highest heading down: "4 Finance > 4.2 Approval limits". In `text` a blank line parts
    paragraphs, a list is its lead-in line and a line an item, and a table is a line a row, each row a sentence that
    holds its header too.
    """

    path: str
    page: int | None
    text: str


def sections(blocks: Sequence[Block], name: str) -> tuple[Section, ...]:
    """The sections that hold text, in order. Text above the first heading goes under the title, `name` where there is
    none.

    A heading over nothing is no section: its words become a line of the section above it, unless they are few and
    alone.
    """
    title = _title(blocks)
    left_out = title if _chapters_are_numbered(blocks, title) else None
    path: list[Block] = []
    found: list[tuple[str, int | None, list[Block]]] = []
    for block in _with_empty_headings_as_text(blocks):
        if block.kind == "heading":
            while path and path[-1].level >= block.level:
                path.pop()
            if block is not left_out:
                path.append(block)
            continue
        while block.level and block.kind == "paragraph" and path and path[-1].level >= block.level:
            path.pop()  # once a heading: it belongs where that would have stood
        words = " > ".join(heading.text for heading in path) or (title.text if title else name)
        if not found or found[-1][:2] != (words, block.page):
            found.append((words, block.page, []))
        found[-1][2].append(block)
    texts = [(words, page, inside, _text(inside, words)) for words, page, inside in found]
    telling = [(words, page, text) for words, page, inside, text in texts if not _is_ornament(inside, text)]
    return tuple(Section(*each) for each in telling or [(words, page, text) for words, page, _, text in texts])


def _title(blocks: Sequence[Block]) -> Block | None:
    """The one heading that stands above all others, with no text above it: a cover may set a smaller line there."""
    headings = [block for block in blocks if block.kind == "heading"]
    top = min((block.level for block in headings), default=0)
    highest = [block for block in headings if block.level == top]
    first = takewhile(lambda block: block.kind == "heading", blocks)
    return highest[0] if len(highest) == 1 and highest[0] in first else None


def _chapters_are_numbered(blocks: Sequence[Block], title: Block | None) -> bool:
    """Whether a path says enough without the title: "4 Finance > 4.2 Limits" does, "Travel policy > Scope" needs it."""
    below = [bool(_NUMBERED.match(block.text)) for block in blocks if block.kind == "heading" and block is not title]
    return bool(below) and 2 * sum(below) >= len(below)


def _with_empty_headings_as_text(blocks: Sequence[Block]) -> Iterator[Block]:
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        empty = block.kind == "heading" and (after is None or (after.kind == "heading" and after.level <= block.level))
        yield replace(block, kind="paragraph") if empty else block


def _is_ornament(blocks: Sequence[Block], text: str) -> bool:
    """A word or two that were set like a heading and stand alone, such as "Part 2" above the title of the part."""
    return len(text.split()) < 4 and all(block.kind == "paragraph" and block.level for block in blocks)


def _text(blocks: Sequence[Block], path: str) -> str:
    """The text of blocks under one heading, laid out as Section says."""
    text = part = ""
    lead_in = False
    for block in blocks:
        if block.kind == "table":
            caption = block.text or _caption(path, part.rstrip(":") if part.endswith(":") else "")
            part = "\n".join(row_sentences(block.rows, caption))
        elif block.kind == "item":
            part = "  " * (block.level - 1) + block.text
        else:
            part = block.text
        text += ("\n" if lead_in and block.kind == "item" else "\n\n" if text else "") + part
        lead_in = block.kind == "item" or part.endswith(":")
    return text


def _caption(path: str, lead_in: str) -> str:
    """What a table without a caption is about: its heading, and the clause that leads it in, if that has a number and
    few words. Where the heading is a number alone: what leads in the table, else the heading above."""
    *above, heading = path.split(" > ")
    if _BARE.fullmatch(heading) and 0 < len(lead_in) <= _LONGEST_LEAD_IN:
        return lead_in
    if _BARE.fullmatch(heading) and above:
        return _caption(" > ".join(above), "")
    name, clause = _NUMBER.sub("", heading), _NUMBER.sub("", lead_in)
    named = clause != lead_in and len(clause) <= _LONGEST_CLAUSE and ". " not in clause
    return f"{name}: {clause}" if named else name
