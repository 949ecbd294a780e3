"""What the model reads to write a plan, and the form in which it writes one.

actions, procedures, query -> messages; text of one unit, "[thought] words [API] Name()" -> Unit
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import prompts
from org.procedures.actions import Action
from org.procedures.flows import Procedure
from prompts import Message

CLOSE = "()"
"""What the text of a unit ends with."""
_FORM = (
    *(r"\s*", *map(re.escape, "[thought]"), r"\s*", r"(?P<thought>[^\[\]]*[^\[\]\s])", r"\s*"),
    *(*map(re.escape, "[API]"), r"\s*", r"(?P<api>[\w.-]+)", r"\(", r"\)"),
)
_UNIT = re.compile("".join(_FORM))
_BEGUN = re.compile("".join(f"(?:{part}" for part in _FORM) + ")?" * len(_FORM))


@dataclass(frozen=True, slots=True)
class Unit:
    """One thought and the API that it leads to, by the name that was written."""

    thought: str
    api: str


OPENING = (
    Unit("Before anything else, the system has to be initialized.", "InitSystem"),
    Unit("Now I can start handling the customer's request.", "Start"),
)
"""The dummy units that stand in the prompt already, to show the form (FLAP, section 5.1)."""
LAST = "Finish"
"""The API that ends a plan."""


def messages(
    query: str, actions: Iterable[Action], procedures: Iterable[Procedure], *, thoughts: bool = True
) -> tuple[Message, ...]:
    """The prompt for a plan with thoughts (FLAP, figure 6) or of APIs alone (figure 5). The answer goes on after
    `OPENING` and the mark of the next unit: a model that is tuned to chat takes the units alone for all of it."""
    form = Unit("why the next action is called", "NameOfTheAction")
    return prompts.flow(
        query,
        list(map(_action, actions)),
        list(map(_procedure, procedures)),
        form=text(form, thoughts=thoughts),
        opening="\n".join([*(text(unit, thoughts=thoughts) for unit in OPENING), mark(thoughts=thoughts)]),
    )


def mark(*, thoughts: bool = True) -> str:
    """What a unit begins with."""
    return "[thought]" if thoughts else "[API]"


def text(unit: Unit, *, thoughts: bool = True) -> str:
    """A unit as a plan has it."""
    return f"[thought] {unit.thought} [API] {unit.api}{CLOSE}" if thoughts else f"[API] {unit.api}{CLOSE}"


def unit_of(written: str) -> Unit | None:
    """The unit that a text is, space before it left out; None where it is not in the form (FLAP's structural
    constraint)."""
    found = _UNIT.fullmatch(written)
    return Unit(found["thought"], found["api"]) if found else None


def begun(written: str) -> Unit | None:
    """How a unit begins that may be gone on with to one in the form: its thought once that is over, "" before, and its
    API as far as it is written. None where nothing more can bring it into the form."""
    found = _BEGUN.fullmatch(written)
    if not found:
        return None
    # A thought has no brackets: the second one is of what comes after it.
    return Unit(found["thought"] if written.count("[") > 1 else "", found["api"] or "")


def _action(action: Action) -> str:
    needs = "; ".join(" or ".join(need) for need in action.needs) or "nothing"
    gives = ", ".join(action.gives) or "nothing"
    return f"{action.id}() - {action.description} Needs: {needs}. Gives: {gives}."


def _procedure(procedure: Procedure) -> str:
    steps: Sequence[str] = [f"{number}. {step.text}" for number, step in enumerate(procedure.steps, 1)]
    return "\n".join([f"{procedure.title}:", *steps])
