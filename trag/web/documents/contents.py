"""What is in a document, as a person reads it: its sections in order, each with its text and its pairs.

passages, pairs -> sections.  Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trag.web.documents.sources import Saying, saying

if TYPE_CHECKING:
    from store.library import Pair
    from store.passage import Passage

MOST = 40
"""Sections on a page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section under its path of headings: the page it begins on, its passages, the pairs made from it, and by their
    ids what the document says of those that wait. Without passages it is gone, and only its pairs name it."""

    path: str
    page: int | None = None
    passages: list[Passage] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    says: dict[str, Saying] = field(default_factory=dict)

    @property
    def searched(self) -> int:
        """How many of its pairs are searched."""
        return sum(pair.searched for pair in self.pairs)

    @property
    def reviews(self) -> int:
        """How many of its pairs wait for somebody to look."""
        return sum(pair.state == "review" for pair in self.pairs)


def contents(passages: Iterable[Passage], pairs: Sequence[Pair]) -> tuple[Section, ...]:
    """The sections of a document in its order; those that only pairs name come last."""
    found: dict[str, Section] = {}
    own = [passage for passage in passages if passage.kind == "section"]
    for passage in own:
        found.setdefault(passage.section, Section(passage.section, passage.page)).passages.append(passage)
    for pair in pairs:
        section = found.setdefault(pair.section, Section(pair.section, pair.page))
        section.pairs.append(pair)
        if pair.state == "review":
            section.says[pair.id] = saying(pair, own)
    return tuple(found.values())
