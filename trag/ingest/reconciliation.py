"""Keeping the index in line with the records, which are the truth: in who may read what, after a kill or a fault, and
for another encoder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from store import StoreError
from store.catalog import Held
from store.library import Leaving
from store.vectors import IndexDamaged, OtherEncoder, Vectors, make_empty
from trag.ingest.context import IngestContext, embed_changed, write_lock
from trag.ingest.forgetting import finish_forgetting, sweep
from trag.progress import Progress, silent
from trag.sandbox import shown

if TYPE_CHECKING:
    from store.library import Document
    from store.passage import Audience
    from store.records import Records
    from trag.embed import Embedder

log = logging.getLogger(__name__)

_TOLD = 30.0
"""Seconds between two lines of the log."""


def open_index(records: Records, folder: Path, embedder: Embedder, *, server: str = "", anew: bool = False) -> Vectors:
    """The index in `folder`, or on the Chroma server. One that is damaged, lost passages, or was made by another
    encoder gives way to an empty one, for `reconcile` to fill; so does any that is to be made `anew`."""

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

    if not anew:
        try:
            return opened()
        except (IndexDamaged, OtherEncoder) as error:
            log.warning("the search index is made anew: %s", error.message)
    make_empty(folder, embedder=embedder.identity, dimension=embedder.dimension, server=server)
    return opened()


def reconcile(context: IngestContext, progress: Progress = silent) -> tuple[str, ...]:
    """Finishes what a killed process left half-way, and fills an index that was made anew: the names of the documents
    that were put right or are gone now.

    A document's records are written in one transaction and its vectors after them, so at any moment the records hold
    either the old document or the new one, whole; what is indexed of it otherwise is put right. What is left of
    documents that are forgotten is removed.
    """
    gone, late = begin(context)
    finish(late, context, progress)
    return tuple(sorted({*late, *gone}))


def begin(context: IngestContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the documents that are gone now, and of those that `finish` has to put right. Of the latter those
    that the index does not have at all are found by their words from now on, and who may read one is right."""
    library = context.records.library
    with write_lock:
        held = context.vectors.held()
        documents = library.documents()
        leaving = {each.name: each for each in library.leaving()}
        nobodys = held.keys() - leaving.keys() - {document.name for document in documents}
        gone = [*leaving.values(), *map(Leaving, nobodys)]
        finish_forgetting(gone, context)
        late = []
        for each in documents:
            passages = tuple(library.passages(each.name))
            if each.name in held and held[each.name].audience != each.audience:
                context.vectors.set_audience(each.name, each.audience)  # at once: it is searched until it is put right
            if held.get(each.name, Held(frozenset(), each.audience)) != Held(frozenset(passages), each.audience):
                late.append(each.name)
                if each.name not in held:
                    context.vectors.expect(passages, audience=each.audience)
        sweep(context)
    return tuple(each.name for each in gone), tuple(late)


def finish(late: Sequence[str], context: IngestContext, progress: Progress | None = None) -> None:
    """Makes what is indexed of these documents what the records say, one after the other; other changes come between
    two of them, and there what `progress` raises ends the work. Without one the log tells of it."""
    told = progress or _logged()
    for number, name in enumerate(late):
        told("indexing", number, len(late))
        with write_lock:
            if document := context.records.library.document(name):
                repair(document, context.vectors.held(name).get(name), context)


def repair(document: Document, held: Held | None, context: IngestContext, progress: Progress = silent) -> bool:
    """Makes what is indexed of a document, `held`, what the records say; whether it was anything else."""
    name, passages = document.name, tuple(context.records.library.passages(document.name))
    if frozenset(passages) != (held.passages if held else frozenset()):
        log.info("indexing %s again", shown(name))
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


def _logged() -> Progress:
    """A Progress for whoever reads the log: a line every half a minute."""
    last = monotonic()

    def progress(step: str, done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last > _TOLD:
            last = monotonic()
            log.warning("%s: %d of %d documents", step, done, total)

    return progress
