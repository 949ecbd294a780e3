"""Pairs that ask the same and answer the same: one of them is enough.

Knows nothing about how pairs are made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from trag.words import negated, numbers, stem, words

AGREEMENT = 0.75
"""Share of words (of both together) from which two answers to one question say the same."""

_EMPTY = frozenset("a an the do does did is are was were be been has have had will please".split())
_SAME = {"can": "may", "could": "may", "might": "may", "shall": "must", "should": "must"}


class Pair(Protocol):
    """A question and its answer, made or kept."""

    @property
    def question(self) -> str:
        """What is asked."""

    @property
    def answer(self) -> str:
        """What is answered."""


Each = TypeVar("Each", bound=Pair)


def distinct(pairs: Iterable[Each], beside: Iterable[Pair] = ()) -> tuple[Each, ...]:
    """`pairs` without those that ask and answer what an earlier one does, or one of those `beside` them.

    Two questions ask the same when they share every word but articles and auxiliaries, in any order and form. Likeness
    of letters throws facts away, and vectors are blinder still: of 675 pairs on bench/organizations,
    rapidfuzz finds 9 couples 90% alike in question and answer, and none asks the same twice ("half pay for the first
    year", "full pay for the first year").
    """
    answers: dict[tuple[frozenset[str], frozenset[float]], list[str]] = defaultdict(list)
    for known in beside:
        answers[_asked(known)].append(known.answer)
    kept: list[Each] = []
    for pair in pairs:
        same_question = answers[_asked(pair)]
        if not any(_agree(pair.answer, other) for other in same_question):
            same_question.append(pair.answer)
            kept.append(pair)
    return tuple(kept)


def _asked(pair: Pair) -> tuple[frozenset[str], frozenset[float]]:
    return _said(pair.question), numbers(pair.question)


def _agree(one: str, other: str) -> bool:
    """Whether two answers say the same: no other number, no other "not", nearly the same words."""
    said, also = _said(one), _said(other)
    return (
        numbers(one) == numbers(other)
        and negated(one) == negated(other)
        and len(said & also) >= AGREEMENT * len(said | also)
    )


def _said(text: str) -> frozenset[str]:
    return frozenset(stem(_SAME.get(word, word)) for word in words(text) if word not in _EMPTY)
