"""Blocks -> sections -> passages: each stretch of text under its path of headings, tables said in sentences, cut into
what is searched, quoted and cited, with ids that last as long as the text does."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from store.passage import Passage
from trag.ingest.reading import Block
from trag.ingest.titles import NUMBERED, title_heading
from trag.table_rows import row_sentences

LENGTH = 1000
"""Characters of a passage at most: about what an embedder that reads 256 tokens sees of it."""
OVERLAP = 100
"""Characters at most that a passage repeats from the end of the one before it."""
PICTURE = "Picture (read by OCR)"
"""Where the words of a picture stand in a document, below the heading over it."""

# Lines (paragraphs, items, the sentences of tables), then sentences, then words; only a "word" longer than a passage is
# cut. Paragraphs do not come before lines: a short one above a long list would be a passage of its own.
_SEPARATORS = [r"\n+", r"(?<=[.!?])\s+|(?<=[。！？])", r"\s+", ""]
_ITEM = re.compile(r"\s*(?:-|\(?[\w.]{1,6}[.)])\s")
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
    title = title_heading(blocks)
    # A path says enough without the title where most headings have a number: "4 Finance > 4.2 Limits" does, "Travel
    # policy > Scope" needs it.
    below = [bool(NUMBERED.match(block.text)) for block in blocks if block.kind == "heading" and block is not title]
    left_out = title if below and 2 * sum(below) >= len(below) else None
    path: list[Block] = []
    found: list[tuple[str, int | None, list[Block]]] = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.kind == "heading" and (after is None or (after.kind == "heading" and after.level <= block.level)):
            block = replace(block, kind="paragraph")  # over nothing
        if block.kind == "heading":
            while path and path[-1].level >= block.level:
                path.pop()
            if block is not left_out:
                path.append(block)
            continue
        while block.level and block.kind == "paragraph" and path and path[-1].level >= block.level:
            path.pop()  # once a heading: it belongs where that would have stood
        words = " > ".join(heading.text for heading in path) or (title.text if title else name)
        words = f"{words} > {PICTURE}" if block.ocr else words
        if not found or found[-1][:2] != (words, block.page):
            found.append((words, block.page, []))
        found[-1][2].append(block)
    every: list[Section] = []
    telling: list[Section] = []
    for words, page, inside in found:
        every.append(Section(words, page, _text(inside, words.removesuffix(f" > {PICTURE}"))))
        # A word or two set like a heading that stand alone, such as "Part 2" above the title of the part, tell nothing.
        if len(every[-1].text.split()) > 3 or not all(block.kind == "paragraph" and block.level for block in inside):
            telling.append(every[-1])
    return tuple(telling or every)


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


def section_passages(document: str, sections: Sequence[Section]) -> tuple[Passage, ...]:
    """The passages of a document's sections, in order; a text that comes twice in a section is there once."""
    made = (
        Passage(
            passage_id("section", document, section.path, text), "section", document, section.path, section.page, text
        )
        for section in sections
        for text in split(section.text)
    )
    return tuple({passage.id: passage for passage in made}.values())


def passage_id(*parts: str) -> str:
    """An id that depends on the parts alone: an unchanged passage keeps it when its document is read again."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def split(text: str) -> tuple[str, ...]:
    """`text` in even pieces of at most LENGTH characters, before which a piece of a list repeats the lead-in."""
    if len(text) <= LENGTH:
        return (text,) if text.strip() else ()
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    count = -(-len(text) // (LENGTH - OVERLAP))
    splitter = RecursiveCharacterTextSplitter(
        _SEPARATORS,
        is_separator_regex=True,
        chunk_size=min(LENGTH, int(1.1 * len(text) / count) + OVERLAP),
        chunk_overlap=OVERLAP,
        add_start_index=True,
    )
    pieces: list[str] = []
    looked, lead_in = 0, ""  # where the last line begins that was looked at, and the last one above it that is no item
    for piece in splitter.create_documents([text]):
        words = piece.page_content
        if _ITEM.match(words):
            end = piece.metadata["start_index"]
            while end and text[end - 1] == "\n":
                end -= 1
            above = text[looked:end].split("\n")
            lead_in = next((line for line in reversed(above) if not _ITEM.match(line)), lead_in)
            looked = text.rfind("\n", 0, end) + 1
            words = f"{lead_in}\n{words}" if lead_in.endswith(":") else words
        pieces.append(words)
    return tuple(pieces)


def lines_of(passages: Sequence[Passage]) -> list[str]:
    """The lines of a section of which these are the passages, in order, over all its pages: those that `split` repeats
    are there once. What is cut within a line goes on as a paragraph."""
    lines: list[str] = []
    for passage in passages:
        new = passage.text.split("\n")
        repeated = _repeated(lines, new)
        if not repeated and new[0].endswith(":") and new[0] in lines:
            new = new[1:]
            repeated = _repeated(lines, new)
        lines += new[repeated:] if repeated or _ITEM.match(new[0]) else ["", *new]
    return lines


def _repeated(lines: Sequence[str], new: Sequence[str]) -> int:
    """How many of the first new lines are the last ones that are there."""
    return next((count for count in range(len(new), 0, -1) if [*lines[-count:]] == [*new[:count]]), 0)


def embedded_text(passage: Passage) -> str:
    """What an embedder reads of a passage: a section's text under its path, a pair's question before its answer.

    Measured with MiniLM on the sample manual, 42 questions as employees type them, three passages by cosine (of the
    right section, with the answer): pairs by question and answer 30 and 15, by question 28 and 12, by answer 25 and 9.
    Sections there are found as well without their path (36 and 33 by the whole search, with it 35 and 30: no difference
    to trust); it is there for headings that ask the question or say whose "Limits" they are, as in pairs.
    """
    if passage.kind == "qa":
        return f"{passage.question} {passage.text}"
    return f"{passage.section}\n{passage.text}"
