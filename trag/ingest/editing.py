"""What a person does to a pair: writes one, changes one, vouches for one, removes one.

Pair, words -> Pair, kept and searched at once.  Knows nothing about how pairs are made.
"""

from __future__ import annotations

import uuid
from dataclasses import replace

from store.library import Pair
from trag.errors import TragError
from trag.ingest.pairs import LONGEST
from trag.ingest.parse.characters import clean
from trag.ingest.stock import Stock
from trag.ingest.upkeep import changing, embed, silent


def new_pair(document: str, section: str, question: str, answer: str, by: str) -> Pair:
    """A pair that a person writes. Raises TragError when the question or the answer is empty or too long."""
    question, answer = _text("question", question), _text("answer", answer)
    return Pair(
        uuid.uuid4().hex, document, section, None, question, answer, "short answer", "person", "approved", True, "", by
    )


def edited(pair: Pair, question: str, answer: str, by: str) -> Pair:
    """The pair in a person's words, who vouches for them. Raises TragError like `new_pair`."""
    question, answer = _text("question", question), _text("answer", answer)
    return replace(pair, question=question, answer=answer, state="approved", searched=True, by=by)


def approved(pair: Pair, by: str) -> Pair:
    """The pair as somebody vouches for it."""
    return replace(pair, state="approved", searched=True, by=by)


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


def keep(pair: Pair, stock: Stock) -> None:
    """Keeps a new or changed pair, and makes it searched or not at once. Raises StoreError without its document."""
    with changing:
        before = stock.records.library.pair(pair.id)
        fresh = [pair.passage] if pair.searched and not (before and before.searched and before == pair) else []
        embedded = embed(fresh, stock.embedder, silent, "")
        stock.records.library.put_pair(pair)
        if before and before.searched and not (pair.searched and before.passage.id == pair.passage.id):
            stock.vectors.remove([before.passage.id])
        if fresh:
            stock.vectors.add(fresh, embedded)
