"""Files and folders -> documents that are searched: read, cut into passages, embedded, recorded, indexed.

file -> Reading -> sections -> passages -> vectors -> records -> index

Knows the order of the steps, and no format. One bad file does not stop the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from store import StoreError, files
from store.passage import OPEN, Audience
from trag.errors import TragError
from trag.ingest import pairing
from trag.ingest.context import IngestContext, changing
from trag.ingest.discovery import Ingested, Outcome, find
from trag.ingest.forgetting import sweep
from trag.ingest.pair_import import give
from trag.ingest.pairs import GivenPair, pairs
from trag.ingest.parse.characters import counted
from trag.ingest.passages import section_passages
from trag.ingest.reader import Limits, nobody, read, read_file, shown
from trag.ingest.reconciliation import embed_changed, put_right
from trag.ingest.sections import sections
from trag.progress import Progress, silent


def ingest(
    paths: Sequence[Path],
    stock: IngestContext,
    *,
    replace: bool = False,
    audience: Audience = OPEN,
    by: str = "",
    limits: Limits | None = None,
    progress: Progress = silent,
) -> tuple[Ingested, ...]:
    """Adds documents, then the question-answer pairs (.jsonl) given for them; what became of each file, in that order.

    A document is named like its file, or by its path below the folder where two files are named alike. One that is
    there with the same content is left alone; with other content it fails unless `replace`, which keeps its readers,
    the pairs that people gave or changed, and what a model wrote about sections that are the same. `audience` is who
    may read what is new. The pairs given for a document in one call are all that were given for it afterwards. Raises
    StoreError when nothing can be kept any more.
    """
    documents, pair_files, results = find(paths)
    with changing:
        run = _Run(stock, replace, audience, by, limits or Limits(), progress)
        given: dict[str, tuple[GivenPair, ...]] = {}
        failed: list[Ingested] = []
        for path, name in pair_files:
            try:
                given[name] = pairs(read_file(path, run.limits), name)
            except TragError as error:
                failed.append(Ingested(name, "failed", error.message, error.hint))
        for number, (path, name) in enumerate(documents):
            progress(f"reading {shown(name)}", number, len(documents))
            try:
                content = read_file(path, run.limits)
                results.append(run.document(content, name, path.suffix.lower()))
            except TragError as error:
                results.append(Ingested(name, "failed", error.message, error.hint))
        results += failed
        results += give(given, stock, replace=replace, by=by, progress=progress)
        sweep(stock)
    return tuple(results)


def ingest_one(
    content: bytes, name: str, stock: IngestContext, *, audience: Audience, by: str, progress: Progress
) -> Ingested:
    """Adds one document, in the place of the one of its name, whose readers it keeps; `audience` is who may read it
    where there is none. Raises TragError when it cannot be read; what `progress` raises ends the work with nothing
    changed."""
    with changing:
        run = _Run(stock, True, audience, by, Limits(), progress, lambda: progress("reading", 0, 0))
        result = run.document(content, name, PurePath(name).suffix.lower())
        sweep(stock)
    return result


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of `ingest`: what it writes to, and what it was asked."""

    stock: IngestContext
    replace: bool
    audience: Audience
    by: str
    limits: Limits
    progress: Progress
    watch: Callable[[], None] = nobody
    """Called again and again while the document is read; what it raises ends that."""

    def document(self, content: bytes, name: str, suffix: str) -> Ingested:
        """One document. Raises TragError when it cannot be read, or must not be replaced."""
        library = self.stock.records.library
        sha256 = hashlib.sha256(content).hexdigest()
        before = library.document(name)
        if before and before.sha256 == sha256:
            files.keep(self.stock.originals, content, suffix)
            mended = put_right(before, self.stock.vectors.held(name).get(name), self.stock, self.progress)
            same: Outcome = "indexed" if mended else "unchanged"
            return Ingested(name, same, pages=before.pages, passages=before.passages, pairs=before.pairs)
        twin = next((other.name for other in library.documents() if other.sha256 == sha256), "")
        if twin and before is None:
            return Ingested(name, "skipped", f"{shown(name)} has the same content as {shown(twin)}.")
        if before and not self.replace:
            raise TragError(
                f"{shown(name)} is there already, with other content.", "Use --replace to put this in its place."
            )
        reading = read(content, name, self.limits, self.watch)
        title = Path(name).stem.replace("_", " ").replace("-", " ")
        found = sections(reading.blocks, title)
        passages = section_passages(name, found)
        if not passages:
            raise TragError(f"{shown(name)} holds no text.", "Check that it is the right file.")
        old_pairs = library.pairs(name) if before else ()
        old = [passage for passage in library.passages(name) if passage.kind != "qa"] if before else []
        document_pairs, questioned = pairing.read_again(passages, old_pairs, old)
        notes = list(reading.notes)
        if questioned:
            notes.append(f"{counted(questioned, 'pair')} of changed sections to be looked at again")
        searched = [*passages, *(pair.passage for pair in document_pairs if pair.searched)]
        embedded = embed_changed(searched, self.stock, self.progress, f"embedding {shown(name)}")
        # In this order, so that a fault or a kill at any moment leaves the old document or the new: the next start puts
        # the index right, and so does the same content when it comes again.
        files.keep(self.stock.originals, content, suffix)
        audience = before.audience if before else self.audience
        library.put(name, sha256, reading.pages, passages, document_pairs, audience=audience, notes=notes, by=self.by)
        try:
            self.stock.vectors.put(name, searched, embedded, audience=audience)
        except StoreError as error:
            raise StoreError(
                f"{shown(name)} is kept, but searches do not find it yet: {error.message}", error.hint
            ) from error
        outcome: Outcome = "replaced" if before else "indexed"
        count = len(searched) - len(passages)
        return Ingested(name, outcome, pages=reading.pages, passages=len(passages), pairs=count, notes=tuple(notes))
