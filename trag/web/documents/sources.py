"""What documents say of the pairs that wait for somebody to look: now, and what they said before.

pairs, passages -> a Saying for each.  Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trag.ingest.pairing import anchor, contains

if TYPE_CHECKING:
    from store.library import Library, Pair
    from store.passage import Passage


@dataclass(frozen=True, slots=True)
class Saying:
    """What a document says `now` of a pair, "" where nothing in it is near; and what the pair stood on `before`, which
    its section does not say any more, "" for nothing."""

    now: str
    before: str = ""


def saying(pair: Pair, passages: Sequence[Passage]) -> Saying:
    """What the passages of its document say of a pair."""
    if contains([passage for passage in passages if passage.section == pair.section], pair.source):
        return Saying(pair.source)
    there = anchor(pair, passages)
    return Saying(there.text if there else "", pair.source)


def sayings(pairs: Iterable[Pair], library: Library) -> dict[str, Saying]:
    """What is to be shown of those of the pairs that wait, by their ids."""
    waiting = [pair for pair in pairs if pair.state == "review"]
    said = {
        name: tuple(passage for passage in library.passages(name) if passage.kind == "section")
        for name in {pair.document for pair in waiting}
    }
    return {pair.id: saying(pair, said[pair.document]) for pair in waiting}
