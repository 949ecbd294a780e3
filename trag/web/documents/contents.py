"""What is in a document, as a person reads it: its sections in order, each with its text and its pairs.

passages, pairs -> sections.  Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.library import Pair
    from store.passage import Passage

MOST = 40
"""Sections on a page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section under its path of headings: the page it begins on, its passages, and the pairs made from it. Without
    passages it is gone, and only its pairs name it."""

    path: str
    page: int | None = None
    passages: list[Passage] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)

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
    for passage in passages:
        if passage.kind == "section":
            found.setdefault(passage.section, Section(passage.section, passage.page)).passages.append(passage)
    for pair in pairs:
        found.setdefault(pair.section, Section(pair.section, pair.page)).pairs.append(pair)
    return tuple(found.values())
