"""Whether a workflow keeps every rule and names only what exists, read from its JSON and the book alone.

It shares no code with what writes workflows (`structure`) and with what runs them: each says the rules for itself. All
problems are told at once, each with the number of its step. An error keeps the workflow from being run; a warning is
what is still open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from org.procedures.actions import Action, Table, Trigger
from org.procedures.flows import Book
from org.reading.problems import Problem, error, listing, quoted, warning

_CONDITIONAL = ("IF", "ELSEIF", "DOUNTIL")
_HOLDING = ("IF", "ELSEIF", "ELSE", "FOREACH", "DOUNTIL", "PARALLEL", "PARALLELBLOCK", "TRY", "CATCH")
_ALONE = ("WAIT", "END")
_LOGIC = (*_HOLDING, *_ALONE)
_ALWAYS = ("DOUNTIL", "PARALLEL", "PARALLELBLOCK")
"""What is in these has been done, once they are."""
_OPERATORS = ("=", "!=", ">", ">=", "<", "<=", "contains", "is empty")
_INPUTS = {"FOREACH": (("items",),), "WAIT": (("duration",),)}
_DURATION = re.compile(r"P(?=.)(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?")
_KEYS = ("trigger", "steps", "title", "request", "catalogue", "open", "no_step_for")
_STEP_KEYS = ("name", "step", "parent", "condition", "inputs", "gives")
_MOST, _DEEPEST = 60, 8
_SHAPE = 'A workflow is {"trigger": {"type": "..."}, "steps": [{"name": "...", "step": 1}]}.'
_SEEN = "A step knows the trigger's record and what earlier steps gave on the way that leads to it."


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps as they could be read, each by its place from 1 on: names ("" where there is none), parents (0 for
    none, and where it cannot be used), and all that is said of them."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    said: tuple[Mapping[str, object], ...]

    def name(self, number: int) -> str:
        return self.names[number - 1] if number else ""

    def path(self, number: int) -> list[int]:
        """What a step is within, the nearest first, and 0."""
        found = []
        while number:
            number = self.parents[number - 1]
            found.append(number)
        return found

    def within(self, number: int) -> list[int]:
        return [place for place, parent in enumerate(self.parents, 1) if parent == number]


def check(
    workflow: object, book: Book, *, earlier: Book | None = None, usable: Collection[str] | None = None
) -> tuple[Problem, ...]:
    """Everything that is wrong with a workflow as JSON has it, in the order of its steps; `row` is the number of the
    step, 0 for the whole.

    `earlier` is the book that it was written for, where that is another one: what was renamed since is told.
    `usable` are the ids of the actions and tables that whoever asks may use, None for all: of others they are not told
    that they exist.
    """
    if not isinstance(workflow, dict):
        return (error(0, "The workflow is not a JSON object.", _SHAPE),)
    problems: list[Problem] = []
    names = _Names(book, earlier, usable)
    steps = _read(workflow.get("steps"), problems)
    for key in workflow:
        if key not in _KEYS:
            problems.append(_wrong(0, f"The key {quoted(str(key), 40)} is not known.", f"Known are {listing(_KEYS)}."))
    made_for = workflow.get("catalogue")
    if made_for and made_for != book.version:
        message = f"It was written for the catalogue {quoted(str(made_for), 40)}; {book.version} is in use."
        problems.append(warning(0, message, "Look at each of its steps again."))
    table = _table(workflow.get("trigger"), names, problems)
    for number in range(1, len(steps.names) + 1):
        problems += _placed(steps, number)
        problems += _named(steps, number, names)
        problems += _given(steps, number, names, table)
    problems += _open(workflow.get("open", []), steps, names)
    for key in ("title", "request", "catalogue"):
        if not isinstance(workflow.get(key, ""), str):
            problems.append(_wrong(0, f'"{key}" is not a text.', "Write it in quotation marks."))
    if not _texts(workflow.get("no_step_for", [])):
        problems.append(_wrong(0, '"no_step_for" is not a list of texts.', "Write each part of the request in it."))
    return tuple(sorted(problems, key=lambda problem: (problem.row, problem.severity)))


def _wrong(number: int, message: str, hint: str) -> Problem:
    return error(number, message, hint, f"step {number}" if number else "")


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _read(given: object, problems: list[Problem]) -> _Steps:
    """The steps, as far as they are any; numbers, parents and how deep they go are looked at here."""
    if not isinstance(given, list) or not given:
        problems.append(_wrong(0, "The workflow has no list of steps, or an empty one.", _SHAPE))
        given = []
    if len(given) > _MOST:
        problems.append(_wrong(0, f"The workflow has {len(given)} steps; {_MOST} are the most.", "Cut it in two."))
    names: list[str] = []
    parents: list[int] = []
    said: list[Mapping[str, object]] = []
    depths = [0]
    for number, each in enumerate(given[:_MOST], 1):
        if not isinstance(each, dict):
            problems.append(_wrong(number, "The step is not an object.", _SHAPE))
        step = each if isinstance(each, dict) else {"name": "", "step": number}
        for key in step:
            if key not in _STEP_KEYS:
                problems.append(_wrong(number, f"The key {quoted(str(key), 40)} is not known.", listing(_STEP_KEYS)))
        name, parent = step.get("name"), step.get("parent")
        if isinstance(each, dict) and not (isinstance(name, str) and name):
            problems.append(_wrong(number, "The step has no name.", _SHAPE))
        if step.get("step") != number or type(step.get("step")) is not int:
            message = f"The step is numbered {quoted(str(step.get('step')), 20)}, and is step {number}."
            problems.append(_wrong(number, message, "Steps are numbered in their order, from 1 on."))
        above = parent if isinstance(parent, int) and 0 < parent < number and parent is not True else 0
        if "parent" in step and not above:
            message = f"Its parent is {quoted(str(parent), 20)}, which is no earlier step."
            problems.append(_wrong(number, message, "Name the number of the step that it is within, or none."))
        names.append(name if isinstance(name, str) else "")
        parents.append(above)
        said.append(step)
        depths.append(depths[above] + 1)
        if depths[number] == _DEEPEST + 1:
            message = f"The step is {depths[number]} levels deep; {_DEEPEST} are the most."
            problems.append(_wrong(number, message, "Take something out of what it is within."))
    return _Steps(tuple(names), tuple(parents), tuple(said))


def _placed(steps: _Steps, number: int) -> Iterator[Problem]:
    """Whether a step may stand where it does."""
    name, parent = steps.name(number), steps.parents[number - 1]
    above = steps.name(parent)
    if parent and above not in _HOLDING:
        yield _wrong(
            number, f"Nothing can be within step {parent}, {quoted(above)}.", f"{listing(_HOLDING)} hold steps."
        )
    if number > 1 and parent not in (number - 1, *steps.path(number - 1)):
        message = f"It goes back into step {parent}, which step {number - 1} has left."
        yield _wrong(number, message, "Put it right behind the other steps within that one.")
    brothers = [place for place in steps.within(parent) if place < number]
    before = steps.name(brothers[-1]) if brothers else ""
    if name in ("ELSE", "ELSEIF") and before not in ("IF", "ELSEIF"):
        yield _wrong(
            number, f"{name} does not come right after an IF or ELSEIF.", "Put it behind the branch it is for."
        )
    if name == "CATCH" and before != "TRY":
        yield _wrong(number, "CATCH does not come right after a TRY.", "Put it behind what may fail.")
    if name == "PARALLELBLOCK" and above != "PARALLEL":
        yield _wrong(number, "A PARALLELBLOCK is in no PARALLEL.", "Put two or more of them into one.")
    if above == "PARALLEL" and name != "PARALLELBLOCK":
        yield _wrong(
            number, f"{quoted(name)} is in a PARALLEL, but in no block of it.", "Put a PARALLELBLOCK around it."
        )
    if before == "END":
        yield _wrong(number, f"It comes after step {brothers[-1]}, END, and would never be done.", "END comes last.")
    inside = steps.within(number)
    if name in _HOLDING and not inside:
        yield _wrong(number, f"Nothing is within {name}.", "Put a step into it, or take it out.")
    if name == "PARALLEL" and len([place for place in inside if steps.name(place) == "PARALLELBLOCK"]) < 2 and inside:
        yield _wrong(number, "The PARALLEL has less than two blocks.", "Put two or more PARALLELBLOCK into it.")


# Names


@dataclass(frozen=True, slots=True)
class _Names:
    """What there is, for whoever asks."""

    book: Book
    earlier: Book | None
    usable: Collection[str] | None

    def action(self, id: str) -> Action | None:
        found = self.book.actions.get(id)
        return found if self.usable is None or id in self.usable else None

    def unknown(self, number: int, kind: str, id: str) -> Problem:
        """What is told of a name that there is none of; of one that there was, what it seems to be called now."""
        now: Mapping[str, Action | Table | Trigger] = getattr(self.book, kind)
        was: Mapping[str, Action | Table | Trigger] = getattr(self.earlier, kind) if self.earlier else {}
        what = {"actions": "step", "tables": "table", "triggers": "trigger"}[kind]
        open_ = {
            one: each for one, each in now.items() if self.usable is None or kind == "triggers" or one in self.usable
        }
        if id in was and id not in now:
            old = was[id]
            renamed = [
                one
                for one, each in open_.items()
                if one not in was
                and (each.title == old.title or (each.description and each.description == old.description))
            ]
            hint = f"It seems to be {listing(renamed)} now." if renamed else f"Take another {what}, or take it out."
            return _wrong(number, f"The {what} {quoted(id)} is no longer in the catalogue.", hint)
        if id.upper() in _LOGIC and kind == "actions":
            return _wrong(number, f"There is no step {quoted(id)}.", f"Write {id.upper()} in capitals.")
        near = get_close_matches(id, open_, 3, 0.75)
        hint = f"Do you mean {listing(near)}?" if near else f"Take one of the {len(open_):,} that there are."
        return _wrong(number, f"There is no {what} {quoted(id)}.", hint)


def _table(trigger: object, names: _Names, problems: list[Problem]) -> Table | bool:
    """The table whose records the workflow is about; else whether there is a trigger."""
    if trigger is None:
        return False
    kind = trigger.get("type") if isinstance(trigger, dict) else None
    if not isinstance(trigger, dict) or not isinstance(kind, str) or not {*trigger} <= {"type", "inputs"}:
        problems.append(_wrong(0, "The trigger is not one.", 'Write {"type": "...", "inputs": {...}}.'))
        return True
    inputs = trigger.get("inputs", {})
    named = inputs.get("value") if isinstance(inputs, dict) else None
    if inputs != {} and (not isinstance(named, str) or not named or inputs != {"name": "table", "value": named}):
        problems.append(_wrong(0, "What the trigger is given is no table.", 'Write {"name": "table", "value": "..."}.'))
        return True
    found = names.book.triggers.get(kind)
    if found is None:
        problems.append(names.unknown(0, "triggers", kind))
    elif found.table and named is None:
        problems.append(_wrong(0, f"The trigger {quoted(kind)} needs a table.", "Name the table it is about."))
    elif not found.table and named is not None:
        problems.append(_wrong(0, f"The trigger {quoted(kind)} takes no table.", "Leave the table out."))
    if named is None:
        return True
    table = names.book.tables.get(named)
    if table is None or (names.usable is not None and named not in names.usable):
        problems.append(names.unknown(0, "tables", named))
        return True
    return table


def _named(steps: _Steps, number: int, names: _Names) -> Iterator[Problem]:
    """Whether there is such a step, and gives what is said of it."""
    name, gives = steps.name(number), steps.said[number - 1].get("gives", [])
    action = names.action(name)
    if name and name not in _LOGIC and action is None:
        yield names.unknown(number, "actions", name)
    if not isinstance(gives, list) or not _texts(gives):
        yield _wrong(number, '"gives" is not a list of texts.', "Leave it out: the catalogue says it.")
    elif (action or name in _LOGIC) and not {*gives} <= {*(action.gives if action else ())}:
        more = [thing for thing in gives if action is None or thing not in action.gives]
        yield _wrong(
            number, f"{name} does not give {listing(more)}.", "Leave it out: the catalogue says what it gives."
        )


# What a step is given


def _given(steps: _Steps, number: int, names: _Names, table: Table | bool) -> Iterator[Problem]:
    """Whether the inputs and the condition of a step are such, and what of them is open."""
    name, said = steps.name(number), steps.said[number - 1]
    action = names.action(name)
    needs = action.needs if action else _INPUTS.get(name, ())
    inputs = said.get("inputs", {})
    if not isinstance(inputs, dict):
        yield _wrong(number, '"inputs" is not an object.', 'Write {"name": "trigger.record"}.')
        inputs = {}
    for one, value in inputs.items():
        if (action or name in _LOGIC) and not any(one in need for need in needs):
            known = listing([thing for need in needs for thing in need]) or "none"
            yield _wrong(number, f"{name} has no input {quoted(one)}.", f"Its inputs are: {known}.")
        if isinstance(value, str):
            yield from _reference(steps, number, value, names, table)
        elif not isinstance(value, dict) or {*value} != {"value"}:
            hint = 'Write a reference such as "trigger.record", or {"value": "..."}.'
            yield _wrong(number, f"What its input {quoted(one)} is given cannot be read.", hint)
        elif name == "WAIT" and not _DURATION.fullmatch(str(value["value"])):
            hint = "Write PT30M for thirty minutes, PT4H for four hours, P2D for two days."
            yield _wrong(number, f"{quoted(str(value['value']))} is no duration.", hint)
    for need in needs:
        if not any(thing in inputs for thing in need):
            yield warning(number, f"Its input {'|'.join(need)} is open.", "Fill it in.", f"step {number}")
    condition = said.get("condition")
    if condition is None and name in _CONDITIONAL:
        yield warning(number, "Its condition is open.", "Say when it holds.", f"step {number}")
    elif condition is not None:
        yield from _condition(steps, number, condition, names, table)


def _condition(steps: _Steps, number: int, condition: object, names: _Names, table: Table | bool) -> Iterator[Problem]:
    name = steps.name(number)
    if name not in _CONDITIONAL:
        yield _wrong(number, f"{quoted(name)} has a condition.", f"Only {listing(_CONDITIONAL)} have one.")
    parts = (
        {key: condition.get(key, "") for key in ("left", "op", "right", "by")} if isinstance(condition, dict) else {}
    )
    if (
        not isinstance(condition, dict)
        or not {*condition} <= {*parts}
        or not all(isinstance(part, str) for part in parts.values())
        or parts["by"] not in ("model", "person", "open")
    ):
        hint = 'Write {"left": "record.amount", "op": ">", "right": "5000", "by": "person"}.'
        yield _wrong(number, "The condition cannot be read.", hint)
        return
    if parts["by"] == "open":
        yield warning(number, "Its condition is open.", "Say when it holds.", f"step {number}")
        return
    if parts["op"] not in _OPERATORS:
        yield _wrong(number, f"There is no operator {quoted(parts['op'])}.", f"There are {listing(_OPERATORS)}.")
    elif (parts["op"] == "is empty") == bool(parts["right"]):
        yield _wrong(number, f"{quoted(parts['op'])} and its value do not fit.", "Only is empty has no value.")
    yield from _reference(steps, number, parts["left"], names, table, at_end=name == "DOUNTIL")


def _reference(
    steps: _Steps, number: int, written: str, names: _Names, table: Table | bool, at_end: bool = False
) -> Iterator[Problem]:
    """Whether a step can know what a reference refers to; `at_end` of what it holds, as the condition of a DOUNTIL."""
    first, _, rest = written.partition(".")
    if first == "record":
        first, rest = "trigger", written
    if first == "trigger":
        yield from _of_trigger(number, written, rest, table)
        return
    other = int(first) if first.isascii() and first.isdecimal() and len(first) < 4 else 0
    if not 0 < other <= len(steps.names):
        hint = 'Write "trigger.record", or the number of a step and what it gives: "2.decision".'
        yield _wrong(number, f"{quoted(written)} refers to nothing.", hint)
        return
    path = steps.path(number)
    inside = at_end and number in steps.path(other)
    if other >= number and not inside:
        yield _wrong(number, f"{quoted(written)} is of step {other}, which does not come before.", _SEEN)
        return
    name = steps.name(other)
    held = {"FOREACH": ("item",), "CATCH": ("error",)}.get(name, ())
    action = names.action(name)
    if action is None and name not in _LOGIC:
        return  # that there is no such step is told already
    gives: Sequence[str] = held if other in path else () if action is None else action.gives
    if not _begins(rest, gives):
        known = listing([*gives]) or "nothing"
        yield _wrong(number, f"Step {other}, {quoted(name)}, does not give {quoted(rest)}.", f"It gives {known}.")
    elif not _is_done(steps, other, [*path, *([number] if at_end else [])]):
        yield _wrong(number, f"{quoted(written)} is of step {other}, which is in another branch.", _SEEN)


def _of_trigger(number: int, written: str, rest: str, table: Table | bool) -> Iterator[Problem]:
    field = rest.removeprefix("record").removeprefix(".")
    if table is False:
        yield _wrong(number, f"{quoted(written)} is of a trigger, and there is none.", "Give the workflow a trigger.")
    elif rest != "record" and not rest.startswith("record."):
        yield _wrong(number, f"A trigger does not give {quoted(rest)}.", "It gives record.")
    elif isinstance(table, Table) and table.fields and not _begins(field, ("", *table.fields)):
        hint = f"It has {listing(table.fields, 20)}."
        yield _wrong(number, f"The table {table.id} has no field {quoted(field)}.", hint)


def _begins(path: str, names: Collection[str]) -> bool:
    """Whether a path is one of these names, or leads on from one."""
    return path in names or any(name and path.startswith(f"{name}.") for name in names)


def _is_done(steps: _Steps, other: int, path: Sequence[int]) -> bool:
    """Whether a step has been done by all means where one within `path` comes after it."""
    above = steps.parents[other - 1]
    if other in path:
        return True
    while above not in path:
        beside = steps.name(above) == "PARALLELBLOCK" and steps.parents[above - 1] in path
        if steps.name(above) not in _ALWAYS or beside:
            return False
        above = steps.parents[above - 1]
    return True


def _open(given: object, steps: _Steps, names: _Names) -> Iterator[Problem]:
    """Whether what is said to be open is an input that is."""
    if not isinstance(given, list):
        yield _wrong(0, '"open" is not a list.', 'Write [{"step": 2, "input": "approver"}].')
        return
    for each in given:
        number, input = (each.get("step"), each.get("input")) if isinstance(each, dict) else (None, None)
        if not isinstance(number, int) or not 0 < number <= len(steps.names) or not isinstance(input, str):
            yield _wrong(0, "What is said to be open is no input of a step.", 'Write {"step": 2, "input": "approver"}.')
            continue
        action, name = names.action(steps.name(number)), steps.name(number)
        needs = action.needs if action else _INPUTS.get(name, ())
        inputs = steps.said[number - 1].get("inputs", {})
        if not any(input in need for need in needs) and (action or name in _LOGIC):
            yield _wrong(number, f"{quoted(input)} is said to be open, and is no input of {name}.", "Leave it out.")
        elif isinstance(inputs, dict) and input in inputs:
            yield _wrong(number, f"{quoted(input)} is said to be open, and is given.", "Leave it out of one of them.")
