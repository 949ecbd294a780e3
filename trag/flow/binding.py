"""Which actions the steps of a procedure take, where nobody has bound them: by what the words of a step say.

steps, actions -> how alike every stretch of words and every action are -> the stretches that together say most of a
step, each with its action -> what the procedure takes

A step may take one action or several ("the unit blocks the badge, and the desk lends another one"), and nothing tells
which of its words are of which: so a step is cut into stretches that do not overlap, in the way that fits best. No rule
of a language says where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from org.procedures.actions import Action
from org.procedures.flows import Book, Procedure
from org.procedures.graph import Graph
from trag.flow.scoring import Encode
from trag.progress import Progress
from trag.retrieve import Weigh

if TYPE_CHECKING:
    import numpy as np

NEARNESS = 15.0
"""What cosine similarity, in [-1, 1], counts beside log-odds; as in the search for passages."""
_LEAST = 8.0
"""What a stretch must be alike to an action to count, half by itself and half by its whole step: of 26 procedures of
three organizations 19 come out right, with 10 sixteen (docs/RESULTS.md)."""
_COST = 1.0
"""What each action costs that no step names and that another one would need."""
_SAID = 3.0
"""By how much a step must say an action more than the step that needs it does, to have it where none names it."""
_SHORTEST, _LONGEST = 2, 14
"""Words of a stretch."""
_CONSIDERED = 2  # actions that may be what a step is mostly about
_TRIED = 3  # actions that a stretch may stand for: the best may be taken by another stretch


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike the steps of a procedure and all actions are: `whole` (steps, actions), and for each step its stretches
    of words, from one to before the other, with (stretches, actions)."""

    ids: tuple[str, ...]
    whole: np.ndarray
    stretches: tuple[tuple[tuple[tuple[int, int], ...], np.ndarray], ...]

    def of(self, some: Mapping[str, Action]) -> Likeness:
        """The same of some of the actions alone."""
        places = [place for place, id in enumerate(self.ids) if id in some]
        stretches = tuple((spans, values[:, places]) for spans, values in self.stretches)
        return Likeness(tuple(self.ids[place] for place in places), self.whole[:, places], stretches)


def likeness(procedure: Procedure, actions: Mapping[str, Action], encode: Encode, weigh: Weigh) -> Likeness:
    """How alike a procedure's steps and the actions are, as log-odds. Some seconds on two cores for five steps."""
    import numpy as np

    titles = [action.title for action in actions.values()]
    described = [f"{action.title}: {action.description}" for action in actions.values()]
    cut = [_stretches(step.text) for step in procedure.steps]
    texts = dict.fromkeys([*titles, *described, *(step.text for step in procedure.steps)])
    texts |= dict.fromkeys(text for found in cut for text in found.values())
    vectors = dict(zip(texts, encode(list(texts)), strict=True))
    by_title, by_words = (np.array([vectors[text] for text in of]) for of in (titles, described))
    whole, stretches = [], []
    for step, found in zip(procedure.steps, cut, strict=True):
        similar = (by_title + by_words) @ vectors[step.text] / 2
        alike = NEARNESS * similar + weigh(step.text, described)
        parts = np.array([vectors[text] for text in found.values()]) @ by_title.T
        whole.append(alike)
        stretches.append((tuple(found), (NEARNESS * parts + alike) / 2))
    return Likeness(tuple(actions), np.array(whole), tuple(stretches))


