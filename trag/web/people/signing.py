"""The pages of the door: signing in and out, asking for an account, and the links that set a password.

GET shows, and changes nothing but what leads to an OpenID provider; POST does one thing and sends the browser on. Knows
nothing about how a password or a token is checked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import ImmutableMultiDict

from store import StoreError
from store.keys import Link
from store.person import Newcomer, Person
from trag.errors import TragError
from trag.people import passwords
from trag.people.first_admin import make_admin
from trag.people.names import accepted, accepted_shown
from trag.people.sign_in import DISABLED, WAITS, TooSoon
from trag.people.sso import LASTS, broken_off
from trag.people.sso_mapping import NO_PASSWORD, arrive, is_vouched_for
from trag.web import access
from trag.web.forms import filled
from trag.web.people import render
from trag.web.people.authentication import LOCAL, host_name, let_out, one_cookie
from trag.web.people.register import Register
from trag.web.responses import missing
from trag.web.visitors import visit, where

if TYPE_CHECKING:
    from trag.people.sso import Begun

MOST_WAITING = 500
"""Accounts that may wait for an admin at once."""
MOST_ASKED = 5
"""Accounts that one address may ask for, until it has asked for none for as long as failures are REMEMBERED."""
APART = 8
"""Threads that may wait for the OpenID provider: their own ones, so that a silent one holds up nobody else."""
FULL = ("Too many people wait for an account already.", "Ask an admin in person.")
OVER = (
    "You are not signed in any more, so what you sent was not kept.",
    "Sign in, and you are back on the page that you sent it from.",
)
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\\]{0,2000}")


class SigningPages:
    """What the routes share."""

    def __init__(self, register: Register) -> None:
        self.register = register
        self.records = register.records
        self.door = register.door
        self.apart = CapacityLimiter(APART)

    def routes(self, router: APIRouter) -> None:
        """Every route of these pages. Plain functions run in threads."""
        router.get("/sign-in")(self.show)
        router.post("/sign-in")(self.sign_in)
        router.get("/sign-in/sso")(self.go)
        router.get("/sign-in/back")(self.come_back)
        router.post("/sign-out")(self.sign_out)
        router.get("/account/new")(self.show_asking)
        router.post("/account/new")(self.ask)
        router.get("/links/{code}")(self.show_link)
        router.post("/links/{code}")(self.use_link)

    def show(self, request: Request, after: str = "/", asked: str = "", over: str = "") -> Response:
        """The page to sign in on; whoever is in already goes on. `over` says that something was sent by somebody who is
        in no more."""
        client = request.client.host if request.client else ""
        if self.door.local or self.door.visit(request.headers, client):
            return RedirectResponse(_inside(after), 303)
        vouched = self.door.vouched(request.headers, client)
        problem = _not_active(vouched) if vouched else TragError(*OVER) if over else None
        return self._sign_in_page(after, problem, asked=bool(asked), status=401 if over else 200)

    async def sign_in(self, request: Request) -> Response:
        """Let somebody in who knows their password."""
        return await run_in_threadpool(self._sign_in, request, await filled(request))

    def _sign_in(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        name, after = form.get("name", "").strip(), form.get("after", "")
        try:
            person = self.door.sign_in.by_password(name, form.get("password", ""), where(request))
            response = RedirectResponse(_inside(after), 303)
            return self.door.let_in(person, request.headers, where(request), "password", response)
        except (TragError, StoreError) as error:
            return self._sign_in_page(after, error, name=name, status=429 if isinstance(error, TooSoon) else 403)

    def sign_out(self, request: Request) -> Response:
        """End the session."""
        here = visit(request)
        if here.session:
            self.records.sessions.end(here.session)
            self.records.audit.add(here.caller.name, "sign-out", where=where(request))
        return let_out(request.headers, RedirectResponse("/sign-in", 303))

    # Single sign-on

    async def go(self, request: Request, after: str = "/") -> Response:
        """On to the OpenID provider."""
        return await to_thread.run_sync(self._begin_at_provider, request, after, limiter=self.apart)

    def _begin_at_provider(self, request: Request, after: str) -> Response:
        if self.door.sso is None:
            return missing(request)
        host = request.headers["host"]
        own = f"http://{host}" if host_name(request.headers) in LOCAL else self.door.settings.address.rstrip("/")
        try:
            begun: Begun = self.door.sso.begin(f"{own}/sign-in/back", _inside(after))
        except TragError as error:
            return self._sign_in_page(after, error, status=502)
        response = RedirectResponse(begun.url, 303, {"cache-control": "no-store"})
        name, secure = _ticket(request)
        response.set_cookie(
            name, begun.browser, max_age=int(LASTS), path="/", httponly=True, samesite="lax", secure=secure
        )
        return response

    async def come_back(self, request: Request, state: str = "", code: str = "", error: str = "") -> Response:
        """From the OpenID provider."""
        return await to_thread.run_sync(self._finish_at_provider, request, state, code, error, limiter=self.apart)

    def _finish_at_provider(self, request: Request, state: str, code: str, error: str) -> Response:
        if self.door.sso is None:
            return missing(request)
        name, secure = _ticket(request)
        try:
            if error or not code:
                raise broken_off(error)
            claim, after = self.door.sso.finish(state, code, one_cookie(request.headers, name))
            person = arrive(self.records.people, claim, where=where(request))
            if person.state != "active":
                raise _not_active(person)
            response = RedirectResponse(after, 303)
            answer = self.door.let_in(person, request.headers, where(request), "single sign-on", response)
        except (TragError, StoreError) as problem:
            self.door.refused("", "sign-in", where(request), f"single sign-on: {problem.message}")
            answer = self._sign_in_page("/", problem, status=403)
        answer.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)
        return answer

    # New accounts

    def show_asking(self, request: Request) -> Response:
        """The page to ask for an account on."""
        return missing(request) if self._closed() else self._page("new")

    async def ask(self, request: Request) -> Response:
        """Keep somebody who waits for an admin."""
        return await run_in_threadpool(self._ask, request, await filled(request))

    def _ask(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        if self._closed():
            return missing(request)
        people, key = self.records.people, f"asking:{where(request)}"
        try:
            if people.failures(key).count >= MOST_ASKED:
                raise TragError("Too many accounts were asked for from where you are.", "Try again tomorrow.")
            name, shown, kept = _chosen(form, self.register.organization)
            if people.count(state="pending") >= MOST_WAITING:
                raise TragError(*FULL)
            people.failed(key)
            # Whether the name is taken is not told: an admin sees who asked, and says so.
            if people.find(name):
                self.records.audit.add("", "account asked for", name, where=where(request), result="the name is taken")
            else:
                people.add(Newcomer(name, shown, secret=kept), by=name, where=where(request))
        except (TragError, StoreError) as error:
            return self._page("new", error, form)
        return RedirectResponse("/sign-in?asked=1", 303)

    # Links

    def show_link(self, request: Request, code: str) -> Response:
        """What a link is for. Looking at it does not use it up: mail programs look at links."""
        link = self.records.links.find(code)
        return self._link_page(link, code) if link else self._gone()

    async def use_link(self, request: Request, code: str) -> Response:
        """Make the first admin, or set a new password."""
        return await run_in_threadpool(self._use_link, request, await filled(request), code)

    def _use_link(self, request: Request, form: ImmutableMultiDict[str, str], code: str) -> Response:
        link = self.records.links.find(code)
        if link is None:
            return self._gone()
        people = self.records.people
        try:
            if link.kind == "first admin":
                person = make_admin(
                    self.records,
                    form.get("name", ""),
                    form.get("shown", ""),
                    _twice(form),
                    organization=self.register.organization,
                    by="",
                    where=where(request),
                    link=code,
                    first=True,
                )
            else:
                found = people.get(link.person or "")
                if found is None:
                    return self._gone()
                if is_vouched_for(people, found, self.door.settings):
                    return self._link_page(link, code)
                person, password = found, _twice(form)
                passwords.check(password, (person.name, person.shown, self.register.organization))
                people.put_secret(
                    person.id, passwords.hashed(password), by=person.name, where=where(request), link=code
                )
        except (TragError, StoreError) as error:
            return self._link_page(link, code, error, form)
        if person.state != "active":
            return self._sign_in_page("/", _not_active(person))
        return self.door.let_in(person, request.headers, where(request), "link", RedirectResponse("/", 303))

    def _closed(self) -> bool:
        """Whether nobody may ask for an account: there are none, or somebody else says who people are."""
        return not self.door.accounts or self.door.sso is not None or bool(self.door.settings.proxy_user)

    def _gone(self) -> Response:
        problem = TragError("This link was used already, or its time is over.", "Ask an admin for a new one.")
        return self._sign_in_page("/", problem, status=404)

    def _link_page(self, link: Link, code: str, problem: Any = None, form: Any = None) -> Response:
        person = self.records.people.get(link.person) if link.person else None
        if person and is_vouched_for(self.records.people, person, self.door.settings):
            return self._sign_in_page("/", TragError(*NO_PASSWORD), status=409)
        return self._page("link", problem, form, person=person, code=code)

    def _sign_in_page(
        self, after: str, problem: Any = None, *, name: str = "", asked: bool = False, status: int = 200
    ) -> Response:
        page = render.sign_in(
            self.register.organization,
            name=name,
            after=_inside(after),
            problem=problem,
            asked=asked,
            accounts=self.door.accounts,
            sso=self.door.sso is not None,
            closed=self._closed(),
        )
        more = {"retry-after": str(problem.seconds)} if isinstance(problem, TooSoon) else None
        return HTMLResponse(page, status, more)

    def _page(self, kind: str, problem: Any = None, form: Any = None, **values: object) -> Response:
        page = render.choosing(kind, self.register.organization, problem=problem, form=form or {}, **values)
        return HTMLResponse(page, 422 if problem else 200)


def _chosen(form: ImmutableMultiDict[str, str], organization: str) -> tuple[str, str, str]:
    """The name, the shown name and what is kept of the password in a form. Raises TragError."""
    name = accepted(form.get("name", ""))
    shown, password = accepted_shown(form.get("shown", ""), name), _twice(form)
    passwords.check(password, (name, shown, organization))
    return name, shown, passwords.hashed(password)


def _twice(form: ImmutableMultiDict[str, str]) -> str:
    """The password that was typed twice. Raises TragError for two."""
    password = form.get("password", "")
    if password != form.get("again", ""):
        raise TragError("The two passwords are not the same.", "Type the same one twice.")
    return password


def _not_active(person: Person) -> TragError:
    """Why somebody who proved who they are is not let in."""
    return TragError(*(WAITS if person.state == "pending" else DISABLED))


def _inside(after: str) -> str:
    """Where to go on to: a page of ours, or the first one."""
    known = _PATH.fullmatch(after) and access.needed("GET", after.partition("?")[0])
    return after if known and known != "anyone" else "/"


def _ticket(request: Request) -> tuple[str, bool]:
    """The cookie that binds a way to the provider and back to one browser."""
    return ("trag-sso", False) if host_name(request.headers) in LOCAL else ("__Host-trag-sso", True)
