"""Keeping the index in line with the records, which are the truth: in who may read what, after a kill or a fault, and
for another embedder."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from store import StoreError
from store import vectors as store_vectors
from store.library import Leaving
from store.vectors import IndexDamaged, Vectors
from trag.ingest.context import IngestContext, embed, embed_changed, write_lock
from trag.ingest.forgetting import finish_forgetting, sweep
from trag.progress import Progress, silent
from trag.sandbox import shown

if TYPE_CHECKING:
    from store.catalog import Held
    from store.library import Document
    from store.passage import Audience
    from store.records import Records
    from trag.embed import Embedder

log = logging.getLogger(__name__)


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


def reconcile(context: IngestContext, progress: Progress = silent) -> tuple[str, ...]:
    """Finishes what a killed process left half-way: the names of the documents that were put right or are gone now.

    A document's records are written in one transaction and its vectors after them, so at any moment the records hold
    either the old document or the new one, whole; what is indexed of it otherwise is put right. What is left of
    documents that are forgotten is removed.
    """
    library = context.records.library
    with write_lock:
        held = context.vectors.held()
        documents = library.documents()
        leaving = {each.name: each for each in library.leaving()}
        nobodys = held.keys() - leaving.keys() - {document.name for document in documents}
        gone = [*leaving.values(), *map(Leaving, nobodys)]
        finish_forgetting(gone, context)
        wrong = [each.name for each in documents if repair(each, held.get(each.name), context, progress)]
        sweep(context)
    return tuple(sorted({*wrong, *(each.name for each in gone)}))


def repair(document: Document, held: Held | None, context: IngestContext, progress: Progress = silent) -> bool:
    """Makes what is indexed of a document, `held`, what the records say; whether it was anything else."""
    name, passages = document.name, tuple(context.records.library.passages(document.name))
    if frozenset(passages) != (held.passages if held else frozenset()):
        log.warning("the index was not in line with the records of %s: an ingest was interrupted", shown(name))
        vectors = embed_changed(passages, context, progress, f"indexing {shown(name)}")
        context.vectors.put(name, passages, vectors, audience=document.audience)
        return True
    if held and held.audience != document.audience:
        context.vectors.set_audience(name, document.audience)
        return True
    return False


def set_audience(
    document: str, audience: Audience, context: IngestContext, *, instead_of: Audience | None = None, by: str = ""
) -> None:
    """Makes `audience` who may read a document. Raises StoreError when it is gone, or a store cannot be written, and
    when those that `by` saw as who may read it, `instead_of`, are others by now; None asks for no such check.

    A search finds it for nobody who may not read it by the records, also where this fails or is killed: it may then be
    found by fewer, until this is done again, the document comes again or the next start.
    """
    library, vectors = context.records.library, context.vectors
    with write_lock:
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
    with write_lock:
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
