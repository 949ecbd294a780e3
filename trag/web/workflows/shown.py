"""A workflow as its page shows it: steps within steps, what each is given, and what may be changed at one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from org.chart import Chart
from org.procedures.actions import LOGIC, Action
from org.procedures.flows import Book
from org.reading.problems import Problem
from trag.flow.rights import units_named
from trag.workflow import wording
from trag.workflow.editing import CONDITIONAL, HOLDING, fitting, sources, written
from trag.workflow.record import Input, Suggestion, Workflow, WorkflowStep
from trag.workflow.running import Ran, Run, Simulated
from trag.workflow.scope import Scope
from trag.workflow.wording import Length

SUGGESTED = 8
"""Other steps that are offered at one."""


@dataclass(frozen=True, slots=True)
class Field:
    """Something that a step needs, under any of some names ("person or role"), and what it is given: in words, "" where
    it is open, as a reference, or as a value that was written."""

    name: str
    label: str
    said: str
    source: str
    value: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A step: its line, whose its action is and who heads them, the words of the request that it was suggested for,
    what it is given, what its condition looks at, what is wrong with it, and what is within it."""

    step: WorkflowStep
    line: str
    action: Action | None
    unit: str
    head: str
    words: str
    fields: tuple[Field, ...]
    left: str
    problems: tuple[Problem, ...]
    within: tuple[Shown, ...]
    holds: bool
    open: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: what is sent, and what it is called."""

    value: str
    words: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """What may be changed at a step. `of_record` and `of_steps` are what it may be given; `instead` the suggestions in
    its place, `more` those for a step beside it, `actions` all there are; `behind` and `inside` are the logic steps
    that may come there."""

    of_record: tuple[Choice, ...]
    of_steps: tuple[Choice, ...]
    instead: tuple[Choice, ...]
    more: tuple[Choice, ...]
    actions: tuple[Choice, ...]
    behind: tuple[Choice, ...]
    inside: tuple[Choice, ...]
    lasts: Length | None


@dataclass(frozen=True, slots=True)
class Tried:
    """A step of a dry run in plain words: `given` and `gives` are names and what is known of them."""

    step: int
    line: str
    rounds: tuple[int, ...]
    note: str
    given: tuple[tuple[str, str], ...]
    gives: tuple[tuple[str, str], ...]
    failed: bool


def shown(
    workflow: Workflow,
    book: Book,
    chart: Chart | None,
    suggestions: Sequence[Suggestion] = (),
    problems: Sequence[Problem] = (),
) -> tuple[Shown, ...]:
    """The steps of the first level, with what is within them. `book` is what whoever looks may use."""
    words = {each.name: each.words for each in suggestions if each.kind == "step" and each.words != workflow.request}
    scope, wrong = Scope(workflow, book), dict[int, list[Problem]]()
    for each in problems:
        if each.severity == "error":
            wrong.setdefault(each.row, []).append(each)

    def one(step: WorkflowStep) -> Shown:
        action = book.actions.get(step.name)
        units = units_named([action.unit], chart) if action else []
        condition = step.condition
        fields = tuple(_field(need, step, workflow, book) for need in scope.needs(step))
        return Shown(
            step,
            wording.headed(step, workflow, book),
            action,
            units[0].name if units else action.unit if action else "",
            units[0].head if units else "",
            words.get(step.name, ""),
            fields,
            written(condition.left) if condition else "",
            tuple(wrong.get(step.step, ())),
            level(step.step),
            step.name in HOLDING,
            any(not field.said for field in fields)
            or (step.name in CONDITIONAL and (condition is None or condition.by == "open")),
        )

    def level(parent: int) -> tuple[Shown, ...]:
        return tuple(one(step) for step in workflow.steps if step.parent == parent)

    return level(0)


def _field(need: tuple[str, ...], step: WorkflowStep, workflow: Workflow, book: Book) -> Field:
    found = next((one for one in step.inputs if one.name in need), Input(need[0]))
    is_open = not found.source and found.value is None
    return Field(
        found.name,
        " or ".join(map(wording.thing, need)),
        "" if is_open else wording.given(found, workflow, book),
        written(found.source),
        "" if found.source or found.value is None else str(found.value),
    )


def changes(workflow: Workflow, number: int, book: Book, suggestions: Sequence[Suggestion]) -> Changes:
    """What may be changed at a step (0: before the first)."""
    step = next((each for each in workflow.steps if each.step == number), None)
    known = sources(workflow, book, number) if step else ()
    # What is given already can be chosen, also where it leads on from what is known.
    given = [one.source for one in step.inputs if one.source] if step else []
    given += [step.condition.left] if step and step.condition and step.condition.left else []
    offers = dict.fromkeys([*(one.source for one in known), *map(written, given)])
    suggested = [
        Choice(each.name, book.actions[each.name].title, book.actions[each.name].description)
        for each in suggestions
        if each.kind == "step" and each.name in book.actions
    ]
    length = wording.length(step.inputs[0].value) if step and step.name == "WAIT" and step.inputs else None

    def logic(*, inside: bool) -> tuple[Choice, ...]:
        return tuple(Choice(name, wording.LOGIC_WORDS[name]) for name in fitting(workflow, number, inside=inside))

    def chosen(of_record: bool) -> tuple[Choice, ...]:
        return tuple(_source(each, workflow, book) for each in offers if each[:1].isdecimal() is not of_record)

    return Changes(
        chosen(True),
        chosen(False),
        tuple(each for each in suggested if step and each.value != step.name)[:SUGGESTED],
        tuple(suggested[:SUGGESTED]),
        tuple(Choice(each.id, each.title) for each in sorted(book.actions.values(), key=lambda one: one.title)),
        logic(inside=False),
        logic(inside=True) if step and step.name in HOLDING else (),
        length,
    )


def _source(source: str, workflow: Workflow, book: Book) -> Choice:
    """A reference to choose, with what the step is called whose number it names."""
    words, number = wording.reference(source, workflow, book), source.partition(".")[0]
    name = next((wording.called(step.name, book) for step in workflow.steps if str(step.step) == number), "")
    return Choice(source, f"{words[:1].upper()}{words[1:]}{f': {name}' if name else ''}")


def asked_for(workflow: Workflow, book: Book) -> dict[str, bool]:
    """The fields of the record that a workflow is tried on, and whether each has several things, because the steps go
    through them."""
    table = book.tables.get(workflow.trigger.table) if workflow.trigger else None
    used = [one.source for step in workflow.steps for one in step.inputs]
    used += [step.condition.left for step in workflow.steps if step.condition]
    names = (each.removeprefix("record.") for each in map(written, used) if each.startswith("record."))
    fields = table.fields if table and table.fields else tuple(dict.fromkeys(names))
    through = {written(one.source) for step in workflow.steps if step.name == "FOREACH" for one in step.inputs}
    return {name: f"record.{name}" in through for name in fields}


def tried(run: Run, workflow: Workflow, book: Book) -> tuple[Tried, ...]:
    """A dry run in plain words."""
    steps = {step.step: step for step in workflow.steps}

    def one(ran: Ran) -> Tried:
        step = steps[ran.step]
        is_condition = ran.name in CONDITIONAL
        given = (
            (wording.reference(name, workflow, book) if is_condition else wording.thing(name), value)
            for name, value in ran.inputs.items()
        )
        note = {"met": "This holds.", "not met": "This does not hold."}.get(ran.note, ran.note)
        note = note.replace("open: ", "still to be filled in: ", 1) if note.startswith("open: ") else note
        return Tried(
            ran.step,
            wording.headed(step, workflow, book),
            ran.rounds,
            note[:1].upper() + note[1:],
            tuple((name, _value(value)) for name, value in given),
            tuple(
                (wording.thing(name), "" if isinstance(value, Simulated) else _value(value))
                for name, value in ran.outputs.items()
            ),
            ran.failed,
        )

    return tuple(map(one, run.trace))


def _value(value: object) -> str:
    """A value as people read it."""
    if isinstance(value, Simulated):
        return f"({value})"
    if isinstance(value, Mapping):
        return "; ".join(f"{wording.thing(str(name))}: {_value(each)}" for name, each in value.items() if each != "")
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    return "nothing" if value is None or value == "" else str(value)


def open_things(steps: Iterable[Shown]) -> int:
    """How many steps are not filled in."""
    return sum(each.open + open_things(each.within) for each in steps)


def is_known(name: str, book: Book) -> bool:
    """Whether a step is one that may be used."""
    return name in book.actions or name in LOGIC
