"""Sections -> passages: what is searched, quoted and cited, with ids that last as long as the text does.

Knows nothing of files, pairs, embedders or the store's ways.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from store.passage import Passage
from trag.ingest.sections import Section

LENGTH = 1000
"""Characters of a passage at most: about what an embedder that reads 256 tokens sees of it."""
OVERLAP = 100
"""Characters at most that a passage repeats from the end of the one before it."""

# Lines (paragraphs, items, the sentences of tables), then sentences, then words; only a "word" longer than a passage is
# cut. Paragraphs do not come before lines: a short one above a long list would be a passage of its own.
_SEPARATORS = [r"\n+", r"(?<=[.!?])\s+|(?<=[。！？])", r"\s+", ""]
_ITEM = re.compile(r"\s*(?:-|\(?[\w.]{1,6}[.)])\s")


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
    pieces = splitter.create_documents([text])
    return tuple(_with_lead_in(piece.page_content, text, piece.metadata["start_index"]) for piece in pieces)


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


def _with_lead_in(piece: str, text: str, start: int) -> str:
    """`piece`, after the line that leads in the list it begins within."""
    if not _ITEM.match(piece):
        return piece
    above = text[:start].rstrip("\n").split("\n")
    for line in reversed(above):
        if not _ITEM.match(line):
            return f"{line}\n{piece}" if line.endswith(":") else piece
    return piece
