"""How well a text bears out a sentence, by the words they share.

sentence, evidence -> CheckedSentence.  Knows nothing about charts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trag.record import CheckedSentence
from trag.words import clauses, negated, numbers, sentences, stems

COVERAGE = 0.7
"""Share of a sentence's content words that one place in a source must hold for the sentence to count as borne out."""
EXACT = 0.8
"""The same for a sentence that holds a number: the wrong amount mostly stands right beside the right one."""
WINDOW = 2
"""Sentences of a source that may bear out one sentence of the answer together; one alone where it holds a number."""
FEW = 7
"""Spaces within and around the words of an answer that may be no more than a piece of a sentence: six words."""

_POLARITY = re.compile(r"\W*(?:yes|no)\b[,.:;]?\s*(?=\w)", re.IGNORECASE)
_WORDS = re.compile(r"[\w'’]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that may bear out a sentence: a passage or a statement from the chart, under its id in the record."""

    id: str
    text: str


def checked(sentence: str, evidence: Sequence[Evidence]) -> CheckedSentence:
    """The sentence with the id of the evidence that bears it out best, if any does."""
    scores = [supported(sentence, item.text) for item in evidence]
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    if best is None or scores[best] < (EXACT if numbers(sentence) else COVERAGE):
        return CheckedSentence(sentence, False)
    return CheckedSentence(sentence, True, evidence[best].id)


def supported(sentence: str, text: str) -> float:
    """How well the best `WINDOW` sentences of `text` bear out `sentence`: the share of its content words found there,
    in [0, 1].

    0 when a number of the sentence is missing there, or one side denies what the other says. Only the clauses that hold
    something of the sentence can deny it: not the second of "kept for three weeks, and nobody may see it". A few words
    that stand there as they are need no more: "two years" of "no charter runs for more than two years". A leading yes
    or no belongs to the question.
    """
    said = _POLARITY.sub("", sentence, count=1)
    wanted, figures, denies, spelled = stems(said), numbers(said), negated(said), _spelled(said)
    if not wanted and not figures:
        return 0.0
    parts = sentences(text)
    best = 0.0
    for first in range(len(parts)):
        for last in range(first + 1, min(first + (1 if figures else WINDOW), len(parts)) + 1):
            window = " ".join(parts[first:last])
            if not figures <= numbers(window):
                continue
            if spelled.count(" ") <= FEW and spelled in _spelled(window):
                return 1.0
            share = len(wanted & stems(window)) / len(wanted) if wanted else 1.0
            if share > best and denies == _denies(window, wanted | figures):
                best = share
    return best


def _denies(window: str, wanted: Collection[str | float]) -> bool:
    """Whether the window denies what it shares with a sentence: one of the clauses that hold most of that together."""
    held = [(stems(clause) | numbers(clause), clause) for clause in clauses(window)]
    left, denies = set(wanted), False
    while left:
        most, clause = max(held, key=lambda one: len(left & one[0]))
        if not left & most:
            break
        left -= most
        denies = denies or negated(clause)
    return denies


def _spelled(text: str) -> str:
    """The words of `text` and nothing else, each between spaces."""
    return f" {' '.join(_WORDS.findall(text.lower()))} "
