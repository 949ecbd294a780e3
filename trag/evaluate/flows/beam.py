"""Beam search in which no run of tokens comes twice: FLAP's baseline (section 5), 3 beams and 10 tokens, as the library
does it that the paper used; of the prompt's own runs nothing is known here.

model, messages -> the likeliest text by the mean of its tokens' log-probabilities
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from prompts import Message
from trag.llm.model import Candidate, Searching

BEAMS, RUN = 3, 10


@dataclass(frozen=True, slots=True)
class Beam:
    """Tokens as they read, and the logarithm of how likely they are together; `ended` where nothing comes after."""

    tokens: tuple[str, ...] = ()
    weight: float = 0.0
    ended: bool = False

    @property
    def text(self) -> str:
        return "".join(self.tokens)

    @property
    def mean(self) -> float:
        return self.weight / max(1, len(self.tokens))


def beam_search(model: Searching, messages: Sequence[Message], end: str, max_tokens: int) -> Beam:
    """The best way that is ended, by `end` or by the model; the best one so far where `max_tokens` are over before."""
    beams, done = [Beam()], list[Beam]()
    while beams and len(beams[0].tokens) < max_tokens:
        ways = dict[str, Beam]()  # a text that is spelled in two ways is one
        for way in sorted((way for beam in beams for way in _ways(model, messages, beam, end)), key=_likely):
            ways.setdefault(way.text, way)
        likeliest = list(ways.values())[: 2 * BEAMS]
        done = sorted([*done, *(way for way in likeliest[:BEAMS] if way.ended)], key=_good)[:BEAMS]
        beams = [way for way in likeliest if not way.ended][:BEAMS]
        if len(done) == BEAMS and (not beams or beams[0].mean <= done[-1].mean):
            break
    return min(done or beams, key=_good)


def _ways(model: Searching, messages: Sequence[Message], beam: Beam, end: str) -> Iterator[Beam]:
    with model.search(messages) as search:
        for token in beam.tokens:
            search.take(token)
        for candidate in search.look_ahead(2 * BEAMS, 1, ()):
            if not _repeats(beam.tokens, candidate):
                way = Beam((*beam.tokens, candidate.token), beam.weight + log(candidate.probability))
                yield Beam(way.tokens, way.weight, not candidate.token or end in way.text)


def _repeats(tokens: Sequence[str], candidate: Candidate) -> bool:
    """Whether a run would come again."""
    runs = [tuple(tokens[start : start + RUN]) for start in range(len(tokens) - RUN + 1)]
    return (*tokens[1 - RUN :], candidate.token) in runs


def _likely(beam: Beam) -> float:
    return -beam.weight


def _good(beam: Beam) -> float:
    return -beam.mean
