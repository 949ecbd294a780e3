"""A home with the catalogue of the sample organization, and a drafter that writes what it is told to: for tests that
are about something else than which steps are found."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from org.linking.entities import Organization
from org.procedures.actions import UNWRITTEN, Action, Table
from org.procedures.flows import Book
from org.procedures.reading import load
from tests.planned import CHART
from tests.trag.workflow.conftest import INVOICES, ROOT
from trag.progress import Cancelled
from trag.workflow.record import Suggestion, Workflow, WorkflowRecord

if TYPE_CHECKING:
    from trag.home import Home

REQUEST: str = INVOICES["request"]
UNFIT = "and bake a cake"
SUGGESTED = (
    Suggestion("step", "ask_for_approval", 0.9, "ask the unit head for approval"),
    Suggestion("step", "notify_person", 0.8, "tell the sender either way"),
    Suggestion("step", "notify_unit", 0.7, "tell the sender"),
    Suggestion("step", "secret_step", 0.6, "for approval"),
    Suggestion("table", "supplier_invoice", 0.9, "a supplier invoice"),
)


def book() -> Book:
    """The catalogue, and a step and a table that are for the people of the bar alone."""
    content = (ROOT / "examples" / "larkmoor" / "procedures.json").read_bytes()
    of = load(content, "procedures.json")
    actions = [replace(each, audience=(), source=UNWRITTEN) for each in of.actions.values()]
    actions = [replace(each, unit="Bar") if each.id == "ask_for_approval" else each for each in actions]
    secret = Action("secret_step", "ZSECRET", "ZABOUT", (("record",),), ("zgift",), "Bar", ("Bar",), runs="built-in")
    vault = Table("secret_table", "ZVAULT", "ZABOUT", ("zfield",), ("Bar",))
    return Book.of([*actions, secret], (), [*of.tables.values(), vault], of.triggers.values())


def fill(home: Home) -> None:
    """A home in which all this is in use."""
    home.parts["organization"] = Organization.of(CHART)
    home.procedures._in_use = book()


class Drafting:
    """Writes the workflow of some JSON, a step at a time, waiting for `turns` before each; with `error`, raises it
    after the first. What it was asked, and may use, is kept."""

    def __init__(self, workflow: dict[str, Any] | None = INVOICES, error: Exception | None = None) -> None:
        self.workflow, self.error = workflow, error
        self.turns = threading.Semaphore(1_000)
        self.asked: list[str] = []
        self.usable: Collection[str] | None = None

    def draft(
        self,
        request: str,
        model: Any,
        *,
        usable: Collection[str] | None = None,
        id: str = "",
        stop: threading.Event | None = None,
    ) -> Iterator[Workflow | WorkflowRecord]:
        self.asked.append(request)
        self.usable = usable
        if self.workflow is None:
            yield WorkflowRecord(id, request, "cannot_answer", written="-")
            return
        whole = replace(Workflow.of(json.loads(json.dumps(self.workflow))), request=request, catalogue=book().version)
        for number in range(1, len(whole.steps) + 1):
            while not self.turns.acquire(timeout=0.05):
                if stop and stop.is_set():
                    raise Cancelled
            yield replace(whole, steps=whole.steps[:number])
            if self.error:
                raise self.error
        whole = replace(whole, no_step_for=(UNFIT,))
        yield WorkflowRecord(id, request, "drafted", whole, SUGGESTED, written="record_created supplier_invoice")
