"""What the reranker learns from: questions about documents, each with the lines that a search brings and which of them
answer it.

cases, passages -> Listings, with the lines as they are ranked.  Which line answers is told by the words of the right
answer.  Knows nothing about how it is learned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store.passage import Passage
from trag import retrieve
from trag.evaluate.cases import Case, names_section
from trag.words import numbers, stems

_NEAREST = 8
"""Passages of a listing beside those of the section that a case names: those with most words of its question."""
_TELLING = 0.55
"""Share of the right answer's words that a text must hold to be taken for one that answers."""
_AS_GOOD, _NEARLY = 0.02, 0.7
"""How much less than the best text another may hold and answer too, and the share of it from which it might."""
_ASKED = 0.25
"""What the words of the question weigh against those of the answer."""
_POLARITY = re.compile(r"^(?:yes|no)\b[,.;: ]*", re.I)


@dataclass(frozen=True, slots=True)
class Listing:
    """A question with texts that may answer it: the places of those that do (none, for a question to refuse), and of
    those that might, from which nothing is learned."""

    question: str
    texts: tuple[str, ...]
    answering: tuple[int, ...]
    unsure: tuple[int, ...] = ()

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the texts that do not answer."""
        known = {*self.answering, *self.unsure}
        return tuple(place for place in range(len(self.texts)) if place not in known)


def listings(cases: Sequence[Case], passages: Sequence[Passage]) -> Iterator[Listing]:
    """The cases about documents, and those to refuse; without those whose answer no text holds by its words."""
    for case in cases:
        if not case.document:
            continue
        own = [one for one in passages if names_section(case, one.document, one.section)]
        asked = stems(case.question)
        others = sorted(
            (one for one in passages if one not in own),
            key=lambda one: -len(asked & stems(f"{one.section} {one.text}")),
        )
        lines = ((one, line) for one in (*own, *others[:_NEAREST]) for line in retrieve.lines_of(one))
        texts = tuple(dict.fromkeys(retrieve.headed(one, line) for one, line in lines))
        if case.refuse:
            yield Listing(case.question, texts, ())
        elif found := _answering(case.question, case.answer, texts):
            yield Listing(case.question, texts, *found)


def _answering(question: str, answer: str, texts: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The places of the texts that hold the answer, and of those that nearly do; None where none holds enough."""
    wanted, asked = _words(_POLARITY.sub("", answer)), stems(question)
    shares = []
    for text in texts:
        held = _words(text)
        share = len(wanted & held) / len(wanted) if wanted else 0.0
        shares.append(share + (_ASKED if wanted else 1.0) * len(asked & held) / max(1, len(asked)))
    best = max(shares, default=0.0)
    if best < _TELLING:
        return None
    return (
        tuple(place for place, share in enumerate(shares) if share >= best - _AS_GOOD),
        tuple(place for place, share in enumerate(shares) if _NEARLY * best <= share < best - _AS_GOOD),
    )


def _words(text: str) -> set[str]:
    return set(stems(text)) | {f"= {number}" for number in numbers(text)}
