"""One's own account: password, second factor, the browsers that are signed in, and tokens for programs.

GET shows and changes nothing; POST does one thing and sends the browser on. Whatever an address names must be the
visitor's own: what is somebody else's is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from store.keys import Scope
from trag.errors import TragError
from trag.people import passwords, second_factor
from trag.people.external_identity import sign_in_method
from trag.web.access import SCOPES
from trag.web.forms import Form, number
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.people.context import SECOND_FACTOR, PeopleContext, SecretNotice
from trag.web.request_limits import apart
from trag.web.responses import Denied, Notice, there
from trag.web.visitors import caller, visit, where

if TYPE_CHECKING:
    from store.person import Person

PATH = "/account"
MOST_DAYS = 365
MOST_TOKENS = 50
REACHES: Mapping[Scope, str] = {
    "ask": later("asks, and is told its sources by name"),
    "read": later("asks, and reads its sources and your conversations"),
}
"""What a program does that has a token of each scope."""


def scope_of(typed: str) -> Scope:
    """The scope that a form names. Raises TragError for what is none."""
    for scope in SCOPES:
        if scope == typed:
            return scope
    raise TragError(f"{typed!r} is nothing that a token may do.", f"Use one of {', '.join(SCOPES)}.")


class AccountPage:
    """The routes of one's own account."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records
        self.notices = context.notices

    def routes(self, router: APIRouter) -> None:
        router.get(PATH)(self.show)
        router.post("/account/password")(apart(self.set_password, self.context.hashing))
        router.post("/account/second-factor")(apart(self.begin_factor, self.context.hashing))
        router.post("/account/second-factor/confirm")(apart(self.confirm_factor, self.context.hashing))
        router.post("/account/second-factor/end")(apart(self.end_factor, self.context.hashing))
        router.post("/account/sessions/end")(self.end_others)
        router.post("/account/sessions/{id}/end")(self.end_session)
        router.post("/account/tokens")(self.make_token)
        router.post("/account/tokens/{id}/end")(self.end_token)

    def show(self, request: Request) -> Response:
        """Everything about the visitor's own account; without accounts there is none."""
        person = self.records.people.get(caller(request).person)
        if person is None:
            return RedirectResponse("/people", 303)
        factor = self.records.second_factors.of(person.id)
        waits = factor is not None and factor.since is None
        return self.context.page(
            "account",
            here=PATH,
            factor=factor,
            wanted=self.context.authenticator.lacks_factor(person),
            address=second_factor.address(factor.key, person.name, self._title) if factor and waits else "",
            person=person,
            sessions=self.records.sessions.of(person.id),
            tokens=self.records.tokens.of(person.id),
            this=visit(request).session,
            has_password=passwords.is_one(self.records.people.secret(person.id)),
            way=sign_in_method(self.records.people, person),
            reaches=REACHES,
            given=self.context.shown_once(request),
            notice=self.notices.said(request),
        )

    def set_password(self, request: Request, form: Form) -> Response:
        """Another password, for whoever knows the one before."""
        person = self._person(request)
        if not self.context.authenticator.sign_in.is_own(person, form.get("current", ""), where(request)):
            return self._not_done(_("Your current password is another one. Nothing was changed."))
        password = form.get("password", "")
        if password != form.get("again", ""):
            return self._not_done(_("The two new passwords are not the same. Nothing was changed."))
        try:
            passwords.check(password, (person.name, person.shown, self.context.organization))
        except TragError as error:
            return self._not_done(error.message, error.hint)
        hashed, here = passwords.hashed(password), visit(request).session
        tokens = "tokens" in form
        self.records.people.put_secret(
            person.id, hashed, by=person.name, where=where(request), session=here, tokens=tokens
        )
        done = (
            _("Your password is changed. Every other browser is signed out, and every token opens nothing any more.")
            if tokens
            else _("Your password is changed. Every other browser is signed out.")
        )
        return self.notices.go(PATH, Notice(done))

    # The second factor

    def begin_factor(self, request: Request, form: Form) -> Response:
        """A key for an app, for whoever knows their password; nothing is asked for yet."""
        person = self._person(request)
        if not self.context.authenticator.sign_in.is_own(person, form.get("current", ""), where(request)):
            return self._not_done(_("Your current password is another one. Nothing was changed."))
        self.records.second_factors.begin(person.id, second_factor.new_key())
        return RedirectResponse(SECOND_FACTOR, 303)

    def confirm_factor(self, request: Request, form: Form) -> Response:
        """Ask for it from now on, once the app has shown a right code; the recovery codes are shown once."""
        person = self._person(request)
        factor = there(self.records.second_factors.of(person.id))
        step, codes = second_factor.step_of(factor.key, form.get("code", "")), second_factor.recovery_codes()
        if not step:
            return self._not_done(
                _("That is not the code that your app should show now. Nothing was turned on."),
                _("Check that the app has the key below, and that the clock of its device is right."),
            )
        hashes = {number: passwords.hashed(code) for number, code in codes.items()}
        here = visit(request).session
        self.records.second_factors.confirm(
            person.id, factor.key, step, hashes, by=person.name, where=where(request), session=here
        )
        advice = _(
            "A code is asked for from now on. These are shown this once, and each lets you in once instead of a code "
            "from your app: keep them where the app is not."
        )
        shown = tuple((_("Code %(number)s") % {"number": number}, code) for number, code in codes.items())
        ticket = self.context.secrets.keep(person.id, SecretNotice(_("Your recovery codes"), advice, shown))
        return RedirectResponse(f"{PATH}?{urlencode({'given': ticket})}", 303)

    def end_factor(self, request: Request, form: Form) -> Response:
        """Ask for it no more, for whoever has a code; one that nothing was asked of yet needs none."""
        person = self._person(request)
        factor = there(self.records.second_factors.of(person.id))
        if factor.since:
            try:
                self.context.authenticator.sign_in.by_code(person, form.get("code", ""), where(request))
            except TragError as error:
                return self._not_done(error.message, error.hint)
        self.records.second_factors.end(person.id, by=person.name, where=where(request))
        return self.notices.go(
            PATH, Notice(_("Your password alone lets you in.") if factor.since else _("Nothing is set up."))
        )

    # Browsers and tokens

    def end_others(self, request: Request) -> Response:
        person = self._person(request)
        self.records.sessions.end_all(person.id, but=visit(request).session)
        self.records.audit.add(person.name, "sessions ended", person.name, where=where(request), result="all others")
        return self.notices.go(PATH, Notice(_("Every other browser is signed out.")))

    def end_session(self, request: Request, id: str) -> Response:
        person = self._person(request)
        if id not in {each.id for each in self.records.sessions.of(person.id)}:
            raise Denied
        self.records.sessions.end(id)
        self.records.audit.add(person.name, "sessions ended", person.name, where=where(request), result="one")
        return self.notices.go(PATH, Notice(_("That browser is signed out.")))

    def make_token(self, request: Request, form: Form) -> Response:
        person, name = self._person(request), " ".join(form.get("name", "").split())[:100]
        days, scope = number(form.get("days", "")), scope_of(form.get("scope", SCOPES[0]))
        if not name or not 1 <= days <= MOST_DAYS:
            return self._not_done(
                _("A token needs a name, and lasts 1 to %(most)s days. None was made.") % {"most": MOST_DAYS}
            )
        if len(self.records.tokens.of(person.id)) >= MOST_TOKENS:
            return self._not_done(_("You have %(most)s tokens already. End one first.") % {"most": MOST_TOKENS})
        lasts = timedelta(days=days)
        secret, token = self.records.tokens.make(
            person.id, name, lasts, by=person.name, scope=scope, where=where(request)
        )
        advice = _("It is shown this once. Until %(day)s a program that has it %(does)s, all as you.") % {
            "day": f"{token.ends:%-d %b %Y}",
            "does": _(REACHES[scope]),
        }
        ticket = self.context.secrets.keep(person.id, SecretNotice(_("Your new token"), advice, ((name, secret),)))
        return RedirectResponse(f"/account?{urlencode({'given': ticket})}#tokens", 303)

    def end_token(self, request: Request, id: str) -> Response:
        person = self._person(request)
        if id not in {each.id for each in self.records.tokens.of(person.id)}:
            raise Denied
        self.records.tokens.end(id, by=person.name, where=where(request))
        return self.notices.go(PATH, Notice(_("That token opens nothing any more.")))

    @property
    def _title(self) -> str:
        """What an app calls this place."""
        return self.context.organization or "Assistant"

    def _not_done(self, why: str, *more: str) -> Response:
        return self.notices.go(PATH, Notice(why, good=False, more=more))

    def _person(self, request: Request) -> Person:
        """The visitor's own account. Raises TragError where there are no accounts."""
        person = self.records.people.get(caller(request).person)
        if person is None:
            raise TragError(later("There are no accounts yet."), later("Make the first one on the page People."))
        return person
