"""Keeping the index in line with the records, which are the truth: in who may read what, after a kill or a fault, and
for another embedder.

Knows nothing of formats, or of how passages are made.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store import StoreError
from store import vectors as store_vectors
from store.library import Leaving
from store.vectors import IndexDamaged, Vectors
from trag.ingest.context import IngestContext, changing
from trag.ingest.forgetting import finish, sweep
from trag.ingest.passages import embedded_text
from trag.ingest.reader import shown
from trag.progress import Progress, silent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.catalog import Held
    from store.library import Document
    from store.passage import Audience, Passage
    from store.records import Records
    from trag.embed import Embedder

__all__ = [
    "changing",
    "embed",
    "embed_changed",
    "open_index",
    "put_right",
    "reconcile",
    "reindex",
    "set_audience",
]

log = logging.getLogger(__name__)


def embed(passages: Sequence[Passage], embedder: Embedder, progress: Progress, step: str) -> NDArray[np.float32]:
    """The vectors (n, d) of passages, in batches as the embedder makes them."""
    return embedder.embed_passages(
        [embedded_text(passage) for passage in passages], lambda done, total: progress(step, done, total)
    )


def embed_changed(
    passages: Sequence[Passage], stock: IngestContext, progress: Progress, step: str
) -> NDArray[np.float32]:
    """The vectors (n, d) of passages; those of passages that the index has are taken from it, for an id stands for the
    words."""
    import numpy as np

    vectors = stock.vectors.vectors_of([passage.id for passage in passages])
    fresh = [passage for passage in passages if passage.id not in vectors]
    vectors |= zip([passage.id for passage in fresh], embed(fresh, stock.embedder, progress, step), strict=True)
    found = np.empty((len(passages), stock.embedder.dimension), dtype=np.float32)
    for row, passage in enumerate(passages):
        found[row] = vectors[passage.id]
    return found


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


def reconcile(stock: IngestContext, progress: Progress = silent) -> tuple[str, ...]:
    """Finishes what a killed process left half-way: the names of the documents that were put right or are gone now.

    A document's records are written in one transaction and its vectors after them, so at any moment the records hold
    either the old document or the new one, whole; what is indexed of it otherwise is put right. What is left of
    documents that are forgotten is removed.
    """
    library = stock.records.library
    with changing:
        held = stock.vectors.held()
        documents = library.documents()
        leaving = {each.name: each for each in library.leaving()}
        nobodys = held.keys() - leaving.keys() - {document.name for document in documents}
        gone = [*leaving.values(), *map(Leaving, nobodys)]
        finish(gone, stock)
        wrong = [each.name for each in documents if put_right(each, held.get(each.name), stock, progress)]
        sweep(stock)
    return tuple(sorted({*wrong, *(each.name for each in gone)}))


def put_right(document: Document, held: Held | None, stock: IngestContext, progress: Progress = silent) -> bool:
    """Makes what is indexed of a document, `held`, what the records say; whether it was anything else."""
    name, passages = document.name, tuple(stock.records.library.passages(document.name))
    if frozenset(passages) != (held.passages if held else frozenset()):
        log.warning("the index was not in line with the records of %s: an ingest was interrupted", shown(name))
        vectors = embed_changed(passages, stock, progress, f"indexing {shown(name)}")
        stock.vectors.put(name, passages, vectors, audience=document.audience)
        return True
    if held and held.audience != document.audience:
        stock.vectors.set_audience(name, document.audience)
        return True
    return False


def set_audience(
    document: str, audience: Audience, stock: IngestContext, *, instead_of: Audience | None = None, by: str = ""
) -> None:
    """Makes `audience` who may read a document. Raises StoreError when it is gone, or a store cannot be written, and
    when those that `by` saw as who may read it, `instead_of`, are others by now; None asks for no such check.

    A search finds it for nobody who may not read it by the records, also where this fails or is killed: it may then be
    found by fewer, until this is done again, the document comes again or the next start.
    """
    library, vectors = stock.records.library, stock.vectors
    with changing:
        if before := library.document(document):
            if instead_of is not None and before.audience != instead_of:
                raise StoreError(
                    "Who may read it was changed meanwhile, so nothing was saved.",
                    "Look at who may read it now, and save again.",
                )
            vectors.set_audience(document, before.audience & audience)
        try:
            library.set_audience(document, audience, by=by)
        finally:  # a failing database may have kept the change all the same: what it says now counts
            if found := library.document(document):
                vectors.set_audience(document, found.audience)


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
