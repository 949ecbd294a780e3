"""A workflow changed by hand: each change gives a new workflow, whose numbers, references and what is open are right.

What a step can no longer know after a change is open again. What else is wrong then, such as an ELSE without its IF,
the checker says: people put things right in an order of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from trag.workflow.binding import bound
from trag.workflow.record import Condition, Input, Started, Workflow, WorkflowStep
from trag.workflow.scope import Scope

CONDITIONAL = ("IF", "ELSEIF", "DOUNTIL")
HOLDING = ("IF", "ELSEIF", "ELSE", "FOREACH", "DOUNTIL", "PARALLEL", "PARALLELBLOCK", "TRY", "CATCH")
_GOES_ON = {"ELSEIF": ("IF", "ELSEIF"), "ELSE": ("IF", "ELSEIF"), "CATCH": ("TRY",)}
"""What a branch goes on with, right before it on its level."""
_HELD = {"FOREACH": "item", "CATCH": "error"}
"""What a step gives to those within it."""
RECORD = "trigger.record"


@dataclass(frozen=True, slots=True)
class Given:
    """Something that a step may be given: `thing` of the step with a number, or of the trigger's record (0), "" for all
    of it; `source` is the reference to it."""

    source: str
    step: int
    thing: str


def written(source: str) -> str:
    """A reference in the way that `sources` writes it."""
    return RECORD if source in ("record", RECORD) else source.removeprefix("trigger.")


def sources(workflow: Workflow, book: Book, number: int) -> tuple[Given, ...]:
    """What a step can know: the record of the trigger, what those that it is within go through, and what earlier steps
    have given by all means where it comes; of a DOUNTIL, for its condition, also what the steps within it give."""
    scope, found = Scope(workflow, book), []
    if workflow.trigger:
        fields = scope.table.fields if scope.table else ()
        found = [Given(RECORD, 0, ""), *(Given(f"record.{one}", 0, one) for one in fields)]
    path = scope.path(number)
    earlier = [*scope.before(number, at_end=scope.step(number).name == "DOUNTIL")]
    for step in reversed(earlier):
        held = _HELD.get(step.name) if step.step in path else None
        found += (Given(f"{step.step}.{thing}", step.step, thing) for thing in ([held] if held else scope.gives(step)))
    return tuple(found)


def fitting(workflow: Workflow, after: int, *, inside: bool) -> tuple[str, ...]:
    """The logic steps that may be added behind a step, or as the first one `inside` it (0: at the very beginning)."""
    steps = {step.step: step for step in workflow.steps}
    before = "" if inside or after not in steps else steps[after].name
    above = steps[after].name if inside and after in steps else ""
    if not inside and after in steps and (parent := steps[after].parent):
        above = steps[parent].name
    if above == "PARALLEL":
        return ("PARALLELBLOCK",)
    return tuple(
        name
        for name in LOGIC
        if name != "PARALLELBLOCK" and (name not in _GOES_ON or before in _GOES_ON[name]) and before != "END"
    )


def behind(workflow: Workflow, book: Book, after: int, *, inside: bool) -> int:
    """The number of a step that `added` puts there."""
    within = () if inside or not after else tuple(Scope(workflow, book).within(after))
    return after + len(within) + 1


# Changes


def replaced(workflow: Workflow, book: Book, number: int, name: str) -> Workflow:
    """Another action in place of one. What both are given under one name stays, the rest is bound as in a draft."""
    steps = (replace(step, name=name) if step.step == number else step for step in workflow.steps)
    return _bound_at(number, settled(replace(workflow, steps=tuple(steps)), book), book)


def added(workflow: Workflow, book: Book, after: int, name: str, *, inside: bool = False) -> Workflow:
    """A step more, behind another one and all that is within that, or as the first one `inside` it; after 0 at the very
    beginning. It is bound as in a draft; a PARALLEL comes with its two blocks."""
    steps, at = workflow.steps, behind(workflow, book, after, inside=inside) - 1
    parent = after if inside else next((step.parent for step in steps if step.step == after), 0)
    new = max((step.step for step in steps), default=0) + 1
    made = [WorkflowStep(name, new, parent)]
    if name == "PARALLEL":
        made += (WorkflowStep("PARALLELBLOCK", new + place, new) for place in (1, 2))
    return _bound_at(at + 1, _renumbered(workflow, [*steps[:at], *made, *steps[at:]], book), book)


def removed(workflow: Workflow, book: Book, number: int) -> Workflow:
    """One step less, with all that is within it, and with the branches that went on with it."""
    gone, follows, level = {number}, "", 0
    for step in workflow.steps:
        if step.parent in gone:
            gone.add(step.step)
        elif step.step == number:
            follows, level = step.name, step.parent
        elif follows and step.parent == level and step.step > number:
            # An ELSEIF that goes leaves the IF before it to those that come after.
            if follows in ("IF", "TRY") and step.name in _GOES_ON:
                gone.add(step.step)
            else:
                follows = ""
    return _renumbered(workflow, [step for step in workflow.steps if step.step not in gone], book)


def filled(workflow: Workflow, book: Book, number: int, *given: Input) -> Workflow:
    """What a step is given from now on, each instead of what it had under that name; one without a source and a value
    is open."""

    def change(step: WorkflowStep) -> WorkflowStep:
        names = {one.name for one in given}
        kept = [one for one in step.inputs if one.name not in names]
        return replace(step, inputs=(*kept, *(one for one in given if one.source or one.value is not None)))

    steps = tuple(change(step) if step.step == number else step for step in workflow.steps)
    return settled(replace(workflow, steps=steps), book)


def conditioned(workflow: Workflow, book: Book, number: int, condition: Condition) -> Workflow:
    """Another condition of an IF, ELSEIF or DOUNTIL."""
    steps = (replace(step, condition=condition) if step.step == number else step for step in workflow.steps)
    return settled(replace(workflow, steps=tuple(steps)), book)


def started(workflow: Workflow, book: Book, trigger: Started | None) -> Workflow:
    """Another trigger, or the records of another table."""
    return settled(replace(workflow, trigger=trigger), book)


def settled(workflow: Workflow, book: Book) -> Workflow:
    """The workflow with what the book says each step gives, without what a step cannot be given or cannot know, and
    with all that is open."""
    scope, steps = Scope(workflow, book), []
    for step in workflow.steps:
        if step.name not in (*book.actions, *LOGIC):
            steps.append(step)  # nobody knows what it takes
            continue
        known = sources(workflow, book, step.step)
        names = {name for need in scope.needs(step) for name in need}
        inputs = (one for one in step.inputs if one.name in names)
        condition = None
        if step.name in CONDITIONAL:
            condition = step.condition or Condition()
            if condition.left and not _knows(condition.left, known, scope):
                condition = replace(condition, left="", by="open")
        kept = tuple(one for one in inputs if not one.source or _knows(one.source, known, scope))
        steps.append(replace(step, inputs=kept, condition=condition))
    made = Scope(replace(workflow, steps=tuple(steps)), book).finished()
    return replace(made, catalogue=book.version)


def _knows(source: str, known: Sequence[Given], scope: Scope) -> bool:
    """Whether a reference is one of those, or leads on from one; where nobody said which fields a record has, any leads
    on from it."""
    named, trigger = source.removeprefix("trigger."), scope.workflow.trigger
    if (named == "record" or named.startswith("record.")) and trigger:
        anything = not trigger.table or (scope.table is not None and not scope.table.fields)
        source = RECORD if named == "record" or anything else named
    return any(source == one.source or source.startswith(f"{one.source}.") for one in known)


def _bound_at(number: int, workflow: Workflow, book: Book) -> Workflow:
    """The workflow with what is open of one step bound by its names."""
    steps = [*workflow.steps]
    steps[number - 1] = bound(workflow, book).steps[number - 1]
    return settled(replace(workflow, steps=tuple(steps)), book)


def _renumbered(workflow: Workflow, steps: Sequence[WorkflowStep], book: Book) -> Workflow:
    """The workflow of steps that have the numbers of before, with numbers in their order; references go with them, and
    those to what is gone are open."""
    now = {step.step: number for number, step in enumerate(steps, 1)}

    def moved(source: str) -> str:
        first, dot, rest = source.partition(".")
        if not first.isdecimal():
            return source
        return f"{now[int(first)]}{dot}{rest}" if int(first) in now else ""

    def renumbered(step: WorkflowStep) -> WorkflowStep:
        inputs = (replace(one, source=moved(one.source)) for one in step.inputs)
        condition = step.condition
        if condition and condition.left and moved(condition.left) != condition.left:
            left = moved(condition.left)
            condition = replace(condition, left=left, by=condition.by if left else "open")
        return replace(
            step,
            step=now[step.step],
            parent=now.get(step.parent, 0),
            inputs=tuple(one for one in inputs if one.source or one.value is not None),
            condition=condition,
        )

    return settled(replace(workflow, steps=tuple(map(renumbered, steps))), book)
