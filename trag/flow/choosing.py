"""Which written procedure a request is about, among those that whoever asks may read.

request, procedures -> the likeliest by encoder and reranker -> how likely the reader would be asked this of each, and
of nothing -> one, several, or none

The encoder and the reranker know words, the reader what people say who mean them: their log-odds are added.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from org.procedures.flows import Procedure
from trag.flow.binding import NEARNESS
from trag.flow.scoring import Encode
from trag.llm.model import LanguageModel, Scoring
from trag.progress import Cancelled
from trag.retrieve import Weigh, query_likelihood

_SHOWN, _FAR = 6, 6.0
"""Procedures that the reader compares at most, and by how much, in log-odds, none of them may be behind the best by
encoder and reranker: of 260 requests to three organizations 257 have theirs among 3.8 in the mean."""
_NEAREST = 3  # procedures that whoever gets no plan is led to
_NOTHING = "..."
"""The line that nothing can be asked of."""
_SERVES = 7.0
"""By how much, in log-odds, a procedure must be ahead of nothing to serve the request: of requests to three
organizations 41 of the 42 that have one are 7.8 ahead or more, 14 of the 15 that have none at most 6.1."""
_CLOSE = 1.0
"""By how little another procedure may be behind the best for both to be offered."""


@dataclass(frozen=True, slots=True)
class Found:
    """The procedures that a request may be about, the likeliest first: one, several that are about as likely, or, where
    `none` serves it, those nearest to it."""

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
    """The procedures that serve a request. A model that says no likelihoods leaves the choice to encoder and reranker,
    and refuses nothing. Raises Cancelled when `stop` is set meanwhile, and what the model raises."""
    if not procedures:
        return Found((), none=True)
    titled = [f"{one.title}: {one.when}" if one.when else one.title for one in procedures]
    whole = [" ".join((text, *(step.text for step in one.steps))) for text, one in zip(titled, procedures, strict=True)]
    vectors = encode([request, *(one.title for one in procedures), *titled, *whole])
    similar = (vectors[1:] @ vectors[0]).reshape(3, len(procedures)).mean(axis=0)
    odds = NEARNESS * similar + weigh(request, titled)
    weights: dict[int, float] = {}
    order = (-odds).argsort()[:_SHOWN].tolist()
    for place in order:
        if odds.max() - odds[place] > _FAR:
            break
        if stop and stop.is_set():
            raise Cancelled
        weights[place] = float(odds[place]) + query_likelihood(model, request, [titled[place]])[0]
    ranked = sorted(weights, key=lambda place: -weights[place])
    best = weights[ranked[0]]
    if isinstance(model, Scoring) and best - query_likelihood(model, request, [_NOTHING])[0] < _SERVES:
        nearest = [*dict.fromkeys([*ranked, *order])][:_NEAREST]
        return Found(tuple(procedures[place] for place in nearest), none=True)
    return Found(tuple(procedures[place] for place in ranked if best - weights[place] <= _CLOSE))
