"""Which written procedure a request is about, among those that whoever asks may read.

request, procedures -> the likeliest by encoder and reranker -> the reader's choice among them -> one, several, or none

The encoder and the reranker know words, the reader what is meant, in other languages too: their odds are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import prompts
from org.procedures.flows import Procedure
from trag.flow.binding import NEARNESS, Encode, Weigh
from trag.llm.model import LanguageModel, Searching

_SHOWN = 8
"""Procedures that the reader chooses among."""
_WORDS = 0.3
"""What the log-odds of encoder and reranker count beside those of the reader."""
_CLOSE = 1.0
"""By how little, in log-odds, another procedure may be behind the best for both to be offered."""


@dataclass(frozen=True, slots=True)
class Found:
    """The procedures that a request may be about, the likeliest first: one that is `sure`, several that are about as
    likely, or, where `none` serves it, those nearest to it."""

    procedures: tuple[Procedure, ...]
    none: bool = False


def choose(request: str, procedures: Sequence[Procedure], encode: Encode, weigh: Weigh, model: LanguageModel) -> Found:
    """The procedures that serve a request. Raises what the model raises."""
    if not procedures:
        return Found((), none=True)
    titled = [f"{one.title}: {one.when}" if one.when else one.title for one in procedures]
    whole = [" ".join((text, *(step.text for step in one.steps))) for text, one in zip(titled, procedures, strict=True)]
    vectors = encode([request, *(one.title for one in procedures), *titled, *whole])
    similar = (vectors[1:] @ vectors[0]).reshape(3, len(procedures)).mean(axis=0)
    odds = NEARNESS * similar + weigh(request, titled)
    order = (-odds).argsort()[:_SHOWN].tolist()
    shown = [procedures[place] for place in order]
    read = [_WORDS * float(odds[place]) for place in order]
    none = None
    if isinstance(model, Searching):
        with model.search(prompts.procedure(request, [titled[place] for place in order])) as search:
            none, *weights = search.weigh([str(number) for number in range(len(order) + 1)])
        read = [one + weight for one, weight in zip(read, weights, strict=True)]
    best = max(read)
    ranked = sorted(zip(read, range(len(order)), shown, strict=True), key=lambda one: (-one[0], one[1]))
    if none is not None and none > best - _WORDS * float(odds[order[0]]):
        return Found(tuple(one for *_, one in ranked[:3]), none=True)
    return Found(tuple(one for weight, _, one in ranked if best - weight <= _CLOSE))
