"""Answers by what they were to mean, and what each group says (GRAMMAR, 4.3, query grouping and tagging).

Knows nothing about how an answer was made or judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Tag = Literal["gap", "robust", "non-robust"]
TAGS: tuple[Tag, ...] = ("gap", "non-robust", "robust")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one text: its meaning, its form, whether the answer is right, the evidence that entered the prompt,
    and that part of the evidence that holds the truth."""

    group: str
    form: str
    right: bool
    context: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Group:
    """All outcomes of one meaning."""

    id: str
    outcomes: tuple[Outcome, ...]

    @property
    def tag(self) -> Tag:
        """Gap where no text was answered rightly, robust where all were, else non-robust."""
        right = sum(outcome.right for outcome in self.outcomes)
        return "gap" if not right else "robust" if right == len(self.outcomes) else "non-robust"


def grouped(outcomes: Sequence[Outcome]) -> tuple[Group, ...]:
    """The groups, in the order of their first outcomes."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.group, []).append(outcome)
    return tuple(Group(id, tuple(some)) for id, some in found.items())
