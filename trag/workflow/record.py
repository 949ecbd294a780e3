"""A workflow, and the record of how one came about, each in one stable shape for files, the API and the store.

The core, which is all that the paper has (trigger, table, names, numbers and parents of the steps), stands beside what
the product adds. Numbers count from 1 in the order of the steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from org.procedures.actions import LOGIC
from trag.json_lines import as_line, kept

By = Literal["model", "person", "open"]
Kind = Literal["step", "table", "trigger"]
WorkflowStatus = Literal["drafted", "cannot_answer"]


@dataclass(frozen=True, slots=True)
class Started:
    """The trigger by its id, and the table whose records it is about, "" for none."""

    type: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A field, one of OPERATORS of `trag.workflow.running`, and a value as it is written; `by` says who settled it, and
    "open" that nobody did. `left` is a reference, as `Input.source` is."""

    left: str = ""
    op: str = ""
    right: str = ""
    by: By = "open"


@dataclass(frozen=True, slots=True)
class Input:
    """What a step is given under a name: a `value` as it is, or, where `source` is not "", what that refers to.

    A reference is a path of names with dots between them: "trigger.record.amount", or "record.amount" for short; the
    number of an earlier step and what it gives ("2.decision", "2.record.amount"); within FOREACH and CATCH also the
    number of that step and "item" or "error".
    """

    name: str
    source: str = ""
    value: object = None


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One step; `parent` is the number of the step it is within, 0 for none. Of logic steps IF, ELSEIF and DOUNTIL have
    a condition, FOREACH an input "items" and WAIT one "duration" (ISO 8601)."""

    name: str
    step: int
    parent: int = 0
    condition: Condition | None = None
    inputs: tuple[Input, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Open:
    """An input of a step that is left to be filled in."""

    step: int
    input: str


@dataclass(frozen=True, slots=True)
class Workflow:
    """What is done when. `catalogue` is the version of the book that its names are of, `open` what is still asked for,
    and `no_step_for` the parts of the request that no step fits."""

    trigger: Started | None
    steps: tuple[WorkflowStep, ...]
    title: str = ""
    request: str = ""
    catalogue: str = ""
    open: tuple[Open, ...] = ()
    no_step_for: tuple[str, ...] = ()

    @property
    def named(self) -> frozenset[str]:
        """The ids of its steps, its table and its trigger."""
        trigger = {self.trigger.type, self.trigger.table} if self.trigger else set()
        return frozenset({*trigger, *(step.name for step in self.steps)} - {"", *LOGIC})

    def core(self) -> dict[str, Any]:
        """What the paper's JSON has of it, in its shape (Figure 1)."""
        trigger: dict[str, Any] = {}
        if self.trigger:
            table = {"inputs": {"name": "table", "value": self.trigger.table}} if self.trigger.table else {}
            trigger = {"trigger": {"type": self.trigger.type, **table}}
        return {
            **trigger,
            "steps": [
                {"name": each.name, "step": each.step, **({"parent": each.parent} if each.parent else {})}
                for each in self.steps
            ],
        }

    def values(self) -> dict[str, Any]:
        """The workflow as JSON has it: its core, and what there is beside."""
        core = self.core()
        for made, each in zip(core["steps"], self.steps, strict=True):
            if each.condition:
                made["condition"] = asdict(each.condition)
            if each.inputs:
                made["inputs"] = {one.name: one.source or {"value": one.value} for one in each.inputs}
            if each.gives:
                made["gives"] = [*each.gives]
        beside = {name: value for name, value in asdict(self).items() if name not in ("trigger", "steps") and value}
        return core | {name: [*value] if isinstance(value, tuple) else value for name, value in beside.items()}

    def to_json(self) -> str:
        """The workflow as one line of JSON."""
        return as_line(self.values())

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Workflow:
        """The workflow that `values` gave, or a core alone. Raises ValueError, TypeError, KeyError or AttributeError
        for what is none; `checking.check` says what is wrong with it."""
        trigger = values.get("trigger")
        started = Started(trigger["type"], trigger.get("inputs", {}).get("value", "")) if trigger else None
        beside = {
            "open": tuple(Open(**each) for each in values.get("open", ())),
            "no_step_for": tuple(values.get("no_step_for", ())),
            **{name: values[name] for name in ("title", "request", "catalogue") if name in values},
        }
        return cls(started, tuple(map(_step, values["steps"])), **beside)


def _step(values: Mapping[str, Any]) -> WorkflowStep:
    def given(name: str, value: Any) -> Input:
        return Input(name, source=value) if isinstance(value, str) else Input(name, value=value["value"])

    condition = values.get("condition")
    return WorkflowStep(
        values["name"],
        values["step"],
        values.get("parent", 0),
        Condition(**condition) if condition else None,
        tuple(given(name, value) for name, value in values.get("inputs", {}).items()),
        tuple(values.get("gives", ())),
    )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What was suggested, how likely it seemed, and the words of the request that it matches."""

    kind: Kind
    name: str
    score: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which name was written at a step (0: the trigger), and over which others, the likeliest first."""

    step: int
    name: str
    over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowRecord:
    """How one workflow was drafted. `written` is what the model wrote, as it wrote it, and is what is scored; `checks`
    are the errors that the checker found, a sentence each; `seconds` are those that the whole took. `interrupted` says
    why no more was written ("stopped by the reader"), "" where it was written to its end; `before` is what the workflow
    was before each change by hand, as it was drafted first."""

    id: str
    request: str
    status: WorkflowStatus
    workflow: Workflow | None = None
    suggestions: tuple[Suggestion, ...] = ()
    choices: tuple[Choice, ...] = ()
    checks: tuple[str, ...] = ()
    written: str = ""
    tokens: int = 0
    seconds: float = 0.0
    model: str = ""
    catalogue: str = ""
    interrupted: str = ""
    before: tuple[Workflow, ...] = ()
    kind: str = "workflow"

    @property
    def named(self) -> frozenset[str]:
        """The ids of the steps, tables and triggers that it names, or named once."""
        chosen = {name for each in self.choices for name in (each.name, *each.over)}
        named = {each.name for each in self.suggestions} | chosen
        for each in (*self.before, *([self.workflow] if self.workflow else [])):
            named |= each.named
        return frozenset(named - {"", *LOGIC})

    def to_json(self) -> str:
        """The record as one line of JSON."""
        beside = {"workflow": self.workflow.values() if self.workflow else None}
        return as_line(asdict(self) | beside | {"before": [each.values() for each in self.before]})

    @classmethod
    def from_json(cls, text: str) -> WorkflowRecord:
        """The record that `to_json` wrote. Raises ValueError, TypeError, KeyError or AttributeError for anything
        else."""
        values: dict[str, Any] = json.loads(text)
        workflow = Workflow.of(values["workflow"]) if values["workflow"] else None
        before = tuple(map(Workflow.of, values.get("before", ())))
        plain = kept(cls, json.dumps(values | {"workflow": None, "before": ()}))
        return replace(plain, workflow=workflow, before=before)
