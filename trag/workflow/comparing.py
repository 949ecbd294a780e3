"""What differs between two versions of a workflow, told as a person would: steps added, removed and changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from org.procedures.changes import Edit
from trag.workflow.record import Condition, Input, Started, Workflow, WorkflowStep


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step as it was and as it is, None where there was or is none, and what of it is otherwise."""

    what: Literal["same", "added", "removed", "changed"]
    before: WorkflowStep | None
    after: WorkflowStep | None
    edits: tuple[Edit, ...] = ()

    @property
    def step(self) -> WorkflowStep:
        """The step as it is, else as it was."""
        found = self.after or self.before
        assert found is not None  # one of them is there
        return found


@dataclass(frozen=True, slots=True)
class WorkflowChanges:
    """Everything that makes one workflow another: `edits` of its title and trigger, and every step of either in order,
    those that are the same among them."""

    edits: tuple[Edit, ...]
    steps: tuple[StepChange, ...]

    def __bool__(self) -> bool:
        return bool(self.edits) or any(each.what != "same" for each in self.steps)


def compare(before: Workflow | None, after: Workflow) -> WorkflowChanges:
    """The changes from one workflow to another, None for none: then all is added. A step is the same one while it has
    the same name in the same order; that it has another number makes it no other."""
    before = before or Workflow(None, ())
    told = (("title", before.title, after.title), ("trigger", _started(before.trigger), _started(after.trigger)))
    edits = tuple(Edit(field, one, other) for field, one, other in told if one != other)
    names = [[each.name for each in workflow.steps] for workflow in (before, after)]
    blocks = SequenceMatcher(a=names[0], b=names[1], autojunk=False).get_opcodes()
    numbers = {
        before.steps[was].step: after.steps[now].step
        for what, start, end, first, last in blocks
        if what == "equal"
        for was, now in zip(range(start, end), range(first, last), strict=True)
    }
    steps: list[StepChange] = []
    for what, start, end, first, last in blocks:
        old, new = before.steps[start:end], after.steps[first:last]
        if what == "equal":
            for one, other in zip(old, new, strict=True):
                found = tuple(_edits(_renumbered(one, numbers), other))
                steps.append(StepChange("changed" if found else "same", one, other, found))
        else:
            steps += (StepChange("removed", each, None) for each in old)
            steps += (StepChange("added", None, each) for each in new)
    return WorkflowChanges(edits, tuple(steps))


def _renumbered(step: WorkflowStep, numbers: Mapping[int, int]) -> WorkflowStep:
    """A step as it would stand after: what it refers to by the numbers that those steps have there."""

    def source(written: str) -> str:
        first, dot, rest = written.partition(".")
        return f"{numbers.get(int(first), first)}{dot}{rest}" if first.isdecimal() else written

    condition = replace(step.condition, left=source(step.condition.left)) if step.condition else None
    inputs = tuple(replace(each, source=source(each.source)) for each in step.inputs)
    return replace(step, parent=numbers.get(step.parent, step.parent), condition=condition, inputs=inputs)


def _edits(before: WorkflowStep, after: WorkflowStep) -> Iterator[Edit]:
    if before.parent != after.parent:
        yield Edit("within step", str(before.parent or ""), str(after.parent or ""))
    one, other = _condition(before.condition), _condition(after.condition)
    if one != other:
        yield Edit("condition", one, other)
    was, now = ({each.name: given(each) for each in step.inputs} for step in (before, after))
    for name in {**was, **now}:
        if was.get(name, "") != now.get(name, ""):
            yield Edit(name, was.get(name, ""), now.get(name, ""))


def given(input: Input) -> str:
    """What a step is given, in one line: a reference, or a value as JSON has it."""
    return input.source or json.dumps(input.value, ensure_ascii=False)


def _condition(condition: Condition | None) -> str:
    if condition is None:
        return ""
    if condition.by == "open":
        return "open"
    return " ".join(filter(None, (condition.left, condition.op, condition.right)))


def _started(trigger: Started | None) -> str:
    return " ".join(filter(None, (trigger.type, trigger.table))) if trigger else ""
