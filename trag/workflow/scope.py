"""What is known where in a workflow: the steps that have been done by all means, what they give, what loops hold.

A later step, one in another branch and one that may not have been done give nothing to anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from org.procedures.actions import Table
from org.procedures.flows import Book
from trag.workflow.record import Open, Workflow, WorkflowStep

_NEEDS = {"FOREACH": (("items",),), "WAIT": (("duration",),)}
"""Of logic steps, as an action has them."""
_ALWAYS = ("DOUNTIL", "PARALLEL", "PARALLELBLOCK")
"""What is in these has been done, once they are."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A workflow whose names are those of a book."""

    workflow: Workflow
    book: Book

    @property
    def table(self) -> Table | None:
        """The table that the trigger is about."""
        return self.book.tables.get(self.workflow.trigger.table) if self.workflow.trigger else None

    def step(self, number: int) -> WorkflowStep:
        """The step of that number."""
        return self.workflow.steps[number - 1]

    def needs(self, step: WorkflowStep) -> Sequence[tuple[str, ...]]:
        """Each of its needs, as `Action.needs`."""
        action = self.book.actions.get(step.name)
        return action.needs if action else _NEEDS.get(step.name, ())

    def gives(self, step: WorkflowStep) -> tuple[str, ...]:
        """What there is once it is done."""
        action = self.book.actions.get(step.name)
        return action.gives if action else ()

    def path(self, number: int) -> list[int]:
        """What a step is within, the nearest first, and 0."""
        found = []
        while number:
            number = self.step(number).parent
            found.append(number)
        return found

    def within(self, number: int) -> Iterator[WorkflowStep]:
        """All steps that are within one, at every level."""
        return (step for step in self.workflow.steps if number in self.path(step.step))

    def before(self, number: int, at_end: bool = False) -> Iterator[WorkflowStep]:
        """The steps that have been done by all means when one begins, or, `at_end`, when what is within it has been
        done, and those that it is within: the nearest first."""
        path = [*([number] if at_end else []), *self.path(number)]
        for step in reversed(self.workflow.steps):
            inside = at_end and number in self.path(step.step)
            if (step.step < number or inside) and (step.step in path or self._is_done(step, path)):
                yield step

    def _is_done(self, step: WorkflowStep, path: Sequence[int]) -> bool:
        above = step.parent
        while above not in path:
            holds = self.step(above)
            if holds.name not in _ALWAYS or (holds.name == "PARALLELBLOCK" and holds.parent in path):
                return False
            above = holds.parent
        return True

    def with_step(self, step: WorkflowStep) -> Scope:
        """The same with another step in the place of the one of its number."""
        steps = (*self.workflow.steps[: step.step - 1], step, *self.workflow.steps[step.step :])
        return replace(self, workflow=replace(self.workflow, steps=steps))

    def finished(self) -> Workflow:
        """The workflow, with what its steps give by the book and what of their needs is open."""
        steps = tuple(replace(step, gives=self.gives(step)) for step in self.workflow.steps)
        left = (
            Open(step.step, need[0])
            for step in steps
            for need in self.needs(step)
            if not any(each.name in need for each in step.inputs)
        )
        return replace(self.workflow, steps=steps, open=tuple(left))
