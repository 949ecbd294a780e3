"""The pages of the people, for admins: who waits, who is here, new ones, and one of them.

GET shows and changes nothing; POST does one thing and sends the browser on. A home without accounts gets its first one
here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import UploadFile

from store.person import Newcomer, Person, Role, State
from trag.errors import SHOWN, TragError
from trag.people.accounts import accepted, accepted_shown, newcomers, read_people, unit_of
from trag.people.external_identity import NO_PASSWORD, is_external, sign_in_method
from trag.people.permissions import ROLES
from trag.web.forms import Form, number
from trag.web.language import counted, later
from trag.web.language import gettext as _
from trag.web.people.account import AccountPage
from trag.web.people.authentication import Authenticator
from trag.web.people.context import STATES, PeopleContext, unit_typed
from trag.web.people.log import LogPage, in_words
from trag.web.people.sign_in import SignInPages
from trag.web.request_limits import apart
from trag.web.responses import Denied, Notice, explain, table, there
from trag.web.visitors import caller, where

if TYPE_CHECKING:
    from org.chart import Chart
    from store.person import Forgotten
    from trag.errors import Shown
    from trag.home import Home

MOST = 100
"""People on a page."""
BECAME: dict[State, str] = {
    "active": later("%(name)s may use the assistant now."),
    "disabled": later("%(name)s is disabled, and signed out."),
    "pending": later("%(name)s waits again."),
}
IS_NOW: dict[Role, str] = {
    "employee": later("%(name)s is an employee now."),
    "reviewer": later("%(name)s is a reviewer now."),
    "admin": later("%(name)s is an admin now."),
}
_Kind = TypeVar("_Kind", Role, State)


@dataclass(frozen=True, slots=True)
class PeopleQuery:
    """Which people a page is asked to show: words in their names, a state and a role ("" for any), and the page."""

    search: str = ""
    state: str = ""
    role: str = ""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> PeopleQuery:
        """What the query of an address asks for; nonsense in it is left alone."""
        state, role = query.get("state", ""), query.get("role", "")
        return cls(
            " ".join(query.get("search", "").split())[:100],
            state if state in STATES else "",
            role if role in ROLES else "",
            max(1, number(query.get("page", ""))),
        )


class PeoplePage:
    """The routes of everybody's page."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records
        self.authenticator = context.authenticator

    def routes(self, router: APIRouter) -> None:
        router.get("/people")(self.show)
        router.post("/people")(self.add)
        router.post("/people/first")(apart(self.first, self.context.hashing))
        router.post("/people/import")(self.take)
        router.post("/people/refuse")(self.refuse)
        router.get("/people/sample.csv")(self.sample)

    def show(self, request: Request) -> Response:
        """Everybody, who waits first; without accounts the way to the first one."""
        return self._no_accounts({}) if self.authenticator.local else self._everybody(request)

    def _everybody(
        self, request: Request, problem: Shown | None = None, typed: Mapping[str, str] | None = None
    ) -> Response:
        """The page; with what is wrong with a form for somebody new who was `typed`, or else with a file."""
        query, seen, people = PeopleQuery.read(request.query_params), datetime.now(UTC), self.records.people
        chosen = {"search": query.search, "state": query.state, "role": query.role}
        found = people.all(**chosen, page=query.page, most=MOST)
        return self.context.page(
            "list",
            422 if problem else 200,
            here="/people",
            problem=problem,
            typed={field: (typed or {}).get(field, "") for field in ("name", "shown", "role", "unit", "unit_id")},
            adding=typed is not None,
            people=found,
            query=query,
            ways_in={each.id: sign_in_method(people, each) for each in found},
            total=people.count(**chosen),
            counts={state: people.count(state=state) for state in STATES},
            most=MOST,
            seen=seen,
            chart=self.context.chart,
            given=self.context.shown_once(request),
            notice=self.context.notices.said(request),
            sso=self.authenticator.sso is not None,
        )

    def first(self, request: Request, form: Form) -> Response:
        """The first admin of a home without accounts."""
        if not self.authenticator.local:
            raise Denied
        try:
            person = self.context.first_admin(request, form, by="local")
        except TragError as error:
            return self._no_accounts(form, error)
        return self.context.enter(request, person, "password", "/people")

    def _no_accounts(self, form: Mapping[str, str], problem: TragError | None = None) -> Response:
        typed = {field: form.get(field, "") for field in ("name", "shown")}
        return self.context.page("none", 422 if problem else 200, here="/people", problem=problem, typed=typed)

    def add(self, request: Request, form: Form) -> Response:
        """Somebody new, and a link for them to choose a password by; where that cannot be, the form again as it was."""
        try:
            name = accepted(form.get("name", ""))
            shown = accepted_shown(form.get("shown", ""), name)
            role, unit = _one_of(ROLES, "role", form.get("role", "employee")), _unit_in(form, self.context.chart)
            newcomer = Newcomer(name, shown, role, state="active", unit=unit)
            person = self.records.people.add(newcomer, by=caller(request).name, where=where(request))
        except SHOWN as problem:
            return self._everybody(request, problem, form)
        return self.context.give_links(request, (person,), _("%(name)s is added") % {"name": person.shown})

    async def take(self, request: Request) -> Response:
        """Everybody in a CSV file, or nobody; those who are here already stay as they are, where that was ticked."""
        async with request.form() as form:
            file = form.get("file")
            content = await file.read() if isinstance(file, UploadFile) else b""
            links, leave = "links" in form, "leave" in form
        return await run_in_threadpool(self._take, request, content, links, leave)

    def _take(self, request: Request, content: bytes, links: bool, leave: bool) -> Response:
        people = self.records.people
        try:
            rows = read_people(content, self.context.chart)
            present = people.known(each.newcomer.name for each in rows)
            added = people.add_all(newcomers(rows, present, leave=leave), by=caller(request).name, where=where(request))
        except SHOWN as problem:
            return self._everybody(request, problem)
        text = counted("%(num)s person is added", "%(num)s people are added", len(added))
        if present:
            text += "; " + counted(
                "%(num)s who was here already stays as they are",
                "%(num)s who were here already stay as they are",
                len(present),
            )
        if links and added:
            return self.context.give_links(request, added, text)
        return self.context.notices.go("/people", Notice(f"{text}."))

    def refuse(self, request: Request, form: Form) -> Response:
        """Remove everybody who waits and was on the page that was looked at."""
        try:
            seen = datetime.fromisoformat(form.get("seen", "")).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise TragError(later("It is not clear who was meant."), later("Load the page People again.")) from error
        refused = self.records.people.refuse(seen, by=caller(request).name, where=where(request))
        text = counted(
            "%(num)s request is refused and removed.", "%(num)s requests are refused and removed.", len(refused)
        )
        return self.context.notices.go("/people", Notice(text))

    def sample(self) -> Response:
        people = (("ada", "Ada Lovelace", "employee", ""), ("bo", "Bo Berg", "reviewer", ""))
        return table([("name", "shown", "role", "unit"), *people], "people.csv")


