"""The pairs of documents changed, in the records and in what is searched at once: given by a file, written by a model,
or written, changed, approved or deleted by a person."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from store.library import Pair
from store.passage import Passage
from trag.errors import TragError
from trag.ingest.context import IngestContext, embed, embed_changed, write_lock
from trag.ingest.discovery import Ingested, Outcome
from trag.ingest.pairing import MergedPairs, anchored, with_generated, with_given
from trag.ingest.pairs import DIRECT_TYPES, LONGEST, OTHER_TYPES, GeneratedPair, GivenPair, read_pairs
from trag.ingest.parse.characters import clean, listed
from trag.progress import Progress, silent
from trag.sandbox import shown

if TYPE_CHECKING:
    from store.library import Document


def import_pair_file(
    content: bytes, name: str, context: IngestContext, *, by: str, progress: Progress
) -> tuple[Ingested, ...]:
    """Makes the pairs in a file, JSON lines or a table (.csv), all that were given for the documents that it names.
    Raises TragError for a file with lines that are no pairs."""
    found = read_pairs(content, name)
    with write_lock:
        return tuple(import_pairs({name: found}, context, overwrite=True, by=by, progress=progress))


def import_pairs(
    files: Mapping[str, Sequence[GivenPair]], context: IngestContext, *, overwrite: bool, by: str, progress: Progress
) -> Iterator[Ingested]:
    """Makes the pairs in `files`, by their names, those that were given for their documents; what became of each file.

    A document that has other given pairs already fails unless `overwrite`.
    """
    by_document: dict[str, list[GivenPair]] = defaultdict(list)
    for in_file in files.values():
        for pair in in_file:
            by_document[pair.document].append(pair)
    done: dict[str, tuple[Outcome, MergedPairs]] = {}
    errors: dict[str, TragError] = {}
    for document, given in by_document.items():
        try:
            done[document] = _import(document, given, context, overwrite, by, progress)
        except TragError as error:
            errors[document] = error
    for name, in_file in files.items():
        documents = dict.fromkeys(pair.document for pair in in_file)
        if wrong := [errors[document] for document in documents if document in errors]:
            yield Ingested(name, "failed", " ".join(error.message for error in wrong), wrong[0].hint)
        else:
            yield _imported(name, in_file, [done[document] for document in documents])


def _import(
    document: str, given: Sequence[GivenPair], context: IngestContext, overwrite: bool, by: str, progress: Progress
) -> tuple[Outcome, MergedPairs]:
    """Makes `given` the given pairs of a document."""
    library = context.records.library
    known = library.document(document)
    if known is None:
        raise TragError(
            f"There is no document {shown(document)}.", "Ingest it first, or correct its name among the pairs."
        )
    present = library.pairs(document)
    passages = [passage for passage in library.passages(document) if passage.kind != "qa"]
    merged = with_given(document, given, passages, present, by)
    before = any(pair.origin == "given" for pair in present)
    if set(present) == set(merged.pairs):
        return "unchanged", merged
    if before and not overwrite:
        raise TragError(
            f"{shown(document)} has other pairs already.", "Ingest them with --replace to put these in their place."
        )
    _record(known, merged.pairs, present, context, by, progress)
    return "replaced" if before else "indexed", merged


def _imported(name: str, found: Sequence[GivenPair], done: Sequence[tuple[Outcome, MergedPairs]]) -> Ingested:
    """What became of one file of pairs, from what became of the documents that it names."""
    changed = {outcome for outcome, _ in done}
    outcome: Outcome = "replaced" if "replaced" in changed else "indexed" if "indexed" in changed else "unchanged"
    lost, outdated, decided = (
        [pair for pair in found if pair in those]
        for those in (
            {pair for _, merged in done for pair in merged.lost},
            {pair for _, merged in done for pair in merged.outdated},
            {pair for _, merged in done for pair in merged.decided},
        )
    )
    others = [pair for pair in found if not pair.direct]
    waiting = [pair for pair in found if pair.state == "review"]

    def lines(pairs: Sequence[GivenPair]) -> str:
        return listed("line", [pair.line for pair in pairs])

    notes = (
        f"{len(others)} of types that are not searched, kept for training" if others else "",
        f"{len(waiting)} for review, as the file says" if waiting else "",
        f"{lines(outdated)} for review: the section does not have the source" if outdated else "",
        f"{lines(lost)} name{'s' * (len(lost) == 1)} a section that the document does not have" if lost else "",
        f"{lines(decided)} left as decided here" if decided else "",
    )
    searched = {pair for pair in found if pair.direct and pair.state not in ("review", "deleted")}
    return Ingested(name, outcome, pairs=len(searched - {*outdated}), notes=tuple(filter(None, notes)))


def keep_generated(
    document: Document, found: Mapping[str, Sequence[GeneratedPair]], context: IngestContext, *, by: str
) -> int:
    """Makes what a model wrote about sections of a document, by their paths, pairs of it; how many are new. None where
    the document is gone or another by now. `by` is who had it written."""
    library = context.records.library
    with write_lock:
        known = library.document(document.name)
        if not found or known is None or known.sha256 != document.sha256:
            return 0
        present = library.pairs(document.name)
        passages = [passage for passage in library.passages(document.name) if passage.kind != "qa"]
        generated = [pair for pairs in found.values() for pair in pairs]
        merged = with_generated(document.name, generated, found.keys(), passages, present)
        if set(merged) != set(present):
            _record(known, merged, present, context, by, silent)
    return len({pair.id for pair in merged} - {pair.id for pair in present})


def _record(
    document: Document,
    merged: Sequence[Pair],
    present: Sequence[Pair],
    context: IngestContext,
    by: str,
    progress: Progress,
) -> None:
    """Puts the `merged` pairs in the place of those that a document has, and what is searched in line with them."""
    searched = {pair.passage.id: pair.passage for pair in merged if pair.searched}
    indexed = {pair.passage.id: pair.passage for pair in present if pair.searched}
    fresh = [passage for id, passage in searched.items() if indexed.get(id) != passage]
    embedded = embed_changed(fresh, context, progress, f"embedding pairs of {shown(document.name)}")
    context.records.library.put_pairs(document.name, merged, by=by)
    if fresh:
        context.vectors.add(fresh, embedded, audience=document.audience)
    context.vectors.remove([id for id in indexed if id not in searched])


@dataclass(frozen=True, slots=True)
class Wording:
    """What somebody wants a pair to say; `type` is one of those in trag/ingest/pairs.py, "" for the one it has."""

    question: str
    answer: str
    type: str


def new_pair(document: str, section: str, wording: Wording, by: str, passages: Sequence[Passage]) -> Pair:
    """A pair that a person writes about a section of a document that has `passages`. Raises TragError when the question
    or the answer is empty or too long, or the type not known."""
    pair = Pair(uuid.uuid4().hex, document, section, None, "", "", "short answer", "person")
    return edited(pair, wording, by, passages)


def edited(pair: Pair, wording: Wording, by: str, passages: Sequence[Passage]) -> Pair:
    """The pair in a person's words, who vouches for them, on what its document says now. Raises TragError like
    `new_pair`."""
    question, answer = _text("question", wording.question), _text("answer", wording.answer)
    type_ = wording.type or pair.type
    if type_ not in DIRECT_TYPES | OTHER_TYPES:
        raise TragError(f"The type {shown(type_)} is not known.", "Choose one of those in the list.")
    source = pair.source if answer == pair.answer else ""
    return approved(replace(pair, question=question, answer=answer, type=type_, source=source), by, passages)


def approved(pair: Pair, by: str, passages: Sequence[Passage]) -> Pair:
    """The pair as somebody vouches for it, on what its document says now: searched, if it is of a type that is."""
    return replace(anchored(pair, passages), state="approved", searched=pair.type in DIRECT_TYPES, by=by)


def deleted(pair: Pair, by: str) -> Pair:
    """The pair as a mark that it is not wanted: it is not searched, and not made again."""
    return replace(pair, state="deleted", searched=False, by=by)


def _text(what: str, text: str) -> str:
    text = clean(text)
    if not text:
        raise TragError(f"The {what} is empty.", f"Write the {what}, or delete the pair.")
    if len(text) > LONGEST:
        raise TragError(f"The {what} has {len(text):,} characters; {LONGEST:,} are the most.", "Shorten it.")
    return text


def keep_pair(pair: Pair, context: IngestContext) -> None:
    """Keeps a new or changed pair, and makes it searched or not at once. Raises StoreError without its document."""
    with write_lock:
        before = context.records.library.pair(pair.id)
        fresh = [pair.passage] if pair.searched and not (before and before.searched and before == pair) else []
        embedded = embed(fresh, context.embedder, silent, "")
        context.records.library.put_pair(pair)
        if before and before.searched and not (pair.searched and before.passage.id == pair.passage.id):
            context.vectors.remove([before.passage.id])
        if fresh and (document := context.records.library.document(pair.document)):
            context.vectors.add(fresh, embedded, audience=document.audience)
