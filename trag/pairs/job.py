"""The pairs of every document of a home, section by section, kept and searched once their document is through.

stock -> sections that people wrote no pairs for -> passages -> pairs -> library and index.  Documents are searched
without them: this comes afterwards, ends at any moment and goes on where it was. Knows nothing about models.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.errors import in_one_line
from trag.ingest.pair_changes import keep_generated
from trag.ingest.pairing import given_sections
from trag.ingest.pairs import GeneratedPair
from trag.llm.remote import RequestRefused
from trag.pairs.writing import Interrupted

if TYPE_CHECKING:
    from store.passage import Passage
    from trag.ingest.context import IngestContext
    from trag.progress import Progress

log = logging.getLogger(__name__)

WritePassage = Callable[["Passage"], Sequence[GeneratedPair]]
"""Writes the pairs of a passage; raises Interrupted where it is to wait or to end, and is called again afterwards."""


class Stopped(Exception):
    """Raised by a pause to end the work."""


@dataclass(frozen=True, slots=True)
class Written:
    """How far the work came: `sections` of `total` are through, and their documents have `pairs` more than before."""

    sections: int
    total: int
    pairs: int

    @property
    def whole(self) -> bool:
        """Whether nothing is left."""
        return self.sections == self.total


def write(
    stock: IngestContext,
    write_passage: WritePassage,
    *,
    pause: Callable[[], None] = lambda: None,
    by: str,
    progress: Progress,
) -> Written:
    """Writes pairs about every section that people gave none for.

    `pause` is called before each passage; it may wait, and ends the work by Stopped. Whatever ends it, what was written
    of whole sections is kept. A section that the model's server refuses, such as one that is too long for it, keeps
    what it had and is asked about again another time. Raises TragError when all are refused, and when the model cannot
    be reached.
    """
    work = [(document, _sections(document.name, stock)) for document in stock.records.library.documents()]
    total = sum(len(sections) for _, sections in work)
    done = new = 0
    refused: list[RequestRefused] = []
    try:
        for document, sections in work:
            found: dict[str, list[GeneratedPair]] = {}
            try:
                for path, passages in sections.items():
                    progress("writing pairs", done, total)
                    try:
                        found[path] = [
                            pair for passage in passages for pair in _patiently(passage, write_passage, pause)
                        ]
                    except RequestRefused as error:
                        log.warning("no pairs are written about %r: %s", path, in_one_line(error))
                        refused.append(error)
                    done += 1
            finally:
                new += keep_generated(document, found, stock, by=by)
    except Stopped:
        return Written(done, total, new)
    if refused and len(refused) == total:  # it is not the sections that are at fault
        raise refused[0]
    return Written(done, total, new)


def _sections(document: str, stock: IngestContext) -> dict[str, list[Passage]]:
    """The passages of each section that has no pairs of people's, by its path, in order."""
    library = stock.records.library
    spared = given_sections(library.pairs(document))
    found: dict[str, list[Passage]] = {}
    for passage in library.passages(document):
        if passage.kind == "section" and passage.section not in spared:
            found.setdefault(passage.section, []).append(passage)
    return found


def _patiently(passage: Passage, write_passage: WritePassage, pause: Callable[[], None]) -> Sequence[GeneratedPair]:
    while True:
        pause()
        try:
            return write_passage(passage)
        except Interrupted:
            continue
