"""The page Get it done: what somebody wants done, made into a plan in their turn, ticked, planned anew, judged.

GET shows and changes nothing; POST begins a plan, ends one or judges one, and sends the browser on to the page of it. A
plan that is being made has its page at once, which says how far it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import uuid4

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from org.procedures.actions import Action
from org.procedures.flows import Book, Step
from org.procedures.graph import Graph
from org.procedures.reading import is_section
from trag import plans, workflows
from trag.errors import SHOWN, told
from trag.flow.record import PlannedStep, PlanRecord, WrittenIn
from trag.people import CurrentUser
from trag.people.permissions import opened
from trag.plans import PlanEvent
from trag.question import LONGEST_QUESTION
from trag.record import LONGEST_REMARK
from trag.web import made
from trag.web.active_runs import ActiveRuns
from trag.web.documents.names import key
from trag.web.forms import Form
from trag.web.procedures.picture import Picture, Row, laid_out
from trag.web.render import environment
from trag.web.responses import explain, there
from trag.web.visitors import caller

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home

EXAMPLES = 6
"""Procedures that the page offers."""
LISTED = 15
"""Plans of somebody that are listed, the latest ones."""


class PlansPage:
    """What the routes share. Plans are made beside the questions of people, in the same line; `ready` gives the
    assistant as soon as it is open."""

    def __init__(self, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
        self.home, self.runs, self.ready = home, runs, ready

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/plans")
        router.get("")(self.begin)
        router.post("")(self.plan)
        router.get("/{id}")(self.show)
        router.post("/{id}/stop")(self.stop)
        router.post("/{id}/verdict")(self.judge)
        return router

    def begin(self, request: Request, procedure: str = "") -> Response:
        """The page before a plan; an address may name what is wanted, which is planned by a press alone."""
        return self._begin(caller(request), request.query_params.get("request", ""), procedure)

    def plan(self, request: Request, form: Form) -> Response:
        """Begin a plan, and lead to it. What cannot be planned is said, and stays in the field."""
        who, procedure, id = caller(request), form.get("procedure", ""), uuid4().hex
        titles = plans.readable(self.home, who).procedures
        words = form.get("request", "") or (titles[procedure].title if procedure in titles else "")
        try:
            asked = plans.plan_request(self.home, who, words, procedure, form.getlist("done"))

            def making(stop: threading.Event) -> Iterator[PlanEvent]:
                yield from plans.make(self.home, self.ready(), asked, who, id=id, stop=stop)

            self.runs.begin(id, asked.request, making, by=who.person)
        except SHOWN as error:
            error = told(error, to_admin=who.may("admin"))
            return self._begin(who, words, "", f"{error.message} {error.hint}", 409)
        return RedirectResponse(f"/plans/{id}", 303)

    def show(self, request: Request, id: str) -> Response:
        """A plan, or how far it is."""
        who = caller(request)
        run = made.being_made(self.runs, id, who)
        if run is not None:
            draft, stopped = run.draft, run.stop.is_set()
            return self._page("working", who, id, draft=draft, stopped=stopped)
        record = there(plans.kept(self.home, who, id))
        book = plans.readable(self.home, who)
        places = {step.source for step in record.steps} | {record.source}
        return self._page(
            "plan",
            who,
            id,
            record=record,
            sentences=[(text, [*steps]) for text, steps in groupby(record.steps, lambda step: step.step)],
            done=[book.actions[action] for action in record.done if action in book.actions],
            titles=opened(who, record.documents, self.home.records.library, self.home.organization.chart),
            links={place: self._link(place, who) for place in places if place},
            picture=_picture(record, book),
            automates=workflows.offered(self.home, who),
            label=self.home.records.label(id, who.person),
            longest=LONGEST_REMARK,
        )

    def stop(self, request: Request, id: str) -> Response:
        """End a plan that is being made."""
        made.end(self.runs, id, caller(request))
        return RedirectResponse(f"/plans/{id}", 303)

    def judge(self, request: Request, form: Form, id: str) -> Response:
        """Keep what an asker says of a plan."""
        there(plans.kept(self.home, caller(request), id))
        made.keep_verdict(self.home.records, request, form, id)
        return RedirectResponse(f"/plans/{id}#verdict", 303)

    def _begin(self, who: CurrentUser, words: str, procedure: str, problem: str = "", status: int = 200) -> Response:
        procedures = plans.readable(self.home, who).procedures
        return self._page(
            "begin",
            who,
            "",
            status,
            words=words,
            chosen=procedures.get(procedure),
            examples=[*procedures.values()][:EXAMPLES],
            problem=problem,
            longest=LONGEST_QUESTION,
        )

    def _link(self, place: WrittenIn, who: CurrentUser) -> str:
        """Where the viewer opens a place in a document, "" where they may not read it or it is gone."""
        library = self.home.records.library
        if not opened(who, [place.document], library, self.home.organization.chart).get(place.document):
            return ""
        passages = (each for each in library.passages(place.document) if each.kind == "section" and place.section)
        found = next((each for each in passages if is_section(place.section, each.section)), None)
        at = f"?{urlencode({'passage': found.id})}#here" if found else ""
        return f"/documents/{key(place.document)}/view{at}"

    def _page(self, name: str, who: CurrentUser, id: str, status: int = 200, **values: object) -> Response:
        listed = self.home.records.plans(who.person, LISTED)[::-1]
        html = environment().get_template(f"plans/{name}.html")
        return HTMLResponse(html.render(here="/plans", id=id, listed=listed, **values), status)


def mount(app: FastAPI, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
    """The routes of the page in `app`."""
    app.include_router(PlansPage(home, runs, ready).router())
    explain(app)


def _as_read(step: PlannedStep, action: Action) -> Action:
    """An action as its plan tells it."""
    needs = tuple(tuple(thing.replace("_", " ") for thing in need) for need in action.needs)
    gives = tuple(thing.replace("_", " ") for thing in action.gives)
    return replace(action, title=step.title, needs=needs, gives=gives, unit=step.unit)


def _picture(record: PlanRecord, book: Book) -> Picture | None:
    """The actions of a plan in its order, and which waits for which; None where the procedures have changed."""
    if not record.steps or any(step.action not in book.actions for step in record.steps):
        return None
    actions = {step.action: _as_read(step, book.actions[step.action]) for step in record.steps}
    rows: list[Row] = []
    for number, (text, steps) in enumerate(groupby(record.steps, lambda step: step.step), 1):
        of = [actions[step.action] for step in steps]
        rows += [Row(number, step=Step(text, tuple(one.id for one in of))), *(Row(0, action=one) for one in of)]
    return laid_out(rows, Graph(actions.values()))
