"""Pairs that a file gives for documents, or that a model wrote about one -> the pairs that they have, recorded,
embedded, indexed.

Knows nothing about how documents are read, or how pairs are written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.ingest import pairing
from trag.ingest.context import IngestContext, changing
from trag.ingest.discovery import Ingested, Outcome
from trag.ingest.pairs import GeneratedPair, GivenPair, pairs
from trag.ingest.parse.characters import listed
from trag.ingest.reader import shown
from trag.ingest.reconciliation import embed_changed
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from store.library import Document, Pair

Files = Mapping[str, Sequence[GivenPair]]
"""The pairs in each file, by its name."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What giving pairs for one document changed, and those of them of which there is something to tell."""

    outcome: Outcome
    given: pairing.Given


def give_file(content: bytes, name: str, stock: IngestContext, *, by: str, progress: Progress) -> tuple[Ingested, ...]:
    """Makes the pairs in a file, JSON lines or a table (.csv), all that were given for the documents that it names.
    Raises TragError for a file with lines that are no pairs."""
    found = pairs(content, name)
    with changing:
        return tuple(give({name: found}, stock, replace=True, by=by, progress=progress))


def give(found: Files, stock: IngestContext, *, replace: bool, by: str, progress: Progress) -> Iterator[Ingested]:
    """Makes the pairs in files those that were given for their documents; what became of each file.

    A document that has other given pairs already fails unless `replace`.
    """
    by_document: dict[str, list[GivenPair]] = defaultdict(list)
    for in_file in found.values():
        for pair in in_file:
            by_document[pair.document].append(pair)
    done: dict[str, _Done] = {}
    errors: dict[str, TragError] = {}
    for document, given in by_document.items():
        try:
            done[document] = _give(document, given, stock, replace, by, progress)
        except TragError as error:
            errors[document] = error
    for name, in_file in found.items():
        yield _told(name, in_file, done, errors)


def keep_written(
    document: Document, found: Mapping[str, Sequence[GeneratedPair]], stock: IngestContext, *, by: str
) -> int:
    """Makes what a model wrote about sections of a document, by their paths, pairs of it; how many are new. None where
    the document is gone or another by now. `by` is who had it written."""
    library = stock.records.library
    with changing:
        known = library.document(document.name)
        if not found or known is None or known.sha256 != document.sha256:
            return 0
        present = library.pairs(document.name)
        passages = [passage for passage in library.passages(document.name) if passage.kind != "qa"]
        generated = [pair for pairs_ in found.values() for pair in pairs_]
        made = pairing.written(document.name, generated, found.keys(), passages, present)
        if set(made) != set(present):
            _record(known, made, present, stock, by, silent)
    return len({pair.id for pair in made} - {pair.id for pair in present})


def _give(
    document: str, given: Sequence[GivenPair], stock: IngestContext, replace: bool, by: str, progress: Progress
) -> _Done:
    """Makes `given` the given pairs of a document."""
    library = stock.records.library
    known = library.document(document)
    if known is None:
        raise TragError(
            f"There is no document {shown(document)}.", "Ingest it first, or correct its name among the pairs."
        )
    present = library.pairs(document)
    passages = [passage for passage in library.passages(document) if passage.kind != "qa"]
    made = pairing.given(document, given, passages, present, by)
    before = any(pair.origin == "given" for pair in present)
    if set(present) == set(made.pairs):
        return _Done("unchanged", made)
    if before and not replace:
        raise TragError(
            f"{shown(document)} has other pairs already.", "Ingest them with --replace to put these in their place."
        )
    _record(known, made.pairs, present, stock, by, progress)
    return _Done("replaced" if before else "indexed", made)


def _record(
    document: Document, made: Sequence[Pair], present: Sequence[Pair], stock: IngestContext, by: str, progress: Progress
) -> None:
    """Puts the pairs `made` in the place of those that a document has, and what is searched in line with them."""
    searched = {pair.passage.id: pair.passage for pair in made if pair.searched}
    indexed = {pair.passage.id: pair.passage for pair in present if pair.searched}
    fresh = [passage for id, passage in searched.items() if indexed.get(id) != passage]
    embedded = embed_changed(fresh, stock, progress, f"embedding pairs of {shown(document.name)}")
    stock.records.library.put_pairs(document.name, made, by=by)
    if fresh:
        stock.vectors.add(fresh, embedded, audience=document.audience)
    stock.vectors.remove([id for id in indexed if id not in searched])


def _told(
    name: str, found: Sequence[GivenPair], done: Mapping[str, _Done], errors: Mapping[str, TragError]
) -> Ingested:
    """What became of one file of pairs, from what became of the documents that it names."""
    documents = dict.fromkeys(pair.document for pair in found)
    if wrong := [errors[document] for document in documents if document in errors]:
        return Ingested(name, "failed", " ".join(error.message for error in wrong), wrong[0].hint)
    changed = {done[document].outcome for document in documents}
    outcome: Outcome = "replaced" if "replaced" in changed else "indexed" if "indexed" in changed else "unchanged"
    given = [done[document].given for document in documents]
    lost, outdated, decided = (
        [pair for pair in found if pair in those]
        for those in (
            {pair for each in given for pair in each.lost},
            {pair for each in given for pair in each.outdated},
            {pair for each in given for pair in each.decided},
        )
    )
    others = [pair for pair in found if not pair.direct]
    waiting = [pair for pair in found if pair.state == "review"]
    notes = [f"{len(others)} of types that are not searched, kept for training"] if others else []
    notes += [f"{len(waiting)} for review, as the file says"] if waiting else []
    notes += [f"{_lines(outdated)} for review: the section does not have the source"] if outdated else []
    if lost:
        notes.append(
            f"{_lines(lost)} {'names' if len(lost) == 1 else 'name'} a section that the document does not have"
        )
    notes += [f"{_lines(decided)} left as decided here"] if decided else []
    searched = [pair for pair in found if pair.direct and pair.state not in ("review", "deleted")]
    return Ingested(name, outcome, pairs=len({*searched} - {*outdated}), notes=tuple(notes))


def _lines(pairs: Sequence[GivenPair]) -> str:
    return listed("line", [pair.line for pair in pairs])
