"""Files and folders -> documents that are searched: read, cut into passages, embedded, recorded, indexed.

file -> Reading -> sections -> passages -> vectors -> records -> index

One bad file does not stop the others.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from store import StoreError, files
from store.passage import OPEN, Audience
from trag.errors import TragError
from trag.ingest import validity
from trag.ingest.context import IngestContext, embed_changed, write_lock
from trag.ingest.discovery import Ingested, Outcome, find
from trag.ingest.forgetting import sweep
from trag.ingest.pair_changes import import_pairs
from trag.ingest.pairing import reread
from trag.ingest.pairs import GivenPair, read_pairs
from trag.ingest.parse.characters import counted
from trag.ingest.parse.formats import FORMATS, PICTURES
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import Reading, read, read_file
from trag.ingest.reconciliation import repair
from trag.ingest.scans import read_scans
from trag.ingest.titles import title_of
from trag.progress import Progress, silent
from trag.sandbox import Limits, nobody, shown

if TYPE_CHECKING:
    from store.library import Document

log = logging.getLogger(__name__)

READING = 3
"""To be raised where the same file comes to other passages or another title: documents that were read before are read
again."""


def outdated(context: IngestContext) -> tuple[str, ...]:
    """The names of the documents that an earlier version has read."""
    return tuple(each.name for each in context.records.library.documents() if each.reading < READING)


def read_again(context: IngestContext, progress: Progress) -> None:
    """Reads what is `outdated`, from the originals. What cannot be read any more stays as it was read before; what
    `progress` raises ends the work between two documents or with one unchanged."""
    names = outdated(context)
    for number, name in enumerate(names):

        def told(step: str, done: int, total: int, number: int = number) -> None:
            progress("reading again", number, len(names))

        told("", 0, 0)
        document = context.records.library.document(name)
        original = document and files.find(context.originals, document.sha256)
        if document and original:
            try:
                ingest_one(
                    original.read_bytes(), name, context, audience=document.audience, by=document.by, progress=told
                )
            except TragError as error:
                log.warning("%s stays as it was read before: %s", shown(name), error.message)


def ingest(
    paths: Sequence[Path],
    context: IngestContext,
    *,
    replace: bool = False,
    audience: Audience = OPEN,
    by: str = "",
    limits: Limits | None = None,
    progress: Progress = silent,
) -> tuple[Ingested, ...]:
    """Adds documents, then the question-answer pairs (.jsonl) given for them; what became of each file, in that order.

    A document is named like its file, or by its path below the folder where two files are named alike. One that is
    there with the same content is left alone, unless an earlier version has read it; with other content it fails unless
    `replace`, which keeps its readers, the pairs that people gave or changed, and what a model wrote about sections
    that are the same. `audience` is who may read what is new. The pairs given for a document in one call are all that
    were given for it afterwards. Raises StoreError when nothing can be kept any more.
    """
    documents, pair_files, results = find(paths)
    limits = limits or Limits()
    with write_lock:
        given: dict[str, tuple[GivenPair, ...]] = {}
        failed: list[Ingested] = []
        for path, name in pair_files:
            try:
                given[name] = read_pairs(read_file(path, name, limits), name)
            except TragError as error:
                failed.append(Ingested(name, "failed", error.message, error.hint))
        for number, (path, name) in enumerate(documents):
            progress(f"reading {shown(name)}", number, len(documents))
            try:
                content, suffix = read_file(path, name, limits), PurePath(name).suffix.lower()
                results.append(_ingest(content, name, suffix, context, replace, audience, by, limits, progress))
            except TragError as error:
                results.append(Ingested(name, "failed", error.message, error.hint))
        results += failed
        results += import_pairs(given, context, overwrite=replace, by=by, progress=progress)
        sweep(context)
    return tuple(results)


def ingest_one(
    content: bytes, name: str, context: IngestContext, *, audience: Audience, by: str, progress: Progress
) -> Ingested:
    """Adds one document, in the place of the one of its name, whose readers it keeps; `audience` is who may read it
    where there is none. Raises TragError when it cannot be read; what `progress` raises ends the work with nothing
    changed."""

    def watch() -> None:
        progress("reading", 0, 0)

    suffix, limits = PurePath(name).suffix.lower(), Limits()
    sha256, there = hashlib.sha256(content).hexdigest(), context.records.library.document(name)
    known = _as_read_now(there, sha256) or (not there and context.records.library.with_content(sha256))
    # Pictures take seconds each: nobody else's change waits for them.
    reading = None if known else _read(content, name, context, limits, progress, watch)
    with write_lock:
        before = context.records.library.document(name)
        result = _ingest(content, name, suffix, context, True, audience, by, limits, progress, watch, reading=reading)
        if before or result.outcome == "skipped":
            sweep(context, [before.sha256 if before else hashlib.sha256(content).hexdigest()])
    return result


def _as_read_now(document: Document | None, sha256: str) -> bool:
    """Whether it has this content, read as it would be read now."""
    return document is not None and document.sha256 == sha256 and document.reading >= READING


def _read(
    content: bytes, name: str, context: IngestContext, limits: Limits, progress: Progress, watch: Callable[[], None]
) -> Reading:
    """A document, its pictures too. Raises TragError when it cannot be read."""
    reading = read(content, name, limits, watch)
    if not reading.scanned:
        return reading

    def told(done: int, count: int) -> None:
        progress(f"reading the pictures of {shown(name)}", done, count)

    return read(
        content, name, limits, watch, read_scans(content, name, reading.scanned, context.originals, told, watch)
    )


def _ingest(
    content: bytes,
    name: str,
    suffix: str,
    context: IngestContext,
    replace: bool,
    audience: Audience,
    by: str,
    limits: Limits,
    progress: Progress,
    watch: Callable[[], None] = nobody,
    *,
    reading: Reading | None = None,
) -> Ingested:
    """One document, which may be read already; `watch` is called again and again while it is read, and what it raises
    ends that. Raises TragError when it cannot be read, or must not be replaced."""
    library = context.records.library
    sha256 = hashlib.sha256(content).hexdigest()
    before = library.document(name)
    if before and _as_read_now(before, sha256):
        files.keep(context.originals, content, suffix)
        mended = repair(before, context.vectors.held(name).get(name), context, progress)
        same: Outcome = "indexed" if mended else "unchanged"
        return Ingested(name, same, pages=before.pages, passages=before.passages, pairs=before.pairs)
    twin = next(iter(library.with_content(sha256)), "")
    if twin and before is None:
        return Ingested(name, "skipped", f"{shown(name)} has the same content as {shown(twin)}.")
    if before and before.sha256 != sha256 and not replace:
        raise TragError(
            f"{shown(name)} is there already, with other content.", "Use --replace to put this in its place."
        )
    reading = reading or _read(content, name, context, limits, progress, watch)
    title = Path(name).stem.replace("_", " ").replace("-", " ")
    found = sections(reading.blocks, title)
    passages = section_passages(name, found)
    if not passages:
        said, hint = f"{shown(name)} holds no text.", "; ".join(reading.notes) or "Check that it is the right file."
        if before or FORMATS[suffix] not in PICTURES:
            raise TragError(said, hint)
        return Ingested(name, "skipped", said, hint)  # a photo among documents is no fault
    old_pairs = library.pairs(name) if before else ()
    old = [passage for passage in library.passages(name) if passage.kind != "qa"] if before else []
    document_pairs, questioned = reread(passages, old_pairs, old)
    notes = list(reading.notes)
    if questioned:
        notes.append(f"{counted(questioned, 'pair')} of changed sections to be looked at again")
    searched = [*passages, *(pair.passage for pair in document_pairs if pair.searched)]
    embedded = embed_changed(searched, context, progress, f"embedding {shown(name)}")
    # In this order, so that a fault or a kill at any moment leaves the old document or the new: the next start puts
    # the index right, and so does the same content when it comes again.
    files.keep(context.originals, content, suffix)
    audience = before.audience if before else audience
    library.put(
        *(name, sha256, reading.pages, passages, document_pairs),
        audience=audience,
        notes=notes,
        by=by,
        reading=READING,
        title=title_of(reading),
    )
    if asked := validity.keep(name, reading.stated, context.records, by=by):
        notes.append(f"{counted(asked, 'statement')} of its validity to be settled on its page")
    try:
        context.vectors.put(name, searched, embedded, audience=audience)
    except StoreError as error:
        raise StoreError(
            f"{shown(name)} is kept, but searches do not find it yet: {error.message}", error.hint
        ) from error
    outcome: Outcome = "replaced" if before else "indexed"
    count = len(searched) - len(passages)
    return Ingested(name, outcome, pages=reading.pages, passages=len(passages), pairs=count, notes=tuple(notes))
