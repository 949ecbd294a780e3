"""Signing in and out, asking for an account, and the links that set a password.

GET shows, and changes nothing but what leads to an OpenID provider; POST does one thing and sends the browser on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from anyio import CapacityLimiter
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from store import StoreError
from store.keys import Link
from store.person import Newcomer, Person
from trag.errors import TragError
from trag.people import passwords
from trag.people.accounts import accepted, accepted_shown
from trag.people.external_identity import NO_PASSWORD, is_external, provision
from trag.people.sign_in import DISABLED, WAITS, RateLimited
from trag.people.sso import LASTS, broken_off
from trag.web import access
from trag.web.forms import Form
from trag.web.language import later
from trag.web.people.authentication import LOCAL, forget_session, host_name, one_cookie
from trag.web.people.context import PeopleContext, typed_twice
from trag.web.request_limits import apart
from trag.web.responses import Denied, there
from trag.web.visitors import visit, where

MOST_WAITING = 500
"""Accounts that may wait for an admin at once."""
MOST_ASKED = 5
"""Accounts that one address may ask for, until it has asked for none for as long as failures are REMEMBERED."""
MOST_WEIGHED = 40
"""Passwords that are weighed for one address in the same time: that costs, also where they are refused."""
ASKING = 8
"""Threads that may wait for the OpenID provider: their own ones, so that a silent one holds up nobody else."""
CODE_LASTS = timedelta(minutes=5)
"""How long somebody whose password was right may take to type a code."""
TOO_LATE = (later("The code came too late, or was typed in another window already."), later("Sign in again."))
FULL = (later("Too many people wait for an account already."), later("Ask an admin in person."))
OVER = (
    later("You are not signed in any more, so what you sent was not kept."),
    later("Sign in, and you are back on the page that you sent it from."),
)
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\\]{0,2000}")


class SignInPages:
    """The routes of these pages."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records
        self.authenticator = context.authenticator
        self.asking = CapacityLimiter(ASKING)

    def routes(self, router: APIRouter) -> None:
        router.get("/sign-in")(self.show)
        router.post("/sign-in")(apart(self.sign_in, self.context.hashing))
        router.get("/sign-in/sso")(apart(self.go, self.asking))
        router.get("/sign-in/back")(apart(self.come_back, self.asking))
        router.post("/sign-in/code")(apart(self.enter_code, self.context.hashing))
        router.post("/sign-out")(self.sign_out)
        router.get("/account/new")(self.show_new)
        router.post("/account/new")(apart(self.ask, self.context.hashing))
        router.get("/links/{code}")(self.show_link)
        router.post("/links/{code}")(apart(self.use_link, self.context.hashing))

    def show(self, request: Request, after: str = "/", asked: str = "", over: str = "") -> Response:
        """The page to sign in on; whoever is in already goes on. `over` says that something was sent by somebody who is
        in no more."""
        client = request.client.host if request.client else ""
        if self.authenticator.local or self.authenticator.visit(request.headers, client):
            return RedirectResponse(_inside(after), 303)
        person = self.authenticator.by_proxy(request.headers, client)
        problem = _not_active(person) if person else TragError(*OVER) if over else None
        return self._page(after, problem, asked=bool(asked), status=401 if over else 200)

    def sign_in(self, request: Request, form: Form) -> Response:
        name, after = form.get("name", "").strip(), form.get("after", "")
        try:
            person = self.authenticator.sign_in.by_password(name, form.get("password", ""), where(request))
            return self._proceed(request, person, "password", _inside(after))
        except (TragError, StoreError) as error:
            return self._page(after, error, name=name, status=_status(error))

    def enter_code(self, request: Request, form: Form) -> Response:
        """The second step, for who knew the password."""
        ticket, after = form.get("ticket", ""), _inside(form.get("after", ""))
        link = self.records.links.find(ticket, ("second factor",))
        person = self.records.people.get(link.person) if link and link.person else None
        if person is None:
            return self._page(after, TragError(*TOO_LATE), status=403)
        try:
            kind = self.authenticator.sign_in.by_code(person, form.get("code", ""), where(request), link=ticket)
            return self.context.enter(request, person, f"password and {kind}", after)
        except (TragError, StoreError) as error:
            return self._code_page(ticket, after, error)

    def sign_out(self, request: Request) -> Response:
        here = visit(request)
        if here.session:
            self.records.sessions.end(here.session)
            self.records.audit.add(here.caller.name, "sign-out", where=where(request))
        return forget_session(request.headers, RedirectResponse("/sign-in", 303))

    # Single sign-on

    def go(self, request: Request, after: str = "/") -> Response:
        sso, host = there(self.authenticator.sso), request.headers["host"]
        local = host_name(request.headers) in LOCAL
        own = f"http://{host}" if local else self.authenticator.settings.address.rstrip("/")
        try:
            pending = sso.begin(f"{own}/sign-in/back", _inside(after))
        except TragError as error:
            return self._page(after, error, status=502)
        response = RedirectResponse(pending.url, 303, {"cache-control": "no-store"})
        name, secure = _sso_cookie(request)
        response.set_cookie(
            name, pending.browser, max_age=int(LASTS), path="/", httponly=True, samesite="lax", secure=secure
        )
        return response

    def come_back(self, request: Request, state: str = "", code: str = "", error: str = "") -> Response:
        sso, (name, secure) = there(self.authenticator.sso), _sso_cookie(request)
        try:
            if error or not code:
                raise broken_off(error)
            claim, after = sso.finish(state, code, one_cookie(request.headers, name))
            person = provision(self.records.people, claim, where=where(request))
            if person.state != "active":
                raise _not_active(person)
            answer = self.context.enter(request, person, "single sign-on", after)
        except (TragError, StoreError) as problem:
            if self.authenticator.notes_refusal(where(request)):
                self.authenticator.log("refused", "", "sign-in", where(request), f"single sign-on: {problem.message}")
            answer = self._page("/", problem, status=403)
        answer.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)
        return answer

    # New accounts

    def show_new(self) -> Response:
        if self._closed():
            raise Denied
        return self._choosing("new")

    def ask(self, request: Request, form: Form) -> Response:
        """Keep somebody who waits for an admin."""
        if self._closed():
            raise Denied
        people, key, weighed = self.records.people, f"asking:{where(request)}", f"weighing:{where(request)}"
        try:
            if people.failures(key).count >= MOST_ASKED or people.failures(weighed).count >= MOST_WEIGHED:
                raise TragError(
                    later("Too many accounts were asked for from where you are."), later("Try again tomorrow.")
                )
            name = accepted(form.get("name", ""))
            shown, password = accepted_shown(form.get("shown", ""), name), typed_twice(form)
            people.failed(weighed)
            passwords.check(password, (name, shown, self.context.organization))
            hashed = passwords.hashed(password)
            if people.count(state="pending") >= MOST_WAITING:
                raise TragError(*FULL)
            people.failed(key)
            # Whether the name is taken is not told: an admin sees who asked, and says so.
            if people.find(name):
                self.records.audit.add("", "account asked for", name, where=where(request), result="the name is taken")
            else:
                people.add(Newcomer(name, shown, secret=hashed), by=name, where=where(request))
        except (TragError, StoreError) as error:
            return self._choosing("new", error, form)
        return RedirectResponse("/sign-in?asked=1", 303)

    # Links

    def show_link(self, request: Request, code: str) -> Response:
        """What a link is for. Looking at it does not use it up: mail programs look at links."""
        link = self.records.links.find(code)
        return self._link_page(link, code) if link else self._gone()

    def use_link(self, request: Request, code: str, form: Form) -> Response:
        """Make the first admin, or set a new password."""
        link = self.records.links.find(code)
        if link is None:
            return self._gone()
        people = self.records.people
        try:
            if link.kind == "first admin":
                person = self.context.first_admin(request, form, by="", link=code)
            else:
                found = people.get(link.person or "")
                if found is None:
                    return self._gone()
                if is_external(people, found, self.authenticator.settings):
                    return self._link_page(link, code)
                person, password = found, typed_twice(form)
                passwords.check(password, (person.name, person.shown, self.context.organization))
                hashed = passwords.hashed(password)
                people.put_secret(person.id, hashed, by=person.name, where=where(request), link=code)
        except (TragError, StoreError) as error:
            return self._link_page(link, code, error, form)
        if person.state != "active":
            return self._page("/", _not_active(person))
        return self._proceed(request, person, "link", "/")

    def _proceed(self, request: Request, person: Person, how: str, path: str) -> Response:
        """On to a page of ours, or first to the one that asks for a code, for who has a second factor."""
        factor = self.records.second_factors.of(person.id)
        if factor is None or factor.since is None:
            return self.context.enter(request, person, how, path)
        origin = where(request)
        ticket, _ = self.records.links.make("second factor", person.id, CODE_LASTS, by=person.name, where=origin)
        return self._code_page(ticket, path)

    def _code_page(self, ticket: str, after: str, problem: TragError | StoreError | None = None) -> Response:
        values = {"organization": self.context.organization, "ticket": ticket, "after": after, "problem": problem}
        return _with_wait(self.context.page("code", _status(problem) if problem else 200, **values), problem)

    def _closed(self) -> bool:
        """Whether nobody may ask for an account: there are none, or somebody else says who people are."""
        settings = self.authenticator.settings
        return not self.authenticator.accounts or self.authenticator.sso is not None or bool(settings.proxy_user)

    def _gone(self) -> Response:
        problem = TragError(
            later("This link was used already, or its time is over."), later("Ask an admin for a new one.")
        )
        return self._page("/", problem, status=404)

    def _link_page(
        self, link: Link, code: str, problem: TragError | StoreError | None = None, form: Form | None = None
    ) -> Response:
        person = self.records.people.get(link.person) if link.person else None
        if person and is_external(self.records.people, person, self.authenticator.settings):
            return self._page("/", TragError(*NO_PASSWORD), status=409)
        tokens = len(self.records.tokens.of(person.id)) if person else 0
        return self._choosing("link", problem, form, person=person, code=code, tokens=tokens)

    def _choosing(
        self,
        template: str,
        problem: TragError | StoreError | None = None,
        form: Mapping[str, str] | None = None,
        **values: object,
    ) -> Response:
        """A page on which a password is chosen: "new" for a new account, "link" for what a link is for."""
        typed = {field: (form or {}).get(field, "") for field in ("name", "shown")}
        values |= {"organization": self.context.organization, "problem": problem, "typed": typed}
        return self.context.page(template, 422 if problem else 200, **values)

    def _page(
        self,
        after: str,
        problem: TragError | StoreError | None = None,
        *,
        name: str = "",
        asked: bool = False,
        status: int = 200,
    ) -> Response:
        """The page to sign in on. `problem` is why that failed, `asked` that an account was asked for a moment ago."""
        page = self.context.page(
            "sign_in",
            status,
            organization=self.context.organization,
            name=name,
            after=_inside(after),
            problem=problem,
            asked=asked,
            accounts=self.authenticator.accounts,
            sso=self.authenticator.sso is not None,
            closed=self._closed(),
        )
        return _with_wait(page, problem)


def _status(problem: TragError | StoreError) -> int:
    """The status of a page that lets nobody in, and says why."""
    return 429 if isinstance(problem, RateLimited) else 403


def _with_wait(page: Response, problem: TragError | StoreError | None) -> Response:
    """The page, telling a program too when the next try counts."""
    if isinstance(problem, RateLimited):
        page.headers["retry-after"] = str(problem.seconds)
    return page


def _not_active(person: Person) -> TragError:
    """Why somebody who proved who they are is not let in."""
    return TragError(*(WAITS if person.state == "pending" else DISABLED))


def _inside(after: str) -> str:
    """Where to go on to: a page of ours, or the first one."""
    known = _PATH.fullmatch(after) and access.needed("GET", after.partition("?")[0])
    return after if known and known != "anyone" else "/"


def _sso_cookie(request: Request) -> tuple[str, bool]:
    """The cookie that binds a way to the provider and back to one browser, and whether it is sent over TLS only."""
    return ("trag-sso", False) if host_name(request.headers) in LOCAL else ("__Host-trag-sso", True)
