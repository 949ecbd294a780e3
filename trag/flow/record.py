"""The record of a plan: everything that explains it, in one stable shape for the terminal, the API and the store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from trag.json_lines import as_line, kept
from trag.record import Approval, ModelUsed

NO_MODEL = ModelUsed("", "", "")
PlanStatus = Literal["planned", "ask_which", "cannot_answer"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A procedure by its id and title, and the document that it is written in, "" for none."""

    id: str
    title: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class WrittenIn:
    """Where a step or procedure is written: a document and its section."""

    document: str
    section: str


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One action of a plan. `step` has the procedure's own words; `unit` is whose the action is ("" for the asker's
    own), `unit_id` and `head` its id and who heads it by the chart, and `handed_over` where it is not for the asker's
    unit. Each of `needs` is what must be at hand, "a or b" where either will do."""

    number: int
    step: str
    action: str
    title: str
    description: str = ""
    unit: str = ""
    head: str = ""
    handed_over: bool = False
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    source: WrittenIn | None = None
    unit_id: str = ""


@dataclass(frozen=True, slots=True)
class PlanChecks:
    """What was checked of the plan as it is recorded, against the procedures: ids that there are none of, that stand
    twice, and what an action needs that nothing before it gave and somebody could have given. `order` is whether the
    steps come in the procedure's order."""

    order: bool = True
    unknown: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.order and not (self.unknown or self.repeated or self.missing)


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """One plan. `asked_for` is what the asker has to bring; `choices` are the procedures that they mean one of, or with
    `cannot_answer` those that are nearest; `done` are the actions they had done before. `procedures` and `chart`
    are the versions in use, `seconds` those that the whole took; `model` is what chose the procedure; `interrupted`
    says why there is no plan ("stopped by the reader"), "" where it is whole; `approved` says by whom it was pinned, if
    it was."""

    id: str
    request: str
    status: PlanStatus
    procedure: Chosen | None = None
    steps: tuple[PlannedStep, ...] = ()
    asked_for: tuple[str, ...] = ()
    choices: tuple[Chosen, ...] = ()
    checks: PlanChecks = PlanChecks()
    procedures: str = ""
    done: tuple[str, ...] = ()
    source: WrittenIn | None = None
    seconds: float = 0.0
    model: ModelUsed = NO_MODEL
    interrupted: str = ""
    chart: str = ""
    approved: Approval | None = None
    kind: str = "plan"

    @property
    def order(self) -> str:
        """What a plan comes to, as it is stored, corrected and pinned: the id of its procedure and then of each action,
        one a line; "" where nothing was planned."""
        return "\n".join([self.procedure.id, *(step.action for step in self.steps)]) if self.procedure else ""

    @property
    def documents(self) -> frozenset[str]:
        """The names of the documents in which what it says is written."""
        places = [self.source, *(step.source for step in self.steps)]
        written = {place.document for place in places if place} | {each.document for each in self.choices}
        return frozenset(written - {""})

    @property
    def named(self) -> frozenset[str]:
        """The ids of the procedures and actions that it names."""
        chosen = [*self.choices, *([self.procedure] if self.procedure else [])]
        return frozenset([*(each.id for each in chosen), *(step.action for step in self.steps), *self.done])

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return as_line(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> PlanRecord:
        """The record that `to_json` wrote. Raises ValueError for anything else."""
        return kept(cls, text)
