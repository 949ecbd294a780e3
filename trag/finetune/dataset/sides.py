"""Which sections of the documents are held out, so that no passage is learned from and measured on.

passages -> Sides.  Knows nothing about questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import Random

from store.passage import Passage
from trag.finetune.dataset.splitting import SHARE


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the sections: those held out, or all others."""

    held_out: bool
    sections: frozenset[tuple[str, str]]
    """The held-out ones, each the name of its document and its path."""

    def has(self, passage: Passage) -> bool:
        """Whether a passage is of this side."""
        return ((passage.document, passage.section) in self.sections) is self.held_out

    def of(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        """Those of this side."""
        return tuple(passage for passage in passages if self.has(passage))


def divide(sections: Collection[tuple[str, str]], *, seed: int) -> tuple[Side, Side]:
    """The side to learn from and the side held out, of sections as a Side names them: one in ten, at least one of
    several."""
    ordered = sorted(set(sections))
    number = min(max(1, round(SHARE * len(ordered))), len(ordered) - 1) if ordered else 0
    held_out = frozenset(Random(seed).sample(ordered, number))
    return Side(False, held_out), Side(True, held_out)
