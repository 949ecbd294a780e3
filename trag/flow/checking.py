"""Whether a plan that was recorded keeps to the procedures; it shares no code with what makes plans."""

from __future__ import annotations

from collections import Counter

from org.procedures.flows import Book
from trag.flow.record import PlanChecks, PlanRecord


def check(plan: PlanRecord, book: Book) -> PlanChecks:
    """What is wrong with a plan, read from its record and from the facts of the actions alone."""
    called = [step.action for step in plan.steps]
    unknown = [id for id in called if id not in book.actions]
    repeated = [id for id, times in Counter([*plan.done, *called]).items() if times > 1]
    anybody = {thing for action in book.actions.values() for thing in action.gives}
    have: set[str] = set()
    missing: list[str] = []
    for id in [*plan.done, *called]:
        if action := book.actions.get(id):
            if id in called:
                unmet = [need for need in action.needs if anybody.issuperset(need) and have.isdisjoint(need)]
                missing += [f"{id}: {' or '.join(need)}" for need in unmet]
            have.update(action.gives)
    procedure = book.procedures.get(plan.procedure.id) if plan.procedure else None
    texts = [step.text for step in procedure.steps] if procedure else []
    places = [texts.index(step.step) if step.step in texts else -1 for step in plan.steps]
    ordered = places == sorted(places) and -1 not in places
    return PlanChecks(ordered, tuple(unknown), tuple(repeated), tuple(missing))
