"""The plan of a procedure: its actions step by step, in an order in which each finds all that it needs.

procedure, actions it takes -> calls

FLAP (4.2.2) holds a model to the order by likelihood; here the order is the graph's own, so that no plan can invent,
repeat or misplace an action.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from org.procedures.graph import Graph


@dataclass(frozen=True, slots=True)
class Call:
    """An action of a plan, and the number of its step, from 0."""

    step: int
    action: str


def calls(takes: Mapping[str, int], graph: Graph, done: Collection[str] = ()) -> tuple[Call, ...]:
    """The actions of `takes`, each with its step, in the order of the steps and within one in that of the graph; an
    action that a step needs and that only a later one names comes with the step that needs it. What is `done` is left
    out, and what it gave is at hand.

    Raises ValueError where the actions cannot all be done: `takes` is no closure.
    """
    made: dict[str, int] = {}
    waiting = {id: step for id, step in takes.items() if id not in done}
    # What an action waits for cannot come after it.
    for id in list(waiting):
        for need in graph.closure([id], chosen=list(takes), at_hand=_given(graph, done)).actions:
            if need in waiting:
                waiting[need] = min(waiting[need], waiting[id])
    for step in sorted({*waiting.values()}):
        of = [id for id in waiting if waiting[id] == step]
        while of:
            ready = [id for id in graph.permitted([*done, *made]) if id in of]
            if not ready:
                raise ValueError(f"{of} wait for what is not in the plan")
            made[ready[0]] = step
            of.remove(ready[0])
    return tuple(Call(step, id) for id, step in made.items())


def _given(graph: Graph, done: Collection[str]) -> list[str]:
    return [thing for id in done for thing in graph.actions[id].gives]
