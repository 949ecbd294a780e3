"""The page Automate: what is to be done when, made into a workflow in its turn, changed by hand, tried, and sent to an
admin.

GET shows and changes nothing; POST begins, changes or sends a workflow and sends the browser on to the page of it. A
workflow that is being drafted has its page at once, which shows the steps that there are so far.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import uuid4

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from org.procedures.flows import Book
from trag import plans, workflows
from trag.errors import SHOWN, TragError, told
from trag.people import CurrentUser
from trag.question import LONGEST_QUESTION
from trag.record import LONGEST_REMARK
from trag.web import made
from trag.web.active_runs import ActiveRuns
from trag.web.forms import Form, number, remark
from trag.web.language import later
from trag.web.render import environment
from trag.web.responses import Denied, attachment, explain, there
from trag.web.visitors import caller
from trag.web.workflows.shown import asked_for, changes, open_things, shown, tried
from trag.workflow import activation, editing, wording
from trag.workflow.bpmn import bpmn
from trag.workflow.editing import HOLDING
from trag.workflow.exporting import serverless
from trag.workflow.record import Condition, Input, Started, Workflow, WorkflowRecord
from trag.workflow.running import OPERATORS, run
from trag.workflow.scope import Scope
from trag.workflow.structure import MAX_STEPS
from trag.workflow.wording import Length
from trag.workflows import WorkflowEvent

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home

LISTED = 15
"""Workflows of somebody that are listed, the latest ones."""
LONGEST_TITLE = 200
BECAME = {
    "sent": later("sent"),
    "active": later("in use"),
    "off": later("switched off"),
    "returned": later("returned"),
}
"""What became of a workflow that was sent, in a word."""
FORMS = {
    "workflow.json": "application/json",
    "workflow.serverless.json": "application/json",
    "workflow.bpmn": "application/xml",
}
"""The files that a workflow may be had as."""


class WorkflowsPage:
    """What the routes share. Workflows are drafted beside the questions of people, in the same line; `ready` gives the
    assistant as soon as it is open."""

    def __init__(self, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
        self.home, self.runs, self.ready = home, runs, ready

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/workflows")
        router.get("")(self.begin)
        router.post("")(self.draft)
        router.get("/{id}")(self.show)
        router.get("/{id}/{file}")(self.download)
        router.post("/{id}/stop")(self.stop)
        router.post("/{id}/change")(self.change)
        router.post("/{id}/try")(self.dry_run)
        router.post("/{id}/send")(self.send)
        router.post("/{id}/verdict")(self.judge)
        return router

    def begin(self, request: Request) -> Response:
        """The page before a workflow; an address may name what is wanted."""
        return self._begin(caller(request), request.query_params.get("request", ""))

    def draft(self, request: Request, form: Form) -> Response:
        """Begin a workflow, or make one of a plan, and lead to it. What cannot be drafted is said, and stays in the
        field."""
        who, words, id = caller(request), form.get("request", ""), uuid4().hex
        try:
            if "plan" in form:
                record, left = workflows.of_plan(self.home, there(plans.kept(self.home, who, form["plan"])), who)
                return RedirectResponse(f"/workflows/{record.id}?{urlencode({'left': left})}", 303)
            asked = workflows.workflow_request(self.home, who, words)

            def making(stop: threading.Event) -> Iterator[WorkflowEvent]:
                yield from workflows.make(self.home, self.ready(), asked, who, id=id, stop=stop)

            self.runs.begin(id, asked, making, by=who.person)
        except SHOWN as error:
            error = told(error, to_admin=who.may("admin"))
            return self._begin(who, words, f"{error.message} {error.hint}", 409)
        return RedirectResponse(f"/workflows/{id}", 303)

    def show(self, request: Request, id: str, step: str = "", left: str = "") -> Response:
        """A workflow, with what may be changed at one step; or how far it is."""
        who = caller(request)
        active = made.being_made(self.runs, id, who)
        if active is not None:
            draft, book = active.draft, workflows.catalogue(self.home, who)
            steps = shown(draft.workflow, book, self.home.organization.chart) if draft.workflow else ()
            return self._page(
                "working",
                who,
                id,
                draft=draft,
                stopped=active.stop.is_set(),
                steps=steps,
                count=len(draft.workflow.steps) if draft.workflow else 0,
                begins=wording.begins(draft.workflow, book) if draft.workflow else "",
            )
        record = there(workflows.kept(self.home, who, id))
        changing = number(step, -1) if step else -1
        return self._workflow(who, record, changing=changing, left=number(left))

    def stop(self, request: Request, id: str) -> Response:
        """End a workflow that is being drafted; what is written stays."""
        made.end(self.runs, id, caller(request))
        return RedirectResponse(f"/workflows/{id}", 303)

    def change(self, request: Request, form: Form, id: str) -> Response:
        """Keep a change at one step."""
        who = caller(request)
        record = there(workflows.kept(self.home, who, id))
        at, after = number(form.get("step", "")), ""
        try:
            if form.get("act") == "undo":
                workflows.undone(self.home, who, id, form.get("seen", ""))
                return RedirectResponse(f"/workflows/{id}#steps", 303)

            def make(workflow: Workflow, book: Book) -> Workflow:
                nonlocal after
                made, after = _changed(workflow, book, at, form)
                return made

            workflows.changed(self.home, who, id, form.get("seen", ""), make)
        except SHOWN as error:
            error = told(error, to_admin=who.may("admin"))
            return self._workflow(who, record, problem=f"{error.message} {error.hint}", status=409)
        return RedirectResponse(f"/workflows/{id}{after}", 303)

    def dry_run(self, request: Request, form: Form, id: str) -> Response:
        """The page with what a dry run on a record comes to."""
        who = caller(request)
        record = there(workflows.kept(self.home, who, id))
        values = {name.partition(".")[2]: value for name, value in form.items() if name.startswith("record.")}
        return self._workflow(who, record, sample=values)

    def send(self, request: Request, form: Form, id: str) -> Response:
        """Hand a workflow to the admins."""
        who = caller(request)
        record = there(workflows.kept(self.home, who, id))
        try:
            if workflows.state(record) != form.get("seen", "") or record.workflow is None:
                raise workflows.CHANGED
            activation.send(self.home, who, id, record.workflow)
        except SHOWN as error:
            error = told(error, to_admin=who.may("admin"))
            return self._workflow(who, record, problem=f"{error.message} {error.hint}", status=409)
        return RedirectResponse(f"/workflows/{id}#send", 303)

    def judge(self, request: Request, form: Form, id: str) -> Response:
        """Keep what an asker says of a workflow."""
        there(workflows.kept(self.home, caller(request), id))
        made.keep_verdict(self.home.records, request, form, id)
        return RedirectResponse(f"/workflows/{id}#verdict", 303)

    def download(self, request: Request, id: str, file: str) -> Response:
        """A workflow as a file for other programs."""
        who = caller(request)
        workflow = there(there(workflows.kept(self.home, who, id)).workflow)
        media = there(FORMS.get(file))
        if file == "workflow.json":
            return attachment(json.dumps(workflow.values(), ensure_ascii=False, indent=2).encode(), file, media)
        if any(each.severity == "error" for each in workflows.problems(self.home, who, workflow)):
            raise Denied(
                TragError(later("This workflow is not whole yet."), later("Put right what its page says first.")), 409
            )
        if file == "workflow.bpmn":
            return attachment(bpmn(workflow, workflows.catalogue(self.home, who)), file, media)
        return attachment(json.dumps(serverless(workflow), ensure_ascii=False, indent=2).encode(), file, media)

    def _begin(self, who: CurrentUser, words: str, problem: str = "", status: int = 200) -> Response:
        book = workflows.catalogue(self.home, who)
        return self._page("begin", who, "", status, words=words, book=book, problem=problem, longest=LONGEST_QUESTION)

    def _workflow(
        self,
        who: CurrentUser,
        record: WorkflowRecord,
        *,
        changing: int = -1,
        left: int = 0,
        problem: str = "",
        sample: Mapping[str, str] | None = None,
        status: int = 200,
    ) -> Response:
        book, chart = workflows.catalogue(self.home, who), self.home.organization.chart
        workflow = record.workflow or Workflow(None, (), request=record.request)
        found = workflows.problems(self.home, who, workflow) if workflow.steps else ()
        steps = shown(workflow, book, chart, record.suggestions, found)
        fields = asked_for(workflow, book)
        went = None
        if sample is not None:
            went = run(workflow, book, _record(sample, fields) if fields else None)
        return self._page(
            "workflow",
            who,
            record.id,
            status,
            record=record,
            workflow=workflow,
            state=workflows.state(record),
            steps=steps,
            book=book,
            begins=wording.begins(workflow, book),
            suggested=_suggested(record, book),
            changing=changing if 0 <= changing <= len(workflow.steps) else -1,
            changes=changes(workflow, max(changing, 0), book, record.suggestions),
            operators=wording.OPERATOR_WORDS,
            units=wording.UNITS,
            whole=[each for each in found if not each.row and each.severity == "error"],
            outdated=any(not each.row and each.severity == "warning" for each in found),
            errors=sum(each.severity == "error" for each in found),
            still_open=open_things(steps),
            left=left,
            problem=problem,
            fields=fields,
            sample=sample or {},
            went=went,
            trace=tried(went, workflow, book) if went else (),
            sent=self.home.records.workflows.find(record.id),
            label=self.home.records.label(record.id, who.person),
            longest=LONGEST_REMARK,
            longest_title=LONGEST_TITLE,
        )

    def _page(self, name: str, who: CurrentUser, id: str, status: int = 200, **values: object) -> Response:
        listed = self.home.records.plans(who.person, LISTED, "workflow")[::-1]
        sent = ((each.id, self.home.records.workflows.find(each.id)) for each in listed)
        became = {of: BECAME[found.last.state] for of, found in sent if found}
        html = environment().get_template(f"workflows/{name}.html")
        return HTMLResponse(html.render(here="/workflows", id=id, listed=listed, became=became, **values), status)


def mount(app: FastAPI, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
    """The routes of the page in `app`."""
    app.include_router(WorkflowsPage(home, runs, ready).router())
    explain(app)


def _suggested(record: WorkflowRecord, book: Book) -> tuple[str, ...]:
    """The words of the request that the trigger and its table were suggested for."""
    trigger = record.workflow.trigger if record.workflow else None
    names = {trigger.type, trigger.table} if trigger else set()
    words = (each.words for each in record.suggestions if each.kind != "step" and each.name in names)
    return tuple(dict.fromkeys(each for each in words if each and each != record.request))


def _record(sample: Mapping[str, str], fields: Mapping[str, bool]) -> dict[str, object]:
    """The record that a form names: of what steps go through, a line each."""
    return {
        name: [line.strip() for line in sample.get(name, "").splitlines() if line.strip()]
        if several
        else sample.get(name, "").strip()
        for name, several in fields.items()
    }


def _changed(workflow: Workflow, book: Book, at: int, form: Mapping[str, str]) -> tuple[Workflow, str]:
    """A workflow with the change that a form names at a step, and where on its page to go on. Raises Denied for what
    is no change."""
    act, here = form.get("act", ""), f"#step-{at}"
    name = next((each.name for each in workflow.steps if each.step == at), "")
    if act == "start":
        return _started(workflow, book, form), "#step-0"
    if act == "add":
        return _added(workflow, book, at, form)
    if not name:
        raise Denied
    if act == "remove":
        return editing.removed(workflow, book, at), "#steps"
    if act == "replace" and form.get("name", "") in book.actions and name not in wording.LOGIC_WORDS:
        return editing.replaced(workflow, book, at, form["name"]), f"?step={at}{here}"
    if act == "wait" and form.get("unit", "") in wording.UNITS:
        lasts = Length(number(form.get("number", "")), form["unit"])
        value = wording.duration(lasts) if lasts.number else None
        return editing.filled(workflow, book, at, Input("duration", value=value)), here
    if act == "fill":
        # Of names that will do instead of each other, the one that is given now counts.
        needs = Scope(workflow, book).needs(workflow.steps[at - 1])
        opened = [Input(other) for need in needs for other in need]
        given = [_input(need, place, form) for place, need in enumerate(needs)]
        return editing.filled(workflow, book, at, *opened, *given), here
    if act == "condition":
        left, op = form.get("left", ""), form.get("op", "")
        right = "" if op == "is empty" else remark(form.get("right", ""))
        whole = bool(left) and op in OPERATORS and bool(right or op == "is empty")
        condition = Condition(left, op if op in OPERATORS else "", right, "person" if whole else "open")
        return editing.conditioned(workflow, book, at, condition), here
    raise Denied


def _started(workflow: Workflow, book: Book, form: Mapping[str, str]) -> Workflow:
    trigger = book.triggers.get(form.get("type", ""))
    table = form.get("table", "") if trigger and trigger.table else ""
    if (form.get("type") and trigger is None) or (table and table not in book.tables):
        raise Denied
    title = " ".join(form.get("title", "").split())[:LONGEST_TITLE]
    return editing.started(replace(workflow, title=title), book, Started(trigger.id, table) if trigger else None)


def _added(workflow: Workflow, book: Book, at: int, form: Mapping[str, str]) -> tuple[Workflow, str]:
    name, inside = form.get("name", ""), form.get("where") == "inside"
    above = next((each.name for each in workflow.steps if each.step == at), "")
    fits = name in book.actions or name in editing.fitting(workflow, at, inside=inside)
    if not fits or (at and not above) or (inside and above not in HOLDING):
        raise Denied
    if len(workflow.steps) >= MAX_STEPS:
        raise TragError(f"A workflow has at most {MAX_STEPS} steps.", "Cut it in two.")
    new = editing.behind(workflow, book, at, inside=inside)
    return editing.added(workflow, book, at, name, inside=inside), f"?step={new}#step-{new}"


def _input(need: tuple[str, ...], place: int, form: Mapping[str, str]) -> Input:
    """What a form gives a step for one need: a reference, or else what is written."""
    name = form.get(f"name.{place}", "")
    written = remark(form.get(f"value.{place}", ""))
    source = form.get(f"source.{place}", "")
    return Input(name if name in need else need[0], source, None if source or not written else written)
