"""Files of question-answer pairs -> the pairs of the documents that they name, recorded, embedded, indexed.

Knows nothing about how documents are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from trag.errors import TragError
from trag.ingest import pairing
from trag.ingest.found import Ingested, Outcome
from trag.ingest.pairs import GivenPair, pairs
from trag.ingest.parse.characters import listed
from trag.ingest.reader import shown
from trag.ingest.stock import Stock
from trag.ingest.upkeep import Progress, changing, embed

Files = Mapping[str, Sequence[GivenPair]]
"""The pairs in each file, by its name."""


def give_file(content: bytes, name: str, stock: Stock, *, by: str, progress: Progress) -> tuple[Ingested, ...]:
    """Makes the pairs in a file all that were given for the documents that it names. Raises TragError for a file with
    lines that are no pairs."""
    found = pairs(content, name)
    with changing:
        return tuple(give({name: found}, stock, replace=True, by=by, progress=progress))


def give(found: Files, stock: Stock, *, replace: bool, by: str, progress: Progress) -> Iterator[Ingested]:
    """Makes the pairs in files those that were given for their documents; what became of each file.

    A document that has other given pairs already fails unless `replace`.
    """
    by_document: dict[str, list[GivenPair]] = defaultdict(list)
    for in_file in found.values():
        for pair in in_file:
            by_document[pair.document].append(pair)
    outcomes: dict[str, Outcome] = {}
    errors: dict[str, TragError] = {}
    lost: set[GivenPair] = set()
    for document, given in by_document.items():
        try:
            outcomes[document], homeless = _give(document, given, stock, replace, by, progress)
            lost.update(homeless)
        except TragError as error:
            errors[document] = error
    for name, in_file in found.items():
        yield _told(name, in_file, outcomes, errors, lost)


def _give(
    document: str, given: Sequence[GivenPair], stock: Stock, replace: bool, by: str, progress: Progress
) -> tuple[Outcome, tuple[GivenPair, ...]]:
    """Makes `given` the given pairs of a document; what that changed, and the pairs whose section it does not have."""
    library = stock.records.library
    if library.document(document) is None:
        raise TragError(
            f"There is no document {shown(document)}.", "Ingest it first, or correct its name among the pairs."
        )
    present = library.pairs(document)
    passages = [passage for passage in library.passages(document) if passage.kind != "qa"]
    wanted, lost = pairing.given(document, given, passages, present, by)
    before = {pair.id for pair in present if pair.origin == "given"}
    if before == {pair.id for pair in wanted if pair.origin == "given"}:
        return "unchanged", lost
    if before and not replace:
        raise TragError(
            f"{shown(document)} has other pairs already.", "Ingest them with --replace to put these in their place."
        )
    searched = {pair.passage.id: pair.passage for pair in wanted if pair.searched}
    indexed = {pair.passage.id for pair in present if pair.searched}
    fresh = [passage for id, passage in searched.items() if id not in indexed]
    embedded = embed(fresh, stock.embedder, progress, f"embedding pairs of {shown(document)}")
    library.put_pairs(document, wanted, by=by)
    if fresh:
        stock.vectors.add(fresh, embedded)
    stock.vectors.remove([id for id in indexed if id not in searched])
    return "replaced" if before else "indexed", lost


def _told(
    name: str,
    found: Sequence[GivenPair],
    outcomes: Mapping[str, Outcome],
    errors: Mapping[str, TragError],
    lost: set[GivenPair],
) -> Ingested:
    """What became of one file of pairs, from what became of the documents that it names."""
    documents = dict.fromkeys(pair.document for pair in found)
    if wrong := [errors[document] for document in documents if document in errors]:
        return Ingested(name, "failed", " ".join(error.message for error in wrong), wrong[0].hint)
    changed = {outcomes[document] for document in documents}
    outcome: Outcome = "replaced" if "replaced" in changed else "indexed" if "indexed" in changed else "unchanged"
    others = [pair for pair in found if not pair.direct]
    homeless = [pair.line for pair in found if pair in lost]
    notes = []
    if others:
        notes.append(f"{len(others)} of types that are not searched, kept for training")
    if homeless:
        verb = "names" if len(homeless) == 1 else "name"
        notes.append(f"{listed('line', homeless)} {verb} a section that the document does not have")
    return Ingested(name, outcome, pairs=len(found) - len(others), notes=tuple(notes))
