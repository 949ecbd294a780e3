"""The form of a workflow: which line may come next, the lines that a model writes, and the workflow made of them.

A workflow is written as lines: the trigger and its table first ("-" where it has none), then a step a line, with one
space for each level. What `after` allows can always be brought to an end within MAX_STEPS and MAX_DEPTH, so that
whoever writes only what it allows writes a workflow that keeps every rule. `trag.workflow.checking` says the rules
again on its own, over the JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from trag.workflow.record import Started, Workflow, WorkflowStep

MAX_STEPS = 60
MAX_DEPTH = 8
"""Levels; the steps of the first are within no other."""
NO_TRIGGER = "-"


_BELOW = dict.fromkeys(("IF", "ELSEIF", "ELSE", "FOREACH", "DOUNTIL", "PARALLELBLOCK", "TRY", "CATCH"), 1) | {
    "PARALLEL": 2
}
"""Steps that others are within, and how many levels below they have at least."""
_FOLLOWS = {"ELSEIF": ("IF", "ELSEIF"), "ELSE": ("IF", "ELSEIF"), "CATCH": ("TRY",)}
"""What must stand right before, on the same level."""


@dataclass(frozen=True, slots=True)
class Line:
    """A step by its name, on a level from 0 on."""

    depth: int
    name: str


@dataclass(frozen=True, slots=True)
class Next:
    """What may come on a level: these logic steps, and, if `actions`, any action of the catalogue."""

    depth: int
    logic: tuple[str, ...]
    actions: bool


def after(lines: Sequence[Line]) -> tuple[Next, ...]:
    """What may come after some lines that keep the rules, the deepest level first; () where only the end may."""
    levels = _levels(lines)
    found = []
    for depth in reversed(range(len(levels))):
        owed = sum(_owed(above, len(here)) for above, here in levels[:depth])
        room = MAX_STEPS - len(lines) - 1 - owed
        logic = tuple(name for name in LOGIC if _may(name, depth, *levels[depth], room))
        actions = _may("", depth, *levels[depth], room)
        if logic or actions:
            found.append(Next(depth, logic, actions))
        if _owed(levels[depth][0], len(levels[depth][1])):
            break  # what is above this level has to wait
    return tuple(found)


def may_end(lines: Sequence[Line]) -> bool:
    """Whether a workflow may end after these lines."""
    return bool(lines) and not any(_owed(above, len(here)) for above, here in _levels(lines))


def _may(name: str, depth: int, above: str, here: Sequence[str], room: int) -> bool:
    """Whether a step ("": an action) may come on a level, after those that are there, with room for so many more."""
    before = here[-1] if here else ""
    if before == "END" or (above == "PARALLEL") != (name == "PARALLELBLOCK"):
        return False
    if before not in _FOLLOWS.get(name, (before,)) or depth + 1 + _BELOW.get(name, 0) > MAX_DEPTH:
        return False
    owed = _owed(name, 0) if name in _BELOW else 0
    return owed + _owed(above, len(here) + 1) <= room


def _levels(lines: Sequence[Line]) -> list[tuple[str, list[str]]]:
    """The levels that a step may come on: what each is within, and the steps that are there so far."""
    levels: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        del levels[line.depth + 1 :]
        levels[line.depth][1].append(line.name)
        if line.name in _BELOW:
            levels.append((line.name, []))
    return levels


def _owed(above: str, count: int) -> int:
    """How many lines a step still needs that has so many within: one, PARALLEL two blocks of a step each."""
    if above == "PARALLEL":
        return 2 * max(0, 2 - count)
    return int(above != "" and not count)


# Lines


def write(workflow: Workflow) -> str:
    """The lines of a workflow, as a model is taught to write them."""
    depths: dict[int, int] = {0: -1}
    lines = []
    for each in workflow.steps:
        depths[each.step] = depths[each.parent] + 1
        lines.append(f"{' ' * depths[each.step]}{each.name}")
    trigger = workflow.trigger
    first = " ".join(filter(None, (trigger.type, trigger.table))) if trigger else NO_TRIGGER
    return "\n".join([first, *lines])


def read(text: str) -> tuple[Started | None, tuple[Line, ...]]:
    """The trigger and the lines of a text in that form; names are taken as they are. Raises ValueError with the number
    of the line for what has not that form."""
    first, *rest = text.rstrip("\n").split("\n")
    words = first.split(" ")
    if not all(words) or len(words) > 2:
        raise ValueError("line 1 is not a trigger, with or without a table")
    lines: list[Line] = []
    for number, written in enumerate(rest, 2):
        name = written.lstrip(" ")
        line = Line(len(written) - len(name), name)
        if not name or name.split() != [name]:
            raise ValueError(f"line {number} is not the name of one step")
        if line.depth > (lines[-1].depth + 1 if lines else 0):
            raise ValueError(f"line {number} is more than one level below the one before")
        lines.append(line)
    return None if words == [NO_TRIGGER] else Started(*words), tuple(lines)


def made(trigger: Started | None, lines: Sequence[Line], book: Book) -> Workflow:
    """The workflow of these lines, with what its actions give by the book."""
    steps: list[WorkflowStep] = []
    path: list[int] = []
    for number, line in enumerate(lines, 1):
        path[line.depth :] = [number]
        step = WorkflowStep(line.name, number, path[line.depth - 1] if line.depth else 0)
        action = book.actions.get(line.name)
        steps.append(replace(step, gives=action.gives) if action else step)
    return Workflow(trigger, tuple(steps), catalogue=book.version)
