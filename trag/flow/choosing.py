"""Which written procedure a request is about, among those that whoever asks may read.

request, procedures -> the likeliest by encoder and reranker -> the reader's choice among them -> one, several, or none

The encoder and the reranker know words, the reader what is meant, in other languages too: their odds are added.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import prompts
from org.procedures.flows import Procedure
from trag.flow.binding import NEARNESS
from trag.flow.scoring import Encode
from trag.llm.model import LanguageModel, Searching
from trag.retrieve import Weigh

_SHOWN = 8
"""Procedures that the reader chooses among."""
_NEAREST = 3  # procedures that whoever gets no plan is led to
_WORDS = 0.2
"""What the log-odds of encoder and reranker count beside those of the reader: of 60 requests to three organizations 48
come out right, 43 by encoder and reranker alone, 44 by the reader alone (docs/RESULTS.md)."""
_CLOSE = 1.0
"""By how little, in log-odds, another procedure may be behind the best for both to be offered: in 58 of the 60 the
right one is the best or as close."""


@dataclass(frozen=True, slots=True)
class Found:
    """The procedures that a request may be about, the likeliest first: one that is `sure`, several that are about as
    likely, or, where `none` serves it, those nearest to it."""

    procedures: tuple[Procedure, ...]
    none: bool = False


def choose(
    request: str,
    procedures: Sequence[Procedure],
    encode: Encode,
    weigh: Weigh,
    model: LanguageModel,
    stop: threading.Event | None = None,
) -> Found:
    """The procedures that serve a request. Raises Cancelled when `stop` is set meanwhile, and what the model raises."""
    if not procedures:
        return Found((), none=True)
    titled = [f"{one.title}: {one.when}" if one.when else one.title for one in procedures]
    whole = [" ".join((text, *(step.text for step in one.steps))) for text, one in zip(titled, procedures, strict=True)]
    vectors = encode([request, *(one.title for one in procedures), *titled, *whole])
    similar = (vectors[1:] @ vectors[0]).reshape(3, len(procedures)).mean(axis=0)
    odds = NEARNESS * similar + weigh(request, titled)
    shown = (-odds).argsort()[:_SHOWN].tolist()
    # Of a model behind an address nobody knows how likely it finds each number.
    none, read = float("-inf"), [0.0] * len(shown)
    if isinstance(model, Searching):
        with model.search(prompts.procedure(request, [titled[place] for place in shown]), stop=stop) as search:
            none, *read = search.weigh([str(number) for number in range(len(shown) + 1)])
    weights = [weight + _WORDS * float(odds[place]) for weight, place in zip(read, shown, strict=True)]
    ranked = sorted(range(len(shown)), key=lambda number: -weights[number])
    if none >= read[ranked[0]]:
        return Found(tuple(procedures[shown[number]] for number in ranked[:_NEAREST]), none=True)
    close = [number for number in ranked if weights[ranked[0]] - weights[number] <= _CLOSE]
    return Found(tuple(procedures[shown[number]] for number in close))
