"""The page of the people, for admins: who waits, who is here, what each may do, and the log of what was done.

GET shows and changes nothing; POST does one thing and sends the browser on. A home without accounts gets its first one
here. Knows nothing about passwords but the links that set them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, cast, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.datastructures import ImmutableMultiDict, UploadFile

from store.person import Newcomer, Person, Role, State
from trag.errors import TragError
from trag.people import ROLES
from trag.people.first_admin import make_admin
from trag.people.names import accepted, accepted_shown
from trag.people.roster import read_roster, unit_of
from trag.web.documents.notices import Notice, Notices
from trag.web.files import table
from trag.web.forms import filled
from trag.web.people import render
from trag.web.people.account import AccountPage
from trag.web.people.door import LOCAL, Door, host_name
from trag.web.people.logs import as_csv, as_json
from trag.web.people.once import Given, Once
from trag.web.people.signing import SigningPages
from trag.web.told import explain, missing
from trag.web.visitors import caller, where

if TYPE_CHECKING:
    from org.chart import Chart
    from trag.home import Home

MOST = 100
"""People, and events of the log, on a page."""
LINK_LASTS = timedelta(days=7)
STATES = get_args(State)


class PeoplePage:
    """What the routes share."""

    def __init__(self, home: Home, door: Door, once: Once, notices: Notices) -> None:
        self.home = home
        self.records = home.records
        self.door = door
        self.once = once
        self.notices = notices

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/people")(self.show)
        router.post("/people")(self.add)
        router.post("/people/first")(self.first)
        router.post("/people/import")(self.take)
        router.get("/people/sample.csv")(self.sample)
        router.get("/people/log")(self.log)
        router.get("/people/log.csv")(self.log_csv)
        router.get("/people/log.jsonl")(self.log_jsonl)
        router.get("/people/{id}")(self.one)
        router.post("/people/{id}")(self.change)
        router.post("/people/{id}/link")(self.link)
        router.post("/people/{id}/end")(self.end)

    def show(self, request: Request) -> Response:
        """Everybody, who waits first; without accounts the way to the first one."""
        if self.door.local:
            return HTMLResponse(render.no_accounts(problem=None, form={}))
        query = request.query_params
        wanted = render.Wanted.read(query)
        people = self.records.people
        chosen = {"search": wanted.search, "state": wanted.state, "role": wanted.role}
        page = render.people(
            people.all(**chosen, page=wanted.page, most=MOST),
            wanted,
            total=people.count(**chosen),
            counts={state: people.count(state=state) for state in STATES},
            most=MOST,
            chart=self._chart,
            given=self.once.take(caller(request).person, query.get("given", "")),
            notice=self.notices.find(query.get("told", "")),
            sso=self.door.sso is not None,
        )
        return HTMLResponse(page)

    async def first(self, request: Request) -> Response:
        """The first admin of a home without accounts."""
        return await run_in_threadpool(self._first, request, await filled(request))

    def _first(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        if not self.door.local:
            return missing(request)
        try:
            if form.get("password", "") != form.get("again", ""):
                raise TragError("The two passwords are not the same.", "Type the same one twice.")
            person = make_admin(
                self.records,
                form.get("name", ""),
                form.get("shown", ""),
                form.get("password", ""),
                by="local",
                where=where(request),
                first=True,
            )
        except TragError as error:
            return HTMLResponse(render.no_accounts(problem=error, form=form), 422)
        return self.door.let_in(person, request.headers, where(request), "password", RedirectResponse("/people", 303))

    async def add(self, request: Request) -> Response:
        """Somebody new, and a link for them to choose a password by."""
        return await run_in_threadpool(self._add, request, await filled(request))

    def _add(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        name = accepted(form.get("name", ""))
        newcomer = Newcomer(
            name,
            accepted_shown(form.get("shown", ""), name),
            _role(form.get("role", "employee")),
            state="active",
            unit=unit_of(form.get("unit", "").strip(), self._chart),
        )
        person = self.records.people.add(newcomer, by=caller(request).name, where=where(request))
        return self._given(request, (person,), f"{person.shown} is added")

    async def take(self, request: Request) -> Response:
        """Everybody in a CSV file, or nobody."""
        async with request.form() as form:
            file = form.get("file")
            content = await file.read() if isinstance(file, UploadFile) else b""
            links = "links" in form
        return await run_in_threadpool(self._take, request, content, links)

    def _take(self, request: Request, content: bytes, links: bool) -> Response:
        newcomers = read_roster(content, self._chart)
        added = self.records.people.add_all(newcomers, by=caller(request).name, where=where(request))
        told = f"{len(added):,} {'person is' if len(added) == 1 else 'people are'} added"
        return self._given(request, added, told) if links else self._go(Notice(f"{told}."))

    def sample(self) -> Response:
        """A file to be imported, to begin with."""
        rows = [
            ("name", "shown", "role", "unit"),
            ("ada", "Ada Lovelace", "employee", ""),
            ("bo", "Bo Berg", "reviewer", ""),
        ]
        return table(rows, "people.csv")

    def one(self, request: Request, id: str) -> Response:
        """Everything about one person."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        page = render.person(
            person,
            self.records.sessions.of(id),
            self.records.tokens.of(id),
            self.records.audit.page(about=person.name, most=20),
            own=caller(request).person == id,
            chart=self._chart,
            given=self.once.take(caller(request).person, request.query_params.get("given", "")),
            notice=self.notices.find(request.query_params.get("told", "")),
        )
        return HTMLResponse(page)

    async def change(self, request: Request, id: str) -> Response:
        """Another role, state, unit or shown name; what a form does not name stays."""
        return await run_in_threadpool(self._change, request, await filled(request), id)

    def _change(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        before = self.records.people.get(id)
        if before is None:
            return missing(request)
        unit = form.get("unit")
        unchanged = (before.unit, render.unit_typed(before.unit, self._chart))
        person = self.records.people.change(
            id,
            by=caller(request).name,
            where=where(request),
            shown=accepted_shown(form["shown"], before.name) if "shown" in form else None,
            role=_role(form["role"]) if "role" in form else None,
            state=_state(form["state"]) if "state" in form else None,
            unit=None if unit is None or unit in unchanged else unit_of(unit.strip(), self._chart),
        )
        told = "Nothing was different." if person == before else render.told(before, person)
        back = f"/people/{id}" if form.get("back") == "one" else "/people"
        return self._go(Notice(told), back)

    def link(self, request: Request, id: str) -> Response:
        """A link by which somebody sets a new password: an admin never knows it."""
        person = self.records.people.get(id)
        return (
            missing(request)
            if person is None
            else self._given(request, (person,), f"A link for {person.shown}", f"/people/{id}")
        )

    def end(self, request: Request, id: str) -> Response:
        """Sign somebody out everywhere."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        self.records.sessions.end_all(id)
        self.records.audit.add(caller(request).name, "sessions ended", person.name, where=where(request), result="all")
        return self._go(Notice(f"{person.shown} is signed out everywhere."), f"/people/{id}")

    # The log

    def log(self, request: Request, before: str = "", who: str = "", check: str = "") -> Response:
        """What was done, the newest first."""
        number = int(before) if before.isdecimal() and len(before) < 12 else None
        page = render.log(
            self.records.audit.page(before=number, who=who[:100], most=MOST),
            who=who[:100],
            most=MOST,
            count=self.records.audit.count(),
            broken=self.records.audit.verify() if check else None,
            checked=bool(check),
        )
        return HTMLResponse(page)

    def log_csv(self, request: Request) -> Response:
        """The whole log as a table."""
        return self._exported(request, as_csv(self.records.audit.all()), "audit-log.csv", "text/csv; charset=utf-8")

    def log_jsonl(self, request: Request) -> Response:
        """The whole log as lines of JSON."""
        return self._exported(request, as_json(self.records.audit.all()), "audit-log.jsonl", "application/jsonl")

    def _exported(self, request: Request, lines: Iterator[str], name: str, media: str) -> Response:
        self.records.audit.add(caller(request).name, "export", "audit log", where=where(request), result=name)
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return StreamingResponse(lines, media_type=media, headers=headers)

    @property
    def _chart(self) -> Chart | None:
        return self.home.organization.chart

    def _given(self, request: Request, people: Sequence[Person], told: str, back: str = "/people") -> Response:
        """On to the page that shows, once, a link for each of these people."""
        host = request.headers["host"]
        own = f"http://{host}" if host_name(request.headers) in LOCAL else f"https://{host}"
        by, links = caller(request), []
        for person in people:
            secret, link = self.records.links.make("password", person.id, LINK_LASTS, by=by.name, where=where(request))
            links.append((person.name, f"{own}/links/{secret}"))
        many = "each link to the one it is for" if len(links) > 1 else f"it to {people[0].shown}"
        advice = f"Shown this once. Give {many}: it sets a password, works once, and ends on {link.ends:%-d %b %Y}."
        ticket = self.once.keep(by.person, Given(told, advice, tuple(links)))
        return RedirectResponse(f"{back}?{urlencode({'given': ticket})}", 303)

    def _go(self, notice: Notice, path: str = "/people") -> Response:
        return RedirectResponse(f"{path}?{urlencode({'told': self.notices.keep(notice)})}", 303)


def mount(app: FastAPI, home: Home, door: Door) -> None:
    """The routes of every page of the people in `app`."""

    def organization() -> str:
        chart = home.organization.chart
        return chart.root.name if chart else ""

    router, once, notices = APIRouter(), Once(), Notices()
    SigningPages(door, organization).routes(router)
    AccountPage(door, once, notices).routes(router)
    PeoplePage(home, door, once, notices).routes(router)
    app.include_router(router)
    explain(app)


def _role(wanted: str) -> Role:
    if wanted not in ROLES:
        raise TragError(f"{wanted!r} is no role.", f"Use one of {', '.join(ROLES)}.")
    return wanted


def _state(wanted: str) -> State:
    if wanted not in STATES:
        raise TragError(f"{wanted!r} is no state.", f"Use one of {', '.join(STATES)}.")
    return cast(State, wanted)
