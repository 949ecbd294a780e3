"""How well one thought and API fit flow, API graph and query: the heuristic of FLAP's constrained decoding (4.2.2).

unit, what is written before it -> H = F_st(a H_th:step + b H_api + c H_th:in + d H_th:api); with P -> S
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from org.procedures.flows import Book
from org.procedures.graph import Graph
from trag.flow.prompting import Unit

if TYPE_CHECKING:
    import numpy as np

Encode = Callable[[Sequence[str]], "np.ndarray"]
"""Texts to vectors: one row each, of unit length, so that a dot product is their cosine."""
Place = tuple[str, int]
"""A step: the id of its procedure and its number there, from 0."""
_ONE = 1 + 1e-5
"""The greatest cosine there is, as far as vectors are of unit length."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Those of the terms (a, b, c, d), of a thought's step (alpha), of an API that is not permitted or does not exist
    (beta), and of the heuristic beside the model's probability (lambda); defaults are the paper's (appendix C.1)."""

    step: float = 1
    api: float = 1
    query: float = 1
    description: float = 1
    same_step: float = 1
    in_flow: float = 0.5
    off_flow: float = 0.1
    not_permitted: float = 0.1
    heuristic: float = 0.7


FLAP = {
    "flap.1": Weights(step=0),
    "flap.2": Weights(query=0),
    "flap.3": Weights(description=0),
    "flap.4": Weights(),
}
"""The paper's versions, which differ in what a thought is aligned with."""


@dataclass(frozen=True, slots=True)
class Terms:
    """H_th:step, H_api, H_th:in and H_th:api of one unit, unweighted."""

    step: float
    api: float
    query: float
    description: float


@dataclass(frozen=True, slots=True)
class State:
    """What is written: the APIs called, the steps that thoughts were about, those of the last thought, and the
    procedures that are followed. A sentence that several followed procedures have is a step of each of them."""

    called: frozenset[str]
    begun: frozenset[Place]
    last: frozenset[Place]
    followed: frozenset[str]


class Heuristic:
    """For the plans of one query. Keeps the vector of every text it has met."""

    def __init__(self, book: Book, query: str, encode: Encode, weights: Weights) -> None:
        self.weights = weights
        self._actions = book.actions
        self._graph = Graph(book.actions.values())
        self._encode = encode
        self._query = query
        self._vectors: dict[str, np.ndarray] = {}
        self._places: dict[str, list[Place]] = {}  # by the sentence of the step: several procedures may have it
        for procedure in book.procedures.values():
            for number, step in enumerate(procedure.steps):
                self._places.setdefault(step.text, []).append((procedure.id, number))

    def start(self, called: Collection[str]) -> State:
        """What is written before the first free unit: the APIs that the prompt has called. They are the first step of
        every procedure, which is not begun where there are none; no procedure is followed more than another."""
        places = [place for of in self._places.values() for place in of]
        first = frozenset(place for place in places if place[1] == 0 and called)
        return State(frozenset(called), first, first, frozenset(flow for flow, _ in places))

    def values(self, units: Sequence[Unit | None], state: State) -> list[float]:
        """H of each of several ways on; None is one that is not in the form, for which it is 0 (F_st)."""
        self._meet([text for unit in units if unit for text in (unit.thought, unit.api)])
        return [self._sum(self.terms(unit, state)) if unit else 0.0 for unit in units]

    def bounds(self, begun: Sequence[Unit | None], state: State) -> list[tuple[float, float]]:
        """The least and the most that H can be of ways on that are units not yet whole; see `prompting.begun`."""
        self._meet([unit.thought for unit in begun if unit and unit.thought])
        return [self._bounds(unit, state) if unit else (0.0, 0.0) for unit in begun]

    def terms(self, unit: Unit, state: State) -> Terms:
        """The four terms of a unit that would come next."""
        known = self._actions.get(unit.api)
        described = known.description if known else unit.api
        return Terms(
            step=self._step(unit.thought, state),
            api=self._api(unit.api, state),
            query=self._similar(unit.thought, self._query),
            description=self._similar(unit.thought, described),
        )

    def after(self, unit: Unit, state: State) -> State:
        """What is written once this unit is. An API that does not exist is none that was called; a thought that is of
        none of the followed procedures is the step of every procedure that has it, and those are followed now."""
        sentence, _ = self._nearest(unit.thought, list(self._places))
        places = frozenset(self._places[sentence])
        last = frozenset(place for place in places if place[0] in state.followed) or places
        called = state.called | {unit.api} if unit.api in self._actions else state.called
        return State(called, state.begun | last, last, frozenset(flow for flow, _ in last))

    def _bounds(self, begun: Unit, state: State) -> tuple[float, float]:
        """Of a thought that is not over nothing is known; of one that is, all but how its API goes on, which may be
        one that exists or one that is invented. No cosine is more than 1, and what leaves the form is worth 0."""
        weights = self.weights
        alpha = max(weights.same_step, weights.in_flow, weights.off_flow)
        invented = Terms(alpha * _ONE, max(1.0, weights.not_permitted) * _ONE, _ONE, _ONE)
        ends = [invented, Terms(*(-term for term in astuple(invented)))]
        if begun.thought:
            step, query = self._step(begun.thought, state), self._similar(begun.thought, self._query)
            names = [name for name in self._actions if name.startswith(begun.api)]
            ends = [
                Terms(
                    step, self._api(name, state), query, self._similar(begun.thought, self._actions[name].description)
                )
                for name in names
            ]
            ends += (Terms(step, sign * weights.not_permitted * _ONE, query, sign * _ONE) for sign in (1, -1))
        found = [0.0, *map(self._sum, ends)]
        return min(found), max(found)

    def _step(self, thought: str, state: State) -> float:
        """The similarity to the nearest of all steps, by how that lies to what is written; of the places that its
        sentence has the best counts."""
        sentence, similarity = self._nearest(thought, list(self._places))
        return max(self._alpha(place, state) * similarity for place in self._places[sentence])

    def _alpha(self, place: Place, state: State) -> float:
        if place in state.last:
            return self.weights.same_step
        flow, number = place
        if place in state.begun or (number and (flow, number - 1) not in state.begun):
            return 0.0
        return self.weights.in_flow if flow in state.followed else self.weights.off_flow

    def _api(self, name: str, state: State) -> float:
        if name not in self._actions:
            _, similarity = self._nearest(name, list(self._actions))
            return self.weights.not_permitted * similarity
        if name in state.called:
            return 0.0
        return 1.0 if name in self._graph.permitted(state.called) else self.weights.not_permitted

    def _sum(self, terms: Terms) -> float:
        weights = self.weights
        return (
            weights.step * terms.step
            + weights.api * terms.api
            + weights.query * terms.query
            + weights.description * terms.description
        )

    def _nearest(self, text: str, among: Sequence[str]) -> tuple[str, float]:
        """The most similar of some texts, and how similar it is."""
        self._meet([text, *among])
        found = max(among, key=lambda other: self._similar(text, other))
        return found, self._similar(text, found)

    def _similar(self, text: str, other: str) -> float:
        self._meet([text, other])
        return float(self._vectors[text] @ self._vectors[other])

    def _meet(self, texts: Sequence[str]) -> None:
        """Encodes those that are new, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encode(new), strict=True))


def score(probability: float, value: float, weights: Weights) -> float:
    """S of a candidate: what the model finds of its token, and the heuristic of what its look-ahead is."""
    return (1 - weights.heuristic) * probability + weights.heuristic * value
