"""What a plan is measured by (FLAP, section 2.4 and appendix D), in the exact reading that bench/flows/README.md gives.

Plan, the domain with its gold -> Measures of one plan -> mean and standard deviation over plans
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from statistics import fmean, pstdev

from trag.evaluate.flows.data import OPENING, Domain
from trag.evaluate.flows.plans import Plan

Nearest = Callable[[str, Sequence[str]], int]
"""Which of several sentences is the most similar to a text: its place among them."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares are of the plan's units, 0 to 1; a plan without units has none that is wrong, and lacks all of the gold.

    Edits are additions and deletions that make of the plan's steps (APIs) the gold's, whatever their order.
    `inconsistent_with_invented` counts an API that does not exist as inconsistent too. `exact`: parsable, the gold's
    APIs and no other, none before what it needs, those of each of the gold's steps before those of the next.
    """

    thoughts: float
    apis: float
    parsable: float
    finished: float
    repeated: float
    hallucinated: float
    edits_steps: float
    edits_apis: float
    inconsistent_steps: float
    inconsistent_apis: float
    inconsistent_with_invented: float
    exact: float


@dataclass(frozen=True)
class Truth:
    """What a domain's plans are held against: who must come before whom."""

    domain: Domain

    @cached_property
    def parents(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """For each action its needs, each as the other actions that would meet it. One that the asker can meet is
        none."""
        givers: dict[str, set[str]] = {}
        for action in self.domain.book.actions.values():
            for thing in action.gives:
                givers.setdefault(thing, set()).add(action.id)
        return {
            action.id: tuple(
                frozenset().union(*(givers[thing] for thing in need)) - {action.id}
                for need in action.needs
                if all(thing in givers for thing in need)
            )
            for action in self.domain.book.actions.values()
        }

    @cached_property
    def edges(self) -> frozenset[tuple[str, str]]:
        """Every (parent, action)."""
        return frozenset((giver, id) for id, needs in self.parents.items() for need in needs for giver in need)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The steps of all flows; a sentence that several have is one."""
        flows = self.domain.book.procedures.values()
        return tuple(dict.fromkeys(step.text for flow in flows for step in flow.steps))

    def steps_of(self, flow: str) -> list[tuple[str, str]]:
        """The gold of a flow: every (API, sentence of its step), the units that the prompt has written left out."""
        steps = self.domain.book.procedures[flow].steps
        of = zip(steps, self.domain.gold[flow], strict=True)
        return [(id, step.text) for step, ids in of for id in ids if id not in OPENING]

    def before(self, sentence: str, flow: str) -> frozenset[str]:
        """The sentences any of which must have come before this one, none for a first step. Those of the gold's own
        flow where it has the sentence, else those of every flow that has."""
        texts = {id: [step.text for step in procedure.steps] for id, procedure in self.domain.book.procedures.items()}
        holding = {id: steps for id, steps in texts.items() if sentence in steps}
        own = {flow: holding[flow]} if flow in holding else holding
        places = [(steps, steps.index(sentence)) for steps in own.values()]
        return frozenset() if any(place == 0 for _, place in places) else frozenset(s[p - 1] for s, p in places)

    def unmet(self, id: str, written: frozenset[str]) -> bool:
        """Whether an action has a need that nothing written gives."""
        return any(need and need.isdisjoint(written) for need in self.parents.get(id, ()))


def measure(plan: Plan, truth: Truth, flow: str, nearest: Nearest | None) -> Measures:
    """The measures of a plan for a query that `flow` serves.

    A unit's step is the sentence `nearest` to its thought; for plans without thoughts (None) that of the gold's step
    which takes its API, else of another flow's, else none.
    """
    gold = truth.steps_of(flow)
    if nearest:
        steps = [truth.sentences[nearest(unit.thought, truth.sentences)] for unit in plan.units]
    else:
        owners = dict(each for id in (*truth.domain.gold, flow) for each in truth.steps_of(id))
        steps = [owners.get(unit.api, "") for unit in plan.units]
    done: set[str] = set(OPENING)
    begun = {truth.domain.book.procedures[flow].steps[0].text}
    repeated = invented = early = late = 0
    for unit, step in zip(plan.units, steps, strict=True):
        before = truth.before(step, flow)
        repeated += unit.api in done
        invented += unit.api not in truth.domain.book.actions
        early += truth.unmet(unit.api, frozenset(done))
        late += bool(before) and before.isdisjoint(begun)
        done.add(unit.api)
        begun.add(step)
    count = len(plan.units) or 1
    edits = _edits([unit.api for unit in plan.units], [id for id, _ in gold])
    return Measures(
        thoughts=plan.thoughts,
        apis=len(plan.units),
        parsable=plan.parsable,
        finished=plan.finished,
        repeated=repeated / count,
        hallucinated=invented / count,
        edits_steps=_edits(steps, [step for _, step in gold]),
        edits_apis=edits,
        inconsistent_steps=late / count,
        inconsistent_apis=early / count,
        inconsistent_with_invented=(early + invented) / count,
        exact=plan.parsable and not (edits or early) and _in_order([unit.api for unit in plan.units], gold),
    )


def summed(measures: Sequence[Measures]) -> Mapping[str, tuple[float, float]]:
    """For each measure its mean over plans and their (population) standard deviation."""
    columns = {field.name: [float(getattr(one, field.name)) for one in measures] for field in fields(Measures)}
    return {name: (fmean(values), pstdev(values)) for name, values in columns.items()}


def _in_order(written: Sequence[str], gold: Sequence[tuple[str, str]]) -> bool:
    """Whether APIs of the gold come step by step, in whatever order within a step."""
    steps = list(dict.fromkeys(step for _, step in gold))
    places = [steps.index(dict(gold)[id]) for id in written]
    return places == sorted(places)


def _edits(written: Sequence[str], wanted: Sequence[str]) -> int:
    have, want = Counter(written), Counter(wanted)
    return (have - want).total() + (want - have).total()
