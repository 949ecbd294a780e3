"""The admins' page of workflows: what was sent in and waits, what is in use, what ran; and what an admin decides of it.

GET shows and changes nothing, a dry run included; POST activates, returns, rolls back, switches off, runs or stops, and
sends the browser on to a page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from org.procedures.changes import Edit
from org.procedures.flows import Book
from org.reading.problems import Problem
from store.workflow_runs import Effect, WorkflowRun
from store.workflows import StoredWorkflow, WorkflowChange
from trag.errors import TragError
from trag.record import LONGEST_REMARK
from trag.web.forms import Form, number
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.render import environment
from trag.web.responses import Notice, Notices, explain, there
from trag.web.visitors import caller, where
from trag.workflow import activation, runner, wording
from trag.workflow.comparing import StepChange, WorkflowChanges, compare
from trag.workflow.record import Workflow
from trag.workflow.running import run as dry_run

if TYPE_CHECKING:
    from trag.home import Home

RUNS = 25
"""Runs on a page."""
STATES: Mapping[str, str] = {
    "due": later("Is about to run"),
    "running": later("Running"),
    "waiting": later("Waiting"),
    "done": later("Done"),
    "ended": later("Ended early, as it says"),
    "failed": later("Failed"),
    "refused": later("Refused"),
    "stopped": later("Stopped"),
    "broken off": later("Broken off"),
}
"""What each state of a run is called."""
BECAME: Mapping[str, str] = {
    "sent": later("Sent in"),
    "active": later("Activated"),
    "off": later("Switched off"),
    "returned": later("Returned"),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A workflow on the list: what is wrong with it by the book in use, and its last run."""

    stored: StoredWorkflow
    faults: tuple[Problem, ...] = ()
    run: WorkflowRun | None = None


