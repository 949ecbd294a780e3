"""How well a text bears out a sentence, by the words they share.

sentence, evidence -> CheckedSentence.  Knows nothing about charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trag.record import CheckedSentence
from trag.words import negated, numbers, sentences, stems

COVERAGE = 0.7
"""Share of a sentence's content words that one place in a source must hold for the sentence to count as borne out."""
EXACT = 0.8
"""The same for a sentence that holds a number: the wrong amount mostly stands right beside the right one."""
WINDOW = 2
"""Sentences of a source that may bear out one sentence of the answer together; one alone where it holds a number."""


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

    0 when a number of the sentence is missing there, or one side denies what the other says.
    """
    wanted, figures, denies = stems(sentence), numbers(sentence), negated(sentence)
    if not wanted and not figures:
        return 0.0
    parts = sentences(text)
    best = 0.0
    for first in range(len(parts)):
        for last in range(first + 1, min(first + (1 if figures else WINDOW), len(parts)) + 1):
            window = " ".join(parts[first:last])
            if not figures <= numbers(window) or denies != negated(window):
                continue
            best = max(best, len(wanted & stems(window)) / len(wanted) if wanted else 1.0)
    return best
