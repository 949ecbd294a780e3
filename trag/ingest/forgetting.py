"""A document forgotten: out of the records, the index and every folder, and the receipt that says so.

The records go first and say, in the same transaction, that the document is leaving: from then on nobody is shown it.
What fails after that, or is killed, is done again when it is forgotten once more and by the next start.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from shutil import rmtree

from store import StoreError, files
from store.library import Leaving
from trag.errors import TragError
from trag.ingest.context import IngestContext, generated_folder, write_lock
from trag.ingest.parse.characters import counted
from trag.ingest.queue import drop_unwanted
from trag.sandbox import shown

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was removed of a document; `left` is what is still there of it and why, nothing if all is well."""

    document: str
    sections: int
    pairs: int
    vectors: int
    original: bool
    left: tuple[str, ...]

    def __str__(self) -> str:
        counts = ((self.sections, "passage"), (self.pairs, "pair"), (self.vectors, "vector"))
        removed = ", ".join([counted(count, what) for count, what in counts] + ["the original"] * self.original)
        rest = f"STILL THERE: {', '.join(self.left)}; forgetting it again or the next start goes on with it"
        return f"forgotten: {shown(self.document)} ({removed}; {rest if self.left else 'checked, nothing is left'})"


def forget(document: str, context: IngestContext, *, by: str = "") -> Receipt:
    """Removes a document everywhere, or what is left of one that is leaving.

    Raises TragError for an unknown name, and StoreError when the records cannot be written: nothing is changed then.
    Any later fault stands in the receipt, and no search finds the document all the same.
    """
    library = context.records.library
    with write_lock:
        library.delete(document, by=by)
        receipts = {receipt.document: receipt for receipt in finish_forgetting(library.leaving(), context)}
        if document not in receipts:
            known = [each.name for each in library.documents()]
            if near := get_close_matches(document, known, n=3):
                hint = f"Did you mean {' or '.join(map(shown, near))}?"
            else:
                hint = f"The documents are: {', '.join(map(shown, known)) or 'none'}."
            raise TragError(f"There is no document {shown(document)}.", hint)
    return receipts[document]


def forget_all(documents: Collection[str], context: IngestContext, *, by: str = "") -> tuple[Receipt, ...]:
    """Removes documents everywhere, those of them that there are; else as `forget`, with the index rewritten once."""
    library = context.records.library
    with write_lock:
        for document in documents:
            library.delete(document, by=by)
        return finish_forgetting([each for each in library.leaving() if each.name in set(documents)], context)


def finish_forgetting(leaving: Collection[Leaving], context: IngestContext) -> tuple[Receipt, ...]:
    """Removes what is left of documents that are forgotten, as far as that is possible now; a receipt for each."""
    if not leaving:
        return ()
    with write_lock:
        receipts = [_finish(each, context) for each in leaving]
        words = _left({"its words in the files of the index": context.vectors.compact})
        receipts = [replace(each, left=each.left + words) for each in receipts]
        for each, receipt in zip(leaving, receipts, strict=True):
            _note(each, receipt, context)
    return tuple(receipts)


def sweep(context: IngestContext, only: Collection[str] | None = None) -> None:
    """Removes the originals and the drawn pages of documents that are no longer there; with `only`, of those content
    hashes alone, which takes no longer for many documents."""
    library = context.records.library
    if only is None:
        kept = set(library.contents().values())
        found = [*context.originals.glob("*"), *context.pages.glob("*")]
    else:
        kept = {sha256 for sha256 in only if library.with_content(sha256)}
        places = (context.originals, context.pages)
        found = [path for sha256 in only for place in places for path in place.glob(f"{sha256}*")]
    for path in found:
        if re.fullmatch("[0-9a-f]{64}", path.stem) and path.stem not in kept:
            try:
                _remove(path)
            except OSError as error:  # whoever forgets a document looks; the next sweep tries again
                log.warning("%s cannot be removed: %s", path, error)


def _finish(leaving: Leaving, context: IngestContext) -> Receipt:
    """Everything but the rewriting of the index."""
    library, jobs, vectors = context.records.library, context.records.jobs, context.vectors
    name, sha256 = leaving.name, leaving.sha256
    given_again = library.document(name) is not None
    shared = bool(library.with_content(sha256))
    original = not shared and files.find(context.originals, sha256) is not None
    removed = 0

    def take_out() -> bool:
        nonlocal removed
        if given_again:
            return False
        removed = vectors.delete(name)
        return name in vectors.held(name)

    def clear_folders() -> bool:
        sweep(context, [sha256] if sha256 else None)
        return not shared and bool(files.find(context.originals, sha256) or list(context.pages.glob(sha256 or "-")))

    def clear_uploads() -> bool:
        own = "" if given_again else name
        jobs.forget_document(own, sha256)
        drop_unwanted(jobs, context.uploads)
        waiting = {job.sha256 for job in jobs.all() if job.name == own}
        return not shared and any(files.find(context.uploads, each) for each in (sha256, *waiting))

    def clear_written() -> bool:
        folder = generated_folder(context.home, name)
        for path in (folder, *folder.parent.glob("*.json")):  # one outside of the folders may be of any document
            _remove(path)
        return folder.exists()

    left = _left(
        {
            "its vectors": take_out,
            "a copy in the line of uploads": clear_uploads,
            "pairs that a model wrote": clear_written,
            "the original or drawn pages": clear_folders,
        }
    )
    return Receipt(name, leaving.passages, leaving.pairs, removed, original, left)


def _left(steps: Mapping[str, Callable[[], object]]) -> tuple[str, ...]:
    """What is still there: each step removes something, and looks whether it is."""
    left: list[str] = []
    for what, step in steps.items():
        try:
            left += [what] if step() else []
        except (StoreError, OSError) as error:
            left.append(f"{what} ({error.message if isinstance(error, StoreError) else error.strerror})")
    return tuple(left)


def _note(leaving: Leaving, receipt: Receipt, context: IngestContext) -> None:
    if receipt.left:
        log.warning("%s", receipt)
        return
    try:
        context.records.library.has_left(leaving.name, by=leaving.by, receipt=str(receipt))
    except StoreError as error:  # the next start finds nothing left to remove
        log.warning("that %s has left cannot be written down: %s", shown(leaving.name), error.message)


def _remove(path: Path) -> None:
    """Raises OSError when a file or folder that is there cannot be removed."""
    if path.is_dir():
        rmtree(path)
    else:
        path.unlink(missing_ok=True)
