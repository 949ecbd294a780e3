"""What a person does to a pair: writes one, changes one, vouches for one, removes one.

Pair, words -> Pair, kept and searched at once.  Knows nothing about how pairs are made.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from store.library import Pair
from store.passage import Passage
from trag.errors import TragError
from trag.ingest.context import IngestContext, changing
from trag.ingest.pair_anchors import placed
from trag.ingest.pairs import DIRECT_TYPES, LONGEST, OTHER_TYPES
from trag.ingest.parse.characters import clean
from trag.ingest.reader import shown
from trag.ingest.reconciliation import embed
from trag.progress import silent


@dataclass(frozen=True, slots=True)
class Wording:
    """What somebody wants a pair to say; `type` is one of those in trag/ingest/pairs.py, "" for the one it has."""

    question: str
    answer: str
    type: str


def new_pair(document: str, section: str, said: Wording, by: str, passages: Sequence[Passage]) -> Pair:
    """A pair that a person writes about a section of a document that has `passages`. Raises TragError when the question
    or the answer is empty or too long, or the type not known."""
    pair = Pair(uuid.uuid4().hex, document, section, None, "", "", "short answer", "person")
    return edited(pair, said, by, passages)


def edited(pair: Pair, said: Wording, by: str, passages: Sequence[Passage]) -> Pair:
    """The pair in a person's words, who vouches for them, on what its document says now. Raises TragError like
    `new_pair`."""
    question, answer = _text("question", said.question), _text("answer", said.answer)
    type_ = said.type or pair.type
    if type_ not in DIRECT_TYPES | OTHER_TYPES:
        raise TragError(f"The type {shown(type_)} is not known.", "Choose one of those in the list.")
    source = pair.source if answer == pair.answer else ""
    return approved(replace(pair, question=question, answer=answer, type=type_, source=source), by, passages)


def approved(pair: Pair, by: str, passages: Sequence[Passage]) -> Pair:
    """The pair as somebody vouches for it, on what its document says now: searched, if it is of a type that is."""
    return replace(placed(pair, passages), state="approved", searched=pair.type in DIRECT_TYPES, by=by)


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


def keep(pair: Pair, stock: IngestContext) -> None:
    """Keeps a new or changed pair, and makes it searched or not at once. Raises StoreError without its document."""
    with changing:
        before = stock.records.library.pair(pair.id)
        fresh = [pair.passage] if pair.searched and not (before and before.searched and before == pair) else []
        embedded = embed(fresh, stock.embedder, silent, "")
        stock.records.library.put_pair(pair)
        if before and before.searched and not (pair.searched and before.passage.id == pair.passage.id):
            stock.vectors.remove([before.passage.id])
        if fresh and (document := stock.records.library.document(pair.document)):
            stock.vectors.add(fresh, embedded, audience=document.audience)
