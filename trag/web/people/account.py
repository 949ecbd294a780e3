"""One's own account: password, the browsers that are signed in, and tokens for programs.

GET shows and changes nothing; POST does one thing and sends the browser on. Whatever an address names must be the
visitor's own: what is somebody else's is not there.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from trag.errors import TragError
from trag.people import passwords
from trag.people.external_identity import sign_in_method
from trag.web.forms import Form, number
from trag.web.people.context import PeopleContext, SecretNotice
from trag.web.request_limits import apart
from trag.web.responses import Denied, Notice
from trag.web.visitors import caller, visit, where

if TYPE_CHECKING:
    from store.person import Person

PATH = "/account"
MOST_DAYS = 365
MOST_TOKENS = 50


class AccountPage:
    """The routes of one's own account."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records
        self.notices = context.notices

    def routes(self, router: APIRouter) -> None:
        router.get(PATH)(self.show)
        router.post("/account/password")(apart(self.set_password, self.context.hashing))
        router.post("/account/sessions/end")(self.end_others)
        router.post("/account/sessions/{id}/end")(self.end_session)
        router.post("/account/tokens")(self.make_token)
        router.post("/account/tokens/{id}/end")(self.end_token)

    def show(self, request: Request) -> Response:
        """Everything about the visitor's own account; without accounts there is none."""
        person = self.records.people.get(caller(request).person)
        if person is None:
            return RedirectResponse("/people", 303)
        return self.context.page(
            "account",
            here=PATH,
            person=person,
            sessions=self.records.sessions.of(person.id),
            tokens=self.records.tokens.of(person.id),
            this=visit(request).session,
            has_password=passwords.is_one(self.records.people.secret(person.id)),
            way=sign_in_method(self.records.people, person),
            given=self.context.shown_once(request),
            notice=self.notices.said(request),
        )

    def set_password(self, request: Request, form: Form) -> Response:
        """Another password, for whoever knows the one before."""
        person = self._person(request)
        if not self.context.authenticator.sign_in.is_own(person, form.get("current", ""), where(request)):
            return self._not_done("Your current password is another one. Nothing was changed.")
        password = form.get("password", "")
        if password != form.get("again", ""):
            return self._not_done("The two new passwords are not the same. Nothing was changed.")
        try:
            passwords.check(password, (person.name, person.shown, self.context.organization))
        except TragError as error:
            return self._not_done(error.message, error.hint)
        hashed, here = passwords.hashed(password), visit(request).session
        self.records.people.put_secret(person.id, hashed, by=person.name, where=where(request), session=here)
        return self.notices.go(PATH, Notice("Your password is changed. Every other browser is signed out."))

    def end_others(self, request: Request) -> Response:
        person = self._person(request)
        self.records.sessions.end_all(person.id, but=visit(request).session)
        self.records.audit.add(person.name, "sessions ended", person.name, where=where(request), result="all others")
        return self.notices.go(PATH, Notice("Every other browser is signed out."))

    def end_session(self, request: Request, id: str) -> Response:
        person = self._person(request)
        if id not in {each.id for each in self.records.sessions.of(person.id)}:
            raise Denied
        self.records.sessions.end(id)
        self.records.audit.add(person.name, "sessions ended", person.name, where=where(request), result="one")
        return self.notices.go(PATH, Notice("That browser is signed out."))

    def make_token(self, request: Request, form: Form) -> Response:
        person, name = self._person(request), " ".join(form.get("name", "").split())[:100]
        days = number(form.get("days", ""))
        if not name or not 1 <= days <= MOST_DAYS:
            return self._not_done(f"A token needs a name, and lasts 1 to {MOST_DAYS} days. None was made.")
        if len(self.records.tokens.of(person.id)) >= MOST_TOKENS:
            return self._not_done(f"You have {MOST_TOKENS} tokens already. End one first.")
        lasts = timedelta(days=days)
        secret, token = self.records.tokens.make(person.id, name, lasts, by=person.name, where=where(request))
        advice = f"It is shown this once. A program that has it acts as you until {token.ends:%-d %b %Y}."
        ticket = self.context.secrets.keep(person.id, SecretNotice("Your new token", advice, ((name, secret),)))
        return RedirectResponse(f"/account?{urlencode({'given': ticket})}#tokens", 303)

    def end_token(self, request: Request, id: str) -> Response:
        person = self._person(request)
        if id not in {each.id for each in self.records.tokens.of(person.id)}:
            raise Denied
        self.records.tokens.end(id, by=person.name, where=where(request))
        return self.notices.go(PATH, Notice("That token opens nothing any more."))

    def _not_done(self, why: str, *more: str) -> Response:
        return self.notices.go(PATH, Notice(why, good=False, more=more))

    def _person(self, request: Request) -> Person:
        """The visitor's own account. Raises TragError where there are no accounts."""
        person = self.records.people.get(caller(request).person)
        if person is None:
            raise TragError("There are no accounts yet.", "Make the first one on the page People.")
        return person