def bound(procedure: Procedure, graph: Graph, alike: Likeness) -> dict[str, int]:
    """The actions that a procedure takes, each with the number of its step (from 0): those that an admin bound, those
    that the words of the other steps name, and those without which these cannot be done. What several actions could
    give comes from the one that is most alike to a step and takes least besides."""
    place = {id: number for number, id in enumerate(alike.ids)}
    tiled = [
        step.actions or tuple(alike.ids[each] for each in _tiled(spans, values))
        for step, (spans, values) in zip(procedure.steps, alike.stretches, strict=True)
    ]
    likely = [tuple(alike.ids[each] for each in (-row).argsort()[:_CONSIDERED]) for row in alike.whole]
    possible = {id for of in tiled for id in of} | {of[0] for of in likely}

    def worth(id: str, number: int) -> float:
        """How alike an action and a step are, less what it would take that no step names."""
        more = {*graph.closure([id], chosen=sorted(possible)).actions} - possible
        return float(alike.whole[number][place[id]]) - _COST * len(more)

    named = []
    for number, (step, of) in enumerate(zip(procedure.steps, tiled, strict=True)):
        best = max(step.actions or {*of, *likely[number]}, key=lambda id: (worth(id, number), id))
        named.append((best, *(id for id in of if id != best)))
    possible = {id for of in named for id in of}
    sure = dict.fromkeys([*(of[0] for of in named), *(id for step in procedure.steps for id in step.actions)])
    strength = {id: float(alike.whole[:, place[id]].max()) for id in alike.ids}
    # What is named beside another action counts only where all that it needs is named too: else it is a likeness.
    for id in sorted(possible - {*sure}, key=lambda id: -strength[id]):
        takes = graph.closure([*sure, id], chosen=sorted(possible))
        if {*takes.actions} <= possible and all({*choice.givers} & possible for choice in takes.choices):
            sure[id] = None
    takes = graph.closure(sure)
    while takes.choices:
        there = {*takes.actions}
        more = {id: len({*graph.closure([id], chosen=list(sure)).actions} - there) for id in takes.choices[0].givers}
        sure[max(more, key=lambda id: strength[id] - _COST * more[id])] = None
        takes = graph.closure(sure)

    # From the last action on: each in the step that says it, else in that of the first action that waits for it.
    order: list[str] = []
    while ready := [id for id in graph.permitted(order) if id in takes.actions]:
        order += ready
    at: dict[str, int] = {}
    for id in reversed(order):
        waiting = [step for other, step in at.items() if any(id in need for need in graph.parents(other))]
        steps = range(min(waiting, default=len(named) - 1) + 1)
        said = {number: max(alike.stretches[number][1][:, place[id]], default=-inf) for number in steps}
        naming = [number for number in steps if id in named[number]]
        best = max(naming or steps, key=said.__getitem__)
        at[id] = best if naming or said[best] - said[steps[-1]] > _SAID else steps[-1]
    return {id: at[id] for id in takes.actions}


def with_actions(book: Book, encode: Encode, weigh: Weigh, progress: Progress) -> Book:
    """The book with what `bound` finds bound to its steps, for whoever looks it over and corrects it."""
    acts, procedures = book.for_plans, []
    graph = Graph(acts.values())
    for number, procedure in enumerate(book.procedures.values()):
        progress(procedure.title, number, len(book.procedures))
        takes = bound(procedure, graph, likeness(procedure, acts, encode, weigh)) if acts else {}
        steps = [
            replace(step, actions=step.actions or tuple(id for id, at in takes.items() if at == place))
            for place, step in enumerate(procedure.steps)
        ]
        procedures.append(replace(procedure, steps=tuple(steps)))
    return Book.of(book.actions.values(), procedures, book.tables.values(), book.triggers.values())


def _stretches(text: str) -> dict[tuple[int, int], str]:
    """Stretches of a text by their first word and the one after their last; every other length, and all to the end."""
    words = text.split()
    end = len(words)
    return {
        (first, last): " ".join(words[first:last])
        for first in range(end)
        for last in range(min(first + _SHORTEST, end), min(first + _LONGEST, end) + 1)
        if last == end or (last - first) % 2 == 0
    }


def _tiled(spans: Sequence[tuple[int, int]], values: np.ndarray) -> tuple[int, ...]:
    """The actions of the stretches that do not overlap and are worth most together above `_LEAST` each; no action
    twice. Dynamic programming over the words."""
    ending: dict[int, list[tuple[int, int]]] = {}
    for number, (first, last) in enumerate(spans):
        ending.setdefault(last, []).append((first, number))
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for last in range(1, max((last for _, last in spans), default=0) + 1):
        found = best[-1]
        for first, number in ending.get(last, ()):
            worth, taken = best[first]
            for action in (-values[number]).argsort()[:_TRIED].tolist():
                if action not in taken:
                    more = worth + float(values[number][action]) - _LEAST
                    if more > found[0]:
                        found = more, (*taken, action)
                    break
        best.append(found)
    return best[-1][1]
