"""The context comparison: was what a wrong answer was given to read enough to answer from? (GRAMMAR, 4.3)

Enough is evidence that holds the truth, whichever piece of it that is. Where neither the wrong answer nor any right one
to the same meaning is known to have had such, enough is, as in the paper, any piece that a right one had too. Knows
nothing about how answers are made.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from trag.evaluate.grammar.groups import Group, Outcome

Module = Literal["retrieval database", "retrieval", "language model"]
MODULES: tuple[Module, ...] = ("retrieval database", "retrieval", "language model")


def sufficient(outcome: Outcome, group: Group) -> bool:
    """Whether a wrong answer in a non-robust group had a context from which its meaning can be answered rightly."""
    right = [one for one in group.outcomes if one.right]
    if outcome.holding or any(one.holding for one in right):
        return bool(outcome.holding)
    return bool(outcome.context & frozenset[str]().union(*(one.context for one in right)))


def at_fault(outcome: Outcome, group: Group, covered: Collection[str] = ()) -> Module:
    """The module that a wrong answer is owed to. `covered` are the groups whose truth is known to be in the documents
    or the chart.

    In a non-robust group the contexts decide. In a gap group no right answer is there to compare with, and the paper
    owes all of it to the retrieval database; where the truth is seen to have entered the prompt the model was at
    fault, where it is known to be in the database but did not enter, retrieval was.
    """
    if group.tag == "non-robust":
        return "language model" if sufficient(outcome, group) else "retrieval"
    if outcome.holding:
        return "language model"
    return "retrieval" if group.id in covered else "retrieval database"
