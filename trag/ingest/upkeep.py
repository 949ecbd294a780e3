"""Keeping the index in line with the records, which are the truth: after a kill, for another embedder, when a
document must go.

Knows nothing of formats, or of how passages are made.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from store import files
from store import vectors as store_vectors
from store.vectors import IndexDamaged, Vectors
from trag.errors import TragError
from trag.ingest.parse.characters import counted
from trag.ingest.passages import embedded_text
from trag.ingest.reader import shown
from trag.ingest.stock import Stock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.records import Records
    from store.vectors import Passage
    from trag.embed import Embedder

Progress = Callable[[str, int, int], None]
"""Told the step, how much of it is done, and how much there is to do."""

changing = threading.RLock()
"""Held by whoever changes documents: one at a time, in the one process that owns a home."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was removed of a document; `left` is what was still found of it afterwards, nothing if all is well."""

    document: str
    sections: int
    pairs: int
    vectors: int
    original: bool
    left: tuple[str, ...]

    def __str__(self) -> str:
        counts = ((self.sections, "passage"), (self.pairs, "pair"), (self.vectors, "vector"))
        removed = ", ".join([counted(count, what) for count, what in counts] + ["the original"] * self.original)
        check = f"STILL THERE: {', '.join(self.left)}" if self.left else "checked, nothing is left"
        return f"forgotten: {shown(self.document)} ({removed}; {check})"


def silent(step: str, done: int, total: int) -> None:
    """The Progress that nobody watches."""


def embed(passages: Sequence[Passage], embedder: Embedder, progress: Progress, step: str) -> NDArray[np.float32]:
    """The vectors (n, d) of passages, in batches as the embedder makes them."""
    return embedder.embed_passages(
        [embedded_text(passage) for passage in passages], lambda done, total: progress(step, done, total)
    )


def open_index(records: Records, folder: Path, embedder: Embedder, *, server: str = "") -> Vectors:
    """The index in `folder`, or on the Chroma server; one that is damaged, or lost passages, is made anew first."""

    def opened() -> Vectors:
        vectors = Vectors(folder, embedder=embedder.identity, dimension=embedder.dimension, server=server)
        try:
            found, tried = vectors.probe()  # Chroma tells nobody what it lost
            if found < tried:
                raise IndexDamaged(f"it finds {found} of {tried} of its own passages")
        except BaseException:
            vectors.close()
            raise
        return vectors

    try:
        return opened()
    except IndexDamaged as error:
        log.warning("the search index is made anew: %s", error.message)
        reindex(records, folder, embedder, server=server)
        return opened()


def reconcile(stock: Stock, progress: Progress = silent) -> tuple[str, ...]:
    """Finishes what a killed process left half-way: the names of the documents whose vectors were put right.

    A document's records are written in one transaction and its vectors after them, so at any moment the records hold
    either the old document or the new one, whole; vectors or audiences that disagree are put right, and vectors of no
    document are removed.
    """
    records, vectors = stock.records, stock.vectors
    with changing:
        held, audiences = vectors.ids(), vectors.audiences()
        known = {document.name: document.audience for document in records.library.documents()}
        wrong = []
        for name in sorted(known.keys() | held.keys()):
            passages = tuple(records.library.passages(name))
            if {passage.id for passage in passages} != held.get(name, frozenset()):
                log.warning("the index was not in line with the records of %s: an ingest was interrupted", shown(name))
                embedded = embed(passages, stock.embedder, progress, f"indexing {shown(name)}")
                vectors.put(name, passages, embedded, audience=known.get(name))
                wrong.append(name)
            elif name in held and audiences[name] != known[name]:
                vectors.set_audience(name, known[name])
                wrong.append(name)
    return tuple(wrong)


def reindex(
    records: Records, folder: Path, embedder: Embedder, progress: Progress = silent, *, server: str = ""
) -> int:
    """Makes the index in `folder`, or on the Chroma server, anew with this embedder, whatever made the present one;
    returns the number of passages.

    The present index stays in use until the new one is complete. Open the Vectors of that folder afterwards.
    """
    with changing:
        audiences = {document.name: document.audience for document in records.library.documents()}
        passages = tuple(records.library.passages())
        embedded = embed(passages, embedder, progress, "embedding")
        store_vectors.reindex(
            folder,
            passages,
            embedded,
            embedder=embedder.identity,
            dimension=embedder.dimension,
            server=server,
            audiences=audiences,
        )
    return len(passages)


def forget(document: str, stock: Stock, *, by: str = "") -> Receipt:
    """Removes a document everywhere: records, pairs, vectors, the original. Raises TragError for an unknown name."""
    records, vectors = stock.records, stock.vectors
    with changing:
        found = records.library.document(document)
        if found is None:
            known = [each.name for each in records.library.documents()]
            near = get_close_matches(document, known, n=3)
            hint = (
                f"Did you mean {' or '.join(map(shown, near))}?"
                if near
                else f"The documents are: {', '.join(map(shown, known)) or 'none'}."
            )
            raise TragError(f"There is no document {shown(document)}.", hint)
        pairs = records.library.count_pairs(document)
        original = files.find(stock.originals, found.sha256) is not None
        # The records first: from here on the document is gone, and what a kill leaves of it the next start removes.
        records.library.delete(document, by=by)
        removed = vectors.delete(document)
        vectors.compact()
        sweep(stock)
        left = []
        if records.library.document(document) or records.library.count_pairs(document):
            left.append("records")
        if vectors.ids().get(document):
            left.append("vectors")
        shared = any(each.sha256 == found.sha256 for each in records.library.documents())
        if files.find(stock.originals, found.sha256) and not shared:
            left.append("the original")
    return Receipt(document, found.passages, pairs, removed, original and not shared, tuple(left))


def sweep(stock: Stock) -> None:
    """Removes the originals that no document has any more."""
    kept = {document.sha256 for document in stock.records.library.documents()}
    for path in stock.originals.glob("*") if stock.originals.is_dir() else ():
        if re.fullmatch("[0-9a-f]{64}", path.stem) and path.stem not in kept:
            path.unlink()