class ActivePage:
    """What the routes share."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.notices = Notices()

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/workflows/active")
        router.get("")(self.show)
        router.get("/runs/{id}")(self.run)
        router.post("/runs/{id}/stop")(self.stop)
        router.get("/{id}")(self.review)
        router.post("/{id}/activate")(self.activate)
        router.post("/{id}/rollback")(self.roll_back)
        router.post("/{id}/return")(self.send_back)
        router.post("/{id}/off")(self.switch_off)
        router.post("/{id}/run")(self.run_now)
        return router

    def show(self, request: Request) -> Response:
        """Every workflow that was sent in, and the newest runs from the `from`th one on."""
        stored, first = self.home.records.workflows.all(), number(request.query_params.get("from", ""))
        runs = self.home.records.workflow_runs.page(most=RUNS + 1, first=first)
        return self._page(
            request,
            "active",
            waiting=[each for each in stored if each.waiting],
            in_use=[self._standing(each) for each in stored if each.in_use],
            others=[each for each in stored if not each.in_use and not each.waiting],
            runs=runs[:RUNS],
            titles={each.id: (each.in_use or each.last).title for each in stored},
            first=first,
            more=len(runs) > RUNS,
            at_once=RUNS,
        )

    def review(self, request: Request, id: str) -> Response:
        """One workflow: what changes against the version in use, what is wrong, what it would do, and its runs."""
        stored = there(self.home.records.workflows.find(id))
        versions = {each.version: each for each in stored.changes}
        asked = request.query_params.get("version", "")
        subject = versions.get(asked) or stored.waiting or stored.in_use or stored.last
        workflow, before = activation.workflow_of(subject), stored.in_use
        same = bool(before and before.version == subject.version)
        earlier = activation.workflow_of(before) if before and not same else None
        faults = activation.faults(self.home, workflow, None)
        table = self._book.tables.get(workflow.trigger.table) if workflow.trigger else None
        record = {
            name: request.query_params[f"field.{name}"]
            for name in (table.fields if table else ())
            if f"field.{name}" in request.query_params
        }
        tried = dry_run(workflow, self._book, record or None) if "try" in request.query_params and not faults else None
        return self._page(
            request,
            "review",
            stored=stored,
            subject=subject,
            workflow=workflow,
            same=same,
            waits=bool(stored.waiting and stored.waiting.version == subject.version),
            changes=self._in_words(compare(earlier, workflow), earlier, workflow),
            depths=_depths(workflow),
            headed=lambda step, of: wording.headed(step, of, self._book),
            given=lambda one: wording.given(one, workflow, self._book),
            earlier=earlier,
            faults=faults,
            obstacles=() if faults else activation.obstacles(self.home, workflow),
            fields=table.fields if table else (),
            record=record,
            tried=tried,
            back=activation.version_before(stored),
            runs=self.home.records.workflow_runs.page(id, most=RUNS),
            titles={},
            became=BECAME,
            begins=wording.begins(workflow, self._book),
            longest=LONGEST_REMARK,
        )

    def run(self, request: Request, id: str) -> Response:
        """What one run did, or did so far."""
        run = there(self.home.records.workflow_runs.find(id))
        stored = there(self.home.records.workflows.find(run.workflow))
        return self._page(
            request,
            "run",
            run=run,
            stored=stored,
            record=json.loads(run.record_json),
            steps=_trace(run, self.home.records.workflow_runs.effects(id)),
            trigger=self._trigger(run.trigger),
        )

    # What an admin decides

    def activate(self, request: Request, form: Form, id: str) -> Response:
        self._decided(activation.activate, request, form, id)
        return self._on(id, _("It is in use from now on."))

    def roll_back(self, request: Request, form: Form, id: str) -> Response:
        self._decided(activation.roll_back, request, form, id)
        return self._on(id, _("The earlier version is in use again."))

    def send_back(self, request: Request, form: Form, id: str) -> Response:
        version, remark = form.get("version", ""), form.get("remark", "")
        activation.send_back(self.home, caller(request), id, version, remark, where=where(request))
        return self.notices.go("/workflows/active", Notice(_("It was returned, and its sender is told why.")))

    def switch_off(self, request: Request, form: Form, id: str) -> Response:
        activation.switch_off(self.home, caller(request), id, form.get("remark", ""), where=where(request))
        return self._on(id, _("It is switched off."))

    def run_now(self, request: Request, id: str) -> Response:
        run = runner.run_now(self.home, caller(request), id)
        return self.notices.go(f"/workflows/active/runs/{run.id}")

    def stop(self, id: str) -> Response:
        """End a run that waits."""
        run = there(self.home.records.workflow_runs.find(id))
        if run.state not in ("waiting", "due"):
            raise TragError(later("This run does not wait."), later("Only one that waits can be stopped."))
        self.home.records.workflow_runs.end(id, "stopped", later("An admin stopped it."), run.trace_json)
        return self.notices.go(f"/workflows/active/runs/{id}", Notice(_("The run is stopped.")))

    def _decided(self, act: Any, request: Request, form: Form, id: str) -> None:
        act(
            self.home,
            caller(request),
            id,
            form.get("version", ""),
            instead_of=form.get("against"),
            where=where(request),
        )

    def _on(self, id: str, text: str) -> Response:
        return self.notices.go(f"/workflows/active/{id}", Notice(text))

    # How it is shown

    @property
    def _book(self) -> Book:
        return self.home.procedures.in_use or Book.of((), ())

    def _standing(self, stored: StoredWorkflow) -> Standing:
        assert stored.in_use is not None  # those in use alone are asked for
        faults = activation.faults(self.home, activation.workflow_of(stored.in_use), None)
        runs = self.home.records.workflow_runs.page(stored.id, most=1)
        return Standing(stored, faults, next(iter(runs), None))

    def _set_off(self, change: WorkflowChange) -> str:
        table = self._book.tables.get(change.register)
        of = f": {table.title if table else change.register}" if change.register else ""
        return f"{self._trigger(change.trigger)}{of}"

    def _trigger(self, id: str) -> str:
        trigger = self._book.triggers.get(id)
        return trigger.title if trigger else id.replace("_", " ")

    def _called(self, name: str) -> str:
        """What a step is called."""
        action = self._book.actions.get(name)
        return wording.LOGIC_WORDS.get(name) or (action.title if action else name)

    def _in_words(self, changes: WorkflowChanges, before: Workflow | None, after: Workflow) -> WorkflowChanges:
        """The same changes, as the page of a workflow words what it is about."""
        if before is None:
            return changes
        starts = Edit("starts", wording.begins(before, self._book), wording.begins(after, self._book))
        edits = tuple(starts if each.field == "trigger" else each for each in changes.edits)

        def told(change: StepChange) -> StepChange:
            one, other = change.before, change.after
            if one is None or other is None:
                return change
            headed = Edit("step", wording.headed(one, before, self._book), wording.headed(other, after, self._book))
            was = {each.name: wording.given(each, before, self._book) for each in one.inputs}
            now = {each.name: wording.given(each, after, self._book) for each in other.inputs}
            found = tuple(
                headed
                if edit.field == "condition"
                else edit
                if edit.field == "within step"
                else Edit(edit.field, was.get(edit.field, ""), now.get(edit.field, ""))
                for edit in change.edits
            )
            return replace(change, edits=found)

        return WorkflowChanges(edits, tuple(map(told, changes.steps)))

    def _page(self, request: Request, name: str, **values: object) -> Response:
        html = environment().get_template(f"workflows/active/{name}.html")
        shared = {"on": self.home.settings.workflows, "notice": self.notices.said(request), "states": STATES}
        words = {"called": self._called, "set_off_by": self._set_off}
        return HTMLResponse(html.render(here="/workflows/active", **shared, **words, **values))


def mount(app: FastAPI, home: Home) -> None:
    """The routes of the page in `app`."""
    app.include_router(ActivePage(home).router())
    explain(app)


def _depths(workflow: Workflow) -> Mapping[int, int]:
    """How deep each step is, from 1 on, by its number."""
    depths = {0: 0}
    for step in workflow.steps:
        depths[step.step] = depths[step.parent] + 1
    return depths


def _trace(run: WorkflowRun, effects: Sequence[Effect]) -> list[dict[str, Any]]:
    """The steps that a run went through; of one that was broken off those alone that did something."""
    if run.trace_json:
        steps: list[dict[str, Any]] = json.loads(run.trace_json)["trace"]
        return steps
    return [
        {
            "step": each.step,
            "name": each.name,
            "inputs": {},
            "outputs": json.loads(each.outputs_json or "{}"),
            "rounds": [],
            "note": each.failed or ("" if each.outputs_json is not None else later("Its end is not known.")),
            "failed": bool(each.failed),
        }
        for each in effects
    ]
