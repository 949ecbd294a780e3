"""The page of one person, for admins: what they may do, how they get in, what is kept of them, and their removal.

GET shows and changes nothing; POST does one thing and sends the browser on. Knows nothing about passwords but the links
that set them.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from store.person import Role, State
from trag.errors import TragError
from trag.people import ROLES, role_of
from trag.people.names import accepted, accepted_shown
from trag.people.sso_mapping import NO_PASSWORD, is_vouched_for, way_in
from trag.people.user_import import unit_of
from trag.web.forms import filled
from trag.web.people import render
from trag.web.people.register import Register
from trag.web.responses import Notice, missing
from trag.web.visitors import caller, where


class PersonPage:
    """What the routes share."""

    def __init__(self, register: Register) -> None:
        self.register = register
        self.records = register.records

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/people/{id}")(self.show)
        router.post("/people/{id}")(self.change)
        router.post("/people/{id}/name")(self.rename)
        router.post("/people/{id}/link")(self.link)
        router.post("/people/{id}/end")(self.end)
        router.post("/people/{id}/forget")(self.forget)
        router.post("/people/{id}/remove")(self.remove)

    def show(self, request: Request, id: str) -> Response:
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
            way=way_in(self.records.people, person),
            vouched=is_vouched_for(self.records.people, person, self.register.door.settings),
            conversations=len(self.records.conversations(id)),
            chart=self.register.chart,
            given=self.register.given(request),
            notice=self.register.notices.said(request),
        )
        return HTMLResponse(page)

    async def change(self, request: Request, id: str) -> Response:
        """Another role, state, unit or shown name; what a form does not name stays."""
        return await run_in_threadpool(self._change, request, await filled(request), id)

    def _change(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        before = self.records.people.get(id)
        if before is None:
            return missing(request)
        unit, chart = form.get("unit"), self.register.chart
        unchanged = (before.unit, render.unit_typed(before.unit, chart))
        person = self.records.people.change(
            id,
            by=caller(request).name,
            where=where(request),
            shown=accepted_shown(form["shown"], before.name) if "shown" in form else None,
            role=role(form["role"]) if "role" in form else None,
            state=state(form["state"]) if "state" in form else None,
            unit=None if unit is None or unit in unchanged else unit_of(unit.strip(), chart),
        )
        told = "Nothing was different." if person == before else render.told(before, person)
        return self.register.notices.go(f"/people/{id}" if form.get("back") == "one" else "/people", Notice(told))

    async def rename(self, request: Request, id: str) -> Response:
        """Another name to sign in with."""
        return await run_in_threadpool(self._rename, request, await filled(request), id)

    def _rename(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        before = self.records.people.get(id)
        if before is None:
            return missing(request)
        name = accepted(form.get("name", ""))
        shown = name if before.shown == before.name else None
        person = self.records.people.change(id, by=caller(request).name, where=where(request), name=name, shown=shown)
        told = "Nothing was different." if person == before else f"{before.name} signs in as {person.name} from now on."
        return self.register.notices.go(f"/people/{id}", Notice(told))

    def link(self, request: Request, id: str) -> Response:
        """A link by which somebody sets a new password: an admin never knows it. Raises TragError for who is vouched
        for by somebody else."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        if is_vouched_for(self.records.people, person, self.register.door.settings):
            raise TragError(*NO_PASSWORD)
        return self.register.give(request, (person,), f"A link for {person.shown}", f"/people/{id}")

    def end(self, request: Request, id: str) -> Response:
        """Sign somebody out everywhere."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        self.records.sessions.end_all(id)
        self.records.audit.add(caller(request).name, "sessions ended", person.name, where=where(request), result="all")
        return self.register.notices.go(f"/people/{id}", Notice(f"{person.shown} is signed out everywhere."))

    def forget(self, request: Request, id: str) -> Response:
        """Forget every conversation of somebody, who stays."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        forgotten = self.records.forget_person(id, by=caller(request).name, where=where(request))
        told = f"Forgotten of {person.shown}: {render.forgotten(forgotten)}"
        return self.register.notices.go(f"/people/{id}", Notice(told))

    def remove(self, request: Request, id: str) -> Response:
        """Remove somebody with all that let them in, and forget their conversations."""
        person = self.records.people.get(id)
        if person is None:
            return missing(request)
        forgotten = self.records.people.remove(id, by=caller(request).name, where=where(request))
        told = (
            f"{person.shown} is removed, and the name {person.name} is free. Forgotten: {render.forgotten(forgotten)}"
        )
        return self.register.notices.go("/people", Notice(told))


def role(wanted: str) -> Role:
    """A role as a form names it. Raises TragError for what is none."""
    found = role_of(wanted)
    if found is None:
        raise TragError(f"{wanted!r} is no role.", f"Use one of {', '.join(ROLES)}.")
    return found


def state(wanted: str) -> State:
    """A state as a form names it. Raises TragError for what is none."""
    found = next((each for each in render.STATES if each == wanted), None)
    if found is None:
        raise TragError(f"{wanted!r} is no state.", f"Use one of {', '.join(render.STATES)}.")
    return found