class PersonPage:
    """The routes of one person's page: what they may do, how they get in, what is kept of them, and their removal."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records

    def routes(self, router: APIRouter) -> None:
        router.get("/people/{id}")(self.show)
        router.post("/people/{id}")(self.change)
        router.post("/people/{id}/name")(self.rename)
        router.post("/people/{id}/link")(self.link)
        router.post("/people/{id}/end")(self.end)
        router.post("/people/{id}/second-factor/end")(self.end_factor)
        router.post("/people/{id}/forget")(self.forget)
        router.post("/people/{id}/remove")(self.remove)

    def show(self, request: Request, id: str) -> Response:
        person = there(self.records.people.get(id))
        return self.context.page(
            "one",
            here="/people",
            person=person,
            sessions=self.records.sessions.of(id),
            tokens=self.records.tokens.of(id),
            factor=self.records.second_factors.of(id),
            events=in_words(self.records.audit.page(about=person.name, most=20), self.records),
            own=caller(request).person == id,
            way=sign_in_method(self.records.people, person),
            vouched=is_external(self.records.people, person, self.context.authenticator.settings),
            conversations=len(self.records.conversations(id)),
            chart=self.context.chart,
            given=self.context.shown_once(request),
            notice=self.context.notices.said(request),
        )

    def change(self, request: Request, form: Form, id: str) -> Response:
        """Another role, state, unit or shown name; what a form does not name stays."""
        before = there(self.records.people.get(id))
        unit, chart = form.get("unit"), self.context.chart
        unchanged = (before.unit, unit_typed(before.unit, chart))
        person = self.records.people.change(
            id,
            by=caller(request).name,
            where=where(request),
            shown=accepted_shown(form["shown"], before.name) if "shown" in form else None,
            role=_one_of(ROLES, "role", form["role"]) if "role" in form else None,
            state=_one_of(STATES, "state", form["state"]) if "state" in form else None,
            unit=None if unit is None or (unit in unchanged and not form.get("unit_id")) else _unit_in(form, chart),
        )
        path = f"/people/{id}" if form.get("back") == "one" else "/people"
        return self.context.notices.go(path, Notice(difference(before, person)))

    def rename(self, request: Request, form: Form, id: str) -> Response:
        before = there(self.records.people.get(id))
        name = accepted(form.get("name", ""))
        shown = name if before.shown == before.name else None
        person = self.records.people.change(id, by=caller(request).name, where=where(request), name=name, shown=shown)
        text = _("Nothing was different.")
        if person != before:
            text = _("%(before)s signs in as %(now)s from now on.") % {"before": before.name, "now": person.name}
        return self.context.notices.go(f"/people/{id}", Notice(text))

    def link(self, request: Request, id: str) -> Response:
        """A link by which somebody sets a new password: an admin never knows it. Raises TragError for who is vouched
        for by somebody else."""
        person = there(self.records.people.get(id))
        if is_external(self.records.people, person, self.context.authenticator.settings):
            raise TragError(*NO_PASSWORD)
        return self.context.give_links(
            request, (person,), _("A link for %(name)s") % {"name": person.shown}, f"/people/{id}"
        )

    def end(self, request: Request, id: str) -> Response:
        person = there(self.records.people.get(id))
        self.records.sessions.end_all(id)
        self.records.audit.add(caller(request).name, "sessions ended", person.name, where=where(request), result="all")
        return self.context.notices.go(
            f"/people/{id}", Notice(_("%(name)s is signed out everywhere.") % {"name": person.shown})
        )

    def end_factor(self, request: Request, id: str) -> Response:
        """Ask somebody who lost their app for no code any more."""
        person = there(self.records.people.get(id))
        self.records.second_factors.end(id, by=caller(request).name, where=where(request))
        return self.context.notices.go(f"/people/{id}", Notice(f"{person.shown} signs in with the password alone."))

    def forget(self, request: Request, id: str) -> Response:
        person = there(self.records.people.get(id))
        gone = self.records.forget_person(id, by=caller(request).name, where=where(request))
        told = _("Forgotten of %(name)s: %(what)s") % {"name": person.shown, "what": forgotten_in_words(gone)}
        return self.context.notices.go(f"/people/{id}", Notice(told))

    def remove(self, request: Request, id: str) -> Response:
        """Remove somebody with all that let them in, and forget their conversations."""
        person = there(self.records.people.get(id))
        gone = self.records.people.remove(id, by=caller(request).name, where=where(request))
        text = _("%(shown)s is removed, and the name %(name)s is free. Forgotten: %(what)s")
        text %= {"shown": person.shown, "name": person.name, "what": forgotten_in_words(gone)}
        return self.context.notices.go("/people", Notice(text))


def mount(app: FastAPI, home: Home, authenticator: Authenticator) -> None:
    """The routes of every page of the people in `app`."""
    router, context = APIRouter(), PeopleContext(home, authenticator)
    for page in (
        SignInPages(context),
        AccountPage(context),
        PeoplePage(context),
        LogPage(context),
        PersonPage(context),
    ):
        page.routes(router)
    app.include_router(router)
    explain(app)


def _one_of(kinds: Collection[_Kind], what: str, typed: str) -> _Kind:
    """A role or a state as a form names it. Raises TragError for what is none."""
    for each in kinds:
        if each == typed:
            return each
    raise TragError(f"{typed!r} is no {what}.", f"Use one of {', '.join(map(str, kinds))}.")


def _unit_in(form: Mapping[str, str], chart: Chart | None) -> str:
    """The unit that was chosen in a form, or typed by its name or id. Raises TragError for what names none or
    several."""
    chosen = form.get("unit_id", "")
    if chart and chosen in chart.units:
        return chosen
    try:
        return unit_of(form.get("unit", "").strip(), chart)
    except TragError as error:
        message = f"{error.message[0].upper()}{error.message[1:]}."
        raise TragError(message, later("Type a part of its name, and choose it from the list.")) from error


def difference(before: Person, now: Person) -> str:
    """What is different about somebody, in words."""
    if before == now:
        return _("Nothing was different.")
    if before.state != now.state:
        return _(BECAME[now.state]) % {"name": now.shown}
    if before.role != now.role:
        return _(IS_NOW[now.role]) % {"name": now.shown}
    return _("%(name)s is changed.") % {"name": now.shown}


def forgotten_in_words(gone: Forgotten) -> str:
    """What was forgotten of somebody."""
    text = counted("%(num)s conversation", "%(num)s conversations", gone.conversations)
    text = _("%(conversations)s with %(answers)s.") % {
        "conversations": text,
        "answers": counted("%(num)s answer", "%(num)s answers", gone.answers),
    }
    if gone.kept:
        text += " " + counted(
            "%(num)s answer that reviewers judged stays, without a name.",
            "%(num)s answers that reviewers judged stay, without a name.",
            gone.kept,
        )
    return text
