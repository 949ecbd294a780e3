"""A workflow run step by step: every step is given its inputs and gives its outputs, all of it traced.

What an action does, and whether a WAIT lets a run pause, is `perform`'s matter. A dry run simulates it: nothing has an
effect, and what a step would give is only known by its name. A condition on what nobody knows yet counts as met, and so
does one that is still open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from operator import ge, gt, le, lt
from time import monotonic
from typing import Any, Literal, NoReturn

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from trag.json_lines import as_line
from trag.workflow.record import Condition, Input, Workflow, WorkflowStep

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}
OPERATORS = ("=", "!=", *_ORDERS, "contains", "is empty")
MOST_ROUNDS = 100
"""Of a DOUNTIL."""
MOST_STEPS = 10_000
SECONDS = 60.0

Perform = Callable[[WorkflowStep, Mapping[str, object]], Mapping[str, object]]
"""Does an action, or a WAIT, with these inputs; what it gives, by names. Raises StepFailed when it cannot be done, and
Paused when its end has to be waited for."""


class Simulated(str):
    """What a step would give, in words: nobody knows the value."""

    __slots__ = ()


class StepFailed(Exception):
    """A step could not be done; what was found is its only argument. A TRY around it goes on with its CATCH."""


class Paused(Exception):
    """A step is not done yet: somebody, or a moment, is waited for. What for is its only argument."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that was run. `rounds` are those of the loops it is in, the outermost first, from 1 on; `note` says how a
    condition came out, what is open, or, where it `failed`, why."""

    step: int
    name: str
    inputs: Mapping[str, object]
    outputs: Mapping[str, object]
    rounds: tuple[int, ...] = ()
    note: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """How a run went: to the last step, to the END at `step`, to one that failed there (0: before the first), or so far
    as to one that is waited for."""

    status: Literal["done", "ended", "failed", "waiting"]
    trace: tuple[Ran, ...]
    step: int = 0
    message: str = ""

    def to_json(self) -> str:
        """The run as one line of JSON."""
        return as_line(asdict(self))


def simulated(book: Book) -> Perform:
    """The actions of a dry run: each gives what the book says it gives, in words."""

    def perform(step: WorkflowStep, inputs: Mapping[str, object]) -> Mapping[str, object]:
        action = book.actions.get(step.name)
        return {thing: Simulated(f"{thing} of step {step.step}") for thing in (action.gives if action else ())}

    return perform


def run(
    workflow: Workflow,
    book: Book,
    record: Mapping[str, object] | None = None,
    perform: Perform | None = None,
    *,
    most_steps: int = MOST_STEPS,
    seconds: float = SECONDS,
) -> Run:
    """Run a workflow that `checking.check` found no error in on a record of its trigger (None: what nobody knows), dry
    where there is no `perform`. Never raises for what is in the workflow or the record; limits are failures."""
    unknown = [step for step in workflow.steps if step.name not in LOGIC and step.name not in book.actions]
    if unknown:
        return Run("failed", (), unknown[0].step, f"There is no step {unknown[0].name}.")
    walk = _Walk(workflow, book, record, perform or simulated(book), most_steps, monotonic() + seconds)
    try:
        walk.steps_of(0)
    except _Ended as ended:
        return Run("ended", tuple(walk.trace), ended.step)
    except Paused as pause:
        return Run("waiting", tuple(walk.trace), walk.trace[-1].step, str(pause))
    except (StepFailed, _LimitReached) as failure:
        return Run("failed", tuple(walk.trace), walk.trace[-1].step, str(failure))
    return Run("done", tuple(walk.trace))


class _Ended(Exception):
    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.step = step


class _LimitReached(Exception):
    pass


class _Walk:
    """One run: where it is, and what is known there."""

    def __init__(
        self,
        workflow: Workflow,
        book: Book,
        record: Mapping[str, object] | None,
        perform: Perform,
        most_steps: int,
        until: float,
    ) -> None:
        self.trace: list[Ran] = []
        self._book, self._perform, self._most_steps, self._until = book, perform, most_steps, until
        self._record: object = Simulated("record of the trigger") if record is None else record
        self._within: dict[int, list[WorkflowStep]] = {}
        for step in workflow.steps:
            self._within.setdefault(step.parent, []).append(step)
        self._outputs: dict[int, Mapping[str, object]] = {}
        self._rounds: tuple[int, ...] = ()

    def steps_of(self, parent: int) -> None:
        """Run what is within a step, in order (0: all)."""
        taken = False  # a branch of the IF that this step may go on with
        failure = ""
        for step in self._within.get(parent, ()):
            if (step.name in ("ELSEIF", "ELSE") and taken) or (step.name == "CATCH" and not failure):
                continue
            if step.name in ("IF", "ELSEIF", "ELSE"):
                taken = self._branch(step)
            elif step.name == "TRY":
                failure = self._try(step)
            elif step.name == "CATCH":
                self._ran(step)
                self._outputs[step.step] = {"error": failure}
                self.steps_of(step.step)
            else:
                self._one(step)

    def _one(self, step: WorkflowStep) -> None:
        """Any step that the others of its level do not matter to."""
        if step.name == "FOREACH":
            self._for_each(step)
        elif step.name == "DOUNTIL":
            self._do_until(step)
        elif step.name in ("PARALLEL", "PARALLELBLOCK"):
            self._ran(step)
            self.steps_of(step.step)
        elif step.name == "END":
            self._ran(step)
            raise _Ended(step.step)
        else:
            self._action(step)

    def _branch(self, step: WorkflowStep) -> bool:
        """Run what is within IF, ELSEIF or ELSE, if it is its turn; whether it was."""
        if step.name == "ELSE":
            self._ran(step)
            holds = True
        else:
            holds = self._holds(step)
        if holds:
            self.steps_of(step.step)
        return holds

    def _try(self, step: WorkflowStep) -> str:
        """Run what is within TRY; why it failed, "" where it did not."""
        self._ran(step)
        rounds = self._rounds
        try:
            self.steps_of(step.step)
        except StepFailed as failure:
            self._rounds = rounds
            return str(failure) or "failed"
        return ""

    def _for_each(self, step: WorkflowStep) -> None:
        inputs = self._given(step)
        items = inputs.get("items", Simulated(f"items of step {step.step}"))
        note = ""
        if isinstance(items, Simulated):
            items, note = [Simulated(f"one of the {items}")], "nobody knows the items yet: run with one"
        elif not isinstance(items, list):
            self._fail(step, inputs, f"{_shown(items)} is no list to go through.")
        self._ran(step, inputs, note=note)
        for number, item in enumerate(items, 1):
            self._round(step, number, {"item": item})
        self._outputs.pop(step.step, None)

    def _do_until(self, step: WorkflowStep) -> None:
        self._ran(step)
        for number in range(1, MOST_ROUNDS + 1):
            self._round(step, number, {})
            if self._holds(step):
                return
        self._fail(step, {}, f"Its condition was not met in {MOST_ROUNDS} rounds.")

    def _round(self, step: WorkflowStep, number: int, gives: Mapping[str, object]) -> None:
        outside = self._rounds
        self._outputs[step.step], self._rounds = gives, (*outside, number)
        self.steps_of(step.step)
        self._rounds = outside

    def _action(self, step: WorkflowStep) -> None:
        inputs = self._given(step)
        action = self._book.actions.get(step.name)
        needs = action.needs if action else (("duration",),)
        missing = ["|".join(need) for need in needs if not any(thing in inputs for thing in need)]
        try:
            outputs = self._perform(step, inputs)
        except StepFailed as failure:
            self._fail(step, inputs, str(failure))
        except Paused as pause:
            self.trace.append(Ran(step.step, step.name, inputs, {}, self._rounds, str(pause)))
            raise
        self._outputs[step.step] = outputs
        self._ran(step, inputs, outputs, f"open: {', '.join(missing)}" if missing else "")

    def _holds(self, step: WorkflowStep) -> bool:
        """Whether the condition of a step is met, traced."""
        condition = step.condition
        if condition is None or condition.by == "open":
            self._ran(step, note="open: taken as met")
            return True
        try:
            left = self._referred(condition.left)
            if isinstance(left, Simulated):
                self._ran(step, {condition.left: left}, note="nobody knows it yet: taken as met")
                return True
            holds = compare(left, condition)
        except StepFailed as failure:
            self._fail(step, {}, str(failure))
        self._ran(step, {condition.left: left}, note="met" if holds else "not met")
        return holds

    def _given(self, step: WorkflowStep) -> dict[str, object]:
        try:
            return {each.name: self._value(each) for each in step.inputs}
        except StepFailed as failure:
            self._fail(step, {}, str(failure))

    def _value(self, given: Input) -> object:
        return self._referred(given.source) if given.source else given.value

    def _referred(self, written: str) -> object:
        """What a reference refers to. Raises StepFailed where there is nothing."""
        first, _, rest = written.partition(".")
        if first == "trigger":
            return _follow({"record": self._record}, rest, "The trigger")
        if first == "record":
            return _follow(self._record, rest, "The record")
        number = int(first) if first.isdecimal() else 0
        if number not in self._outputs:
            raise StepFailed(f"{written} is not there.")
        return _follow(self._outputs[number], rest, f"Step {number}")

    def _ran(
        self,
        step: WorkflowStep,
        inputs: Mapping[str, object] | None = None,
        outputs: Mapping[str, object] | None = None,
        note: str = "",
        failed: bool = False,
    ) -> None:
        self.trace.append(Ran(step.step, step.name, inputs or {}, outputs or {}, self._rounds, note, failed))
        if failed:
            return
        if len(self.trace) >= self._most_steps:
            raise _LimitReached(f"More than {self._most_steps:,} steps were run.")
        if monotonic() > self._until:
            raise _LimitReached("The run took too long.")

    def _fail(self, step: WorkflowStep, inputs: Mapping[str, object], message: str) -> NoReturn:
        self._ran(step, inputs, note=message, failed=True)
        raise StepFailed(message)


def _follow(value: object, path: str, what: str) -> object:
    """What a path of names leads to; names may have dots in them themselves."""
    while path:
        if isinstance(value, Simulated):
            return Simulated(f"{path} of {value}")
        held = value if isinstance(value, Mapping) else {}
        name = max((name for name in held if f"{path}.".startswith(f"{name}.")), key=len, default=None)
        if name is None:
            raise StepFailed(f'{what} has no "{path}".')
        value, path = held[name], path[len(name) + 1 :]
    return value


def compare(left: object, condition: Condition) -> bool:
    """Whether a condition is met by what its left side is: as numbers where both sides are, else as texts in whatever
    case, dates by ISO 8601 being in order as they are. Raises StepFailed for what has no order."""
    op, right = condition.op, condition.right.strip()
    if op == "is empty":
        return left is None or left in ("", [], {})
    if op == "contains":
        within = [_shown(each).casefold() for each in left] if isinstance(left, list) else _shown(left).casefold()
        return right.casefold() in within
    one, other = _number(left), _number(right)
    sides = (_shown(left).casefold(), right.casefold()) if one is None or other is None else (one, other)
    if op in ("=", "!="):
        return (sides[0] == sides[1]) == (op == "=")
    if (one is None) != (other is None) or not isinstance(left, str | int | float) or isinstance(left, bool):
        raise StepFailed(f"{_shown(left)} and {right} cannot be compared.")
    return _ORDERS[op](*sides)


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _shown(value: object) -> str:
    """A value in words, as a condition is held against it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
