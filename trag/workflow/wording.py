"""A workflow in plain words: what its steps are called, when they are done, and what each is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from trag.workflow.record import Input, Workflow, WorkflowRecord, WorkflowStep
from trag.workflow.scope import Scope

LOGIC_WORDS: Mapping[str, str] = {
    "IF": "If",
    "ELSEIF": "Otherwise, if",
    "ELSE": "Otherwise",
    "FOREACH": "For each",
    "DOUNTIL": "Repeat until",
    "PARALLEL": "At the same time",
    "PARALLELBLOCK": "Beside the others",
    "TRY": "Try",
    "CATCH": "If that fails",
    "WAIT": "Wait",
    "END": "End here",
}
OPERATOR_WORDS: Mapping[str, str] = {
    "=": "is",
    "!=": "is not",
    ">": "is more than",
    ">=": "is at least",
    "<": "is less than",
    "<=": "is at most",
    "contains": "contains",
    "is empty": "is empty",
}
UNITS: Mapping[str, str] = {"M": "minutes", "H": "hours", "D": "days", "W": "weeks"}
"""Of a WAIT, by their letters (ISO 8601)."""
GONE = "No longer there, or not open to you"
NO_STEP = "No step for"
_DURATION = re.compile(r"P(?:(\d+)([DW])|T(\d+)([HM]))")


@dataclass(frozen=True, slots=True)
class Length:
    """How long a WAIT lasts: so many of one of UNITS."""

    number: int
    unit: str


def called(name: str, book: Book) -> str:
    """What a step is called."""
    if name in LOGIC:
        return LOGIC_WORDS[name]
    action = book.actions.get(name)
    return action.title if action else GONE


def thing(name: str) -> str:
    """What something is called that a step needs or gives, or that a record has."""
    return name.replace("_", " ")


def reference(source: str, workflow: Workflow, book: Book) -> str:
    """What a reference refers to ("amount of the record", "decision of step 2")."""
    first, _, rest = source.removeprefix("trigger.").partition(".")
    if first == "record":
        table = book.tables.get(workflow.trigger.table) if workflow.trigger else None
        whole = f"the record ({table.title})" if table else "the record"
        return f"{thing(rest)} of the record" if rest else whole
    name = next((step.name for step in workflow.steps if str(step.step) == first), "")
    if name in ("FOREACH", "CATCH"):
        held, _, rest = rest.partition(".")
        words = "this one of them" if held == "item" else "what failed"
        return f"{thing(rest)} of {words}" if rest else f"{words} (step {first})"
    return f"{thing(rest)} of step {first}"


def given(one: Input, workflow: Workflow, book: Book) -> str:
    """What an input is given."""
    return reference(one.source, workflow, book) if one.source else f"“{one.value}”"


def length(value: object) -> Length | None:
    """How long a WAIT is that has one number and one unit; None for any other."""
    found = _DURATION.fullmatch(str(value))
    return Length(int(found[1] or found[3]), found[2] or found[4]) if found else None


def duration(of: Length) -> str:
    """The value of a WAIT that lasts so long."""
    return f"P{'T' if of.unit in 'HM' else ''}{of.number}{of.unit}"


def headed(step: WorkflowStep, workflow: Workflow, book: Book) -> str:
    """A step in one line: what it is called, with its condition, what it goes through, or how long it waits."""
    name = called(step.name, book)
    if step.name in ("IF", "ELSEIF", "DOUNTIL"):
        condition = step.condition
        if condition is None or condition.by == "open":
            return f"{name} …"
        words = OPERATOR_WORDS.get(condition.op, condition.op)
        return " ".join(filter(None, (name, reference(condition.left, workflow, book), words, condition.right)))
    if step.name in ("FOREACH", "WAIT"):
        if not step.inputs:
            return f"{name} …"
        one = step.inputs[0]
        if step.name == "WAIT" and not one.source:
            lasts = length(one.value)
            return f"{name} {lasts.number} {UNITS[lasts.unit]}" if lasts else f"{name} {one.value}"
        return f"{name} {'of ' if step.name == 'FOREACH' else ''}{given(one, workflow, book)}"
    return name


def begins(workflow: Workflow, book: Book) -> str:
    """What sets it off."""
    if workflow.trigger is None:
        return "Started by hand"
    found = book.triggers.get(workflow.trigger.type)
    table = book.tables.get(workflow.trigger.table)
    of = f": {table.title if table else GONE}" if workflow.trigger.table else ""
    return f"{found.title if found else GONE}{of}"


def workflow_as_text(record: WorkflowRecord, book: Book) -> str:
    """A workflow in plain words, a step a line."""
    workflow = record.workflow
    lines = [f"[{record.interrupted}]"] if record.interrupted else []
    if workflow is None:
        return "\n".join(lines or [f'{NO_STEP}: "{record.request}"'])
    lines.append(f"When: {begins(workflow, book)}")
    depths = {0: -1}
    for step in workflow.steps:
        depths[step.step] = depth = depths.get(step.parent, -1) + 1
        name = f" [{step.name}]" if step.name in book.actions else ""
        lines.append(f"{'  ' * depth}{step.step:>3}. {headed(step, workflow, book)}{name}")
        margin = "  " * depth + "     "
        if step.name in book.actions:
            lines += (f"{margin}{thing(one.name)}: {given(one, workflow, book)}" for one in step.inputs)
            needs = Scope(workflow, book).needs(step)
            missing = (need for need in needs if not any(one.name in need for one in step.inputs))
            lines += (f"{margin}{' or '.join(map(thing, need))}: open" for need in missing)
    lines += (f'{NO_STEP}: "{part}"' for part in workflow.no_step_for)
    return "\n".join(lines)
