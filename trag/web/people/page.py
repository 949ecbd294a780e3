"""The page of the people, for admins: who waits, who is here, new ones, and the log of what was done.

GET shows and changes nothing; POST does one thing and sends the browser on. A home without accounts gets its first one
here. Knows nothing about passwords but the links that set them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import ImmutableMultiDict, UploadFile

from store.person import Newcomer
from trag.errors import TragError
from trag.people.first_admin import make_admin
from trag.people.names import accepted, accepted_shown
from trag.people.sso_mapping import way_in
from trag.people.user_import import read_roster, unit_of, without
from trag.web.forms import filled, number
from trag.web.people import render
from trag.web.people.account import AccountPage
from trag.web.people.authentication import Authenticator
from trag.web.people.logs import as_csv, as_json
from trag.web.people.person import PersonPage, role
from trag.web.people.register import Register
from trag.web.people.signing import SigningPages
from trag.web.responses import Notice, explain, missing, streamed, table
from trag.web.visitors import caller, where

if TYPE_CHECKING:
    from trag.home import Home

MOST = 100
"""People, and events of the log, on a page."""


class PeoplePage:
    """What the routes share."""

    def __init__(self, register: Register) -> None:
        self.register = register
        self.records = register.records
        self.door = register.door

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/people")(self.show)
        router.post("/people")(self.add)
        router.post("/people/first")(self.first)
        router.post("/people/import")(self.take)
        router.post("/people/refuse")(self.refuse)
        router.get("/people/sample.csv")(self.sample)
        router.get("/people/log")(self.log)
        router.get("/people/log.csv")(self.log_csv)
        router.get("/people/log.jsonl")(self.log_jsonl)

    def show(self, request: Request) -> Response:
        """Everybody, who waits first; without accounts the way to the first one."""
        if self.door.local:
            return HTMLResponse(render.no_accounts(problem=None, form={}))
        wanted, seen = render.Wanted.read(request.query_params), datetime.now(UTC)
        people = self.records.people
        chosen = {"search": wanted.search, "state": wanted.state, "role": wanted.role}
        found = people.all(**chosen, page=wanted.page, most=MOST)
        page = render.people(
            found,
            wanted,
            ways_in={each.id: way_in(people, each) for each in found},
            total=people.count(**chosen),
            counts={state: people.count(state=state) for state in render.STATES},
            most=MOST,
            seen=seen,
            chart=self.register.chart,
            given=self.register.given(request),
            notice=self.register.notices.said(request),
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
                organization=self.register.organization,
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
            role(form.get("role", "employee")),
            state="active",
            unit=unit_of(form.get("unit", "").strip(), self.register.chart),
        )
        person = self.records.people.add(newcomer, by=caller(request).name, where=where(request))
        return self.register.give(request, (person,), f"{person.shown} is added")

    async def take(self, request: Request) -> Response:
        """Everybody in a CSV file, or nobody; those who are here already stay as they are, where that was ticked."""
        async with request.form() as form:
            file = form.get("file")
            content = await file.read() if isinstance(file, UploadFile) else b""
            links, leave = "links" in form, "leave" in form
        return await run_in_threadpool(self._take, request, content, links, leave)

    def _take(self, request: Request, content: bytes, links: bool, leave: bool) -> Response:
        listed, people = read_roster(content, self.register.chart), self.records.people
        there = people.known(each.newcomer.name for each in listed)
        added = people.add_all(without(listed, there, leave=leave), by=caller(request).name, where=where(request))
        told = f"{len(added):,} {'person is' if len(added) == 1 else 'people are'} added"
        if there:
            told += f"; {len(there):,} who {'was' if len(there) == 1 else 'were'} here already stay as they are"
        if links and added:
            return self.register.give(request, added, told)
        return self.register.notices.go("/people", Notice(f"{told}."))

    async def refuse(self, request: Request) -> Response:
        """Remove everybody who waits and was on the page that was looked at."""
        return await run_in_threadpool(self._refuse, request, await filled(request))

    def _refuse(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        refused = self.records.people.refuse(
            _moment(form.get("seen", "")), by=caller(request).name, where=where(request)
        )
        told = "1 request is" if len(refused) == 1 else f"{len(refused):,} requests are"
        return self.register.notices.go("/people", Notice(f"{told} refused and removed."))

    def sample(self) -> Response:
        """A file to be imported, to begin with."""
        rows = [
            ("name", "shown", "role", "unit"),
            ("ada", "Ada Lovelace", "employee", ""),
            ("bo", "Bo Berg", "reviewer", ""),
        ]
        return table(rows, "people.csv")

    # The log

    def log(self, request: Request, before: str = "", who: str = "", check: str = "") -> Response:
        """What was done, the newest first."""
        page = render.log(
            self.records.audit.page(before=number(before) or None, who=who[:100], most=MOST),
            who=who[:100],
            most=MOST,
            count=self.records.audit.count(who=who[:100]),
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
        return streamed(lines, name, media)


def mount(app: FastAPI, home: Home, door: Authenticator) -> None:
    """The routes of every page of the people in `app`."""
    router, register = APIRouter(), Register(home, door)
    SigningPages(register).routes(router)
    AccountPage(register).routes(router)
    PeoplePage(register).routes(router)
    PersonPage(register).routes(router)
    app.include_router(router)
    explain(app)


def _moment(typed: str) -> datetime:
    """When a page was drawn, as it says itself. Raises TragError for what is no moment."""
    try:
        return datetime.fromisoformat(typed).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise TragError("It is not clear who was meant.", "Load the page People again.") from error
