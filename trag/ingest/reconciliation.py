"""Keeping the index in line with the records, which are the truth: in who may read what, after a kill or a fault, and
for another embedder."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import TYPE_CHECKING

from store import StoreError, files
from store import vectors as store_vectors
from store.library import Leaving
from store.vectors import IndexDamaged, OtherEncoder, Vectors
from trag.ingest.context import IngestContext, embed, embed_changed, write_lock
from trag.ingest.forgetting import finish_forgetting, sweep
from trag.progress import Progress, silent
from trag.sandbox import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.catalog import Held
    from store.library import Document
    from store.passage import Audience, Passage
    from store.records import Records
    from trag.embed import Embedder

log = logging.getLogger(__name__)

PART = 512
"""Passages that are embedded, and kept, together."""
_TOLD = 30.0
"""Seconds between two lines of the log."""


def open_index(records: Records, folder: Path, embedder: Embedder, *, server: str = "") -> Vectors:
    """The index in `folder`, or on the Chroma server; one that is damaged, lost passages, or was made by another
    encoder is made anew first, which goes on where a kill broke it off."""

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
        vectors = opened()
    except (IndexDamaged, OtherEncoder) as error:
        log.warning("the search index is made anew: %s", error.message)
        reindex(records, folder, embedder, _logged(), server=server)
        vectors = opened()
    rmtree(_parts(folder), ignore_errors=True)  # of an encoder that was given up again
    return vectors


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

    The present index stays in use until the new one is complete. Open the Vectors of that folder afterwards. What is
    embedded is kept until then, so that a kill loses no more than the last PART passages.
    """
    with write_lock:
        audiences = {document.name: document.audience for document in records.library.documents()}
        passages = tuple(records.library.passages())
        parts = _parts(folder)
        embedded = _embedded(passages, embedder, progress, parts)
        store_vectors.reindex(
            folder,
            passages,
            embedded,
            embedder=embedder.identity,
            dimension=embedder.dimension,
            server=server,
            audiences=audiences,
        )
        rmtree(parts, ignore_errors=True)
    return len(passages)


def _parts(folder: Path) -> Path:
    """Where the vectors of an index lie that is being made."""
    return folder.parent / "cache" / "vectors"


def _embedded(passages: Sequence[Passage], embedder: Embedder, progress: Progress, parts: Path) -> NDArray[np.float32]:
    """The vectors (n, d) of passages, by this encoder: those that lie in the folder `parts`, from before a kill, and
    the others, which are kept there. What another encoder left there is removed."""
    import numpy as np

    own = parts / hashlib.sha256(embedder.identity.encode()).hexdigest()[:16]
    for other in parts.glob("*"):
        if other != own:
            rmtree(other, ignore_errors=True)
    own.mkdir(parents=True, exist_ok=True)
    known: dict[str, NDArray[np.float32]] = {}
    for file in own.glob("*.npz"):
        with np.load(file, allow_pickle=False) as kept:
            known |= zip(map(str, kept["ids"]), kept["vectors"], strict=True)
    missing = [passage for passage in passages if passage.id not in known]
    for start in range(0, len(missing), PART):
        some, done = missing[start : start + PART], len(passages) - len(missing) + start

        def step(_: str, part: int, __: int, done: int = done) -> None:
            progress("embedding", done + part, len(passages))

        vectors = embed(some, embedder, step, "embedding")
        known |= zip([passage.id for passage in some], vectors, strict=True)
        with files.atomic(own / f"{len(known):09}.npz") as out:
            np.savez(out, ids=np.array([passage.id for passage in some]), vectors=vectors)
    found = np.empty((len(passages), embedder.dimension), dtype=np.float32)
    for row, passage in enumerate(passages):
        found[row] = known[passage.id]
    return found


def _logged() -> Progress:
    """A Progress for whoever reads the log: a line every half a minute."""
    last = monotonic()

    def progress(step: str, done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last > _TOLD:
            last = monotonic()
            log.warning("%s: %d of %d passages", step, done, total)

    return progress
