"""Session authentication: the cookie of a session, what a trusted proxy says, or a program's token -> a visit.

A home without accounts has one visitor, whoever sits at this machine. Sessions are looked up for every request, so that
what an admin changes counts at once.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from secrets import compare_digest
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response

from store import StoreError
from store.person import Person
from trag.errors import TragError
from trag.people import CurrentUser, passwords
from trag.people.external_identity import Claim, provision, proxies
from trag.people.sign_in import SignIn
from trag.people.sso import SingleSignOn
from trag.web.access import SCOPES
from trag.web.visitors import Visit

if TYPE_CHECKING:
    from store.records import Records
    from trag.settings import Settings

log = logging.getLogger(__name__)

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
"""What this machine calls itself: a page elsewhere that points its own name here (DNS rebinding) is refused."""
COOKIES = ("trag", "__Host-trag")
"""What the cookie of a session is called between here and here, and over TLS."""
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?")
_OF_PROXIES = frozenset(
    "forwarded forwards forward via proxy proxied proxyuser ip clientip realip addr remote original originating "
    "rewrite proto https ssl tls cert auth authenticated webauth cdn cf fly fastly akamai tailscale ngrok "
    "surrogate varnish envoy amz amzn azure appengine appgw arr cloud goog heroku vercel wl".split()
)
"""Words in the names of headers that proxies, tunnels and networks of caches add to what they pass on; browsers send
none with one of them, nor do programs that ask here."""
MOST_TABS = 200
"""Pages of Gradio's that one person may have open; the one that was opened first is forgotten."""
MOST_REFUSALS = 60
"""Refusals of one address that are written down in a minute: nobody fills the disk with them."""


class Authenticator:
    """Who sends the requests to one home. Any thread may use it."""

    def __init__(self, records: Records, settings: Settings) -> None:
        """Raises TragError for settings that do not fit together."""
        self.records = records
        self.settings = settings
        self.sign_in = SignIn(records)
        self.sso = SingleSignOn(settings) if settings.sso_issuer else None
        self._proxies = proxies(settings.proxy_from, settings.proxy_user)
        own = urlsplit(settings.address).hostname
        self.names = LOCAL | {own} if own else LOCAL
        known_elsewhere = settings.address or settings.proxy_from or settings.proxy_user or settings.sso_issuer
        self._local = settings.host in LOCAL and not known_elsewhere
        self._accounts = False
        self._lock = threading.Lock()
        self._tabs: dict[str, OrderedDict[str, None]] = {}
        self._owners: dict[str, str] = {}
        self._refusals: dict[str, tuple[float, int]] = {}

    @property
    def accounts(self) -> bool:
        """Whether there are accounts; once there are, there always will be."""
        self._accounts = self._accounts or self.records.people.exist()
        return self._accounts

    @property
    def local(self) -> bool:
        """Whether whoever sits at this machine is let in without an account."""
        return self._local and not self.accounts

    def visit(self, headers: Headers, client: str, *, used: bool = True) -> Visit | None:
        """Who sent a request, None for nobody who may come in. Their session is `used` by it, unless a page asks by
        itself."""
        if self.local:
            return Visit(CurrentUser.local)
        if person := self.by_proxy(headers, client):
            return Visit(CurrentUser.of(person)) if person.state == "active" else None
        found = self.records.sessions.find(secret, used=used) if (secret := session_secret(headers)) else None
        return Visit(self._acting(found[1]), found[0].id) if found else None

    def by_token(self, headers: Headers) -> Visit | None:
        """Whom a program asks for, by the one token that it sends; None where that is over, or of a scope that nobody
        knows. Without accounts it is whoever sits here, and a token is not looked at."""
        if self.local:
            return Visit(CurrentUser.local, scope="read")
        sent = headers.getlist("authorization")
        scheme, _, secret = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        found = self.records.tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
        if found is None or found[0].scope not in SCOPES:
            return None
        return Visit(self._acting(found[1]), scope=found[0].scope)

    def monitors(self, headers: Headers) -> bool:
        """Whether a request has the key of monitoring: nobody's, and also who sits at this machine needs it."""
        key, sent = self.settings.metrics_key, headers.getlist("authorization")
        return bool(key) and len(sent) == 1 and compare_digest(sent[0].encode(), f"Bearer {key}".encode())

    def lacks_factor(self, person: Person) -> bool:
        """Whether somebody has to set up a second factor before they may act as the admin that they are."""
        if not self.settings.second_factor or person.role != "admin":
            return False
        factor = self.records.second_factors.of(person.id)
        return passwords.is_one(self.records.people.secret(person.id)) and (factor is None or factor.since is None)

    def _acting(self, person: Person) -> CurrentUser:
        return CurrentUser.of(replace(person, role="employee") if self.lacks_factor(person) else person)

    def by_proxy(self, headers: Headers, client: str) -> Person | None:
        """Whom a trusted proxy says this is, whatever their state; None where it says nothing."""
        name = self._proxies.user(client, headers.getlist(self._proxies.header or "-"))
        if not name:
            return None
        people = self.records.people
        try:
            return people.find(name) or provision(people, Claim(name, name, "proxy"), where=self.where(headers, client))
        except (TragError, StoreError) as error:
            log.warning("the proxy named somebody who cannot be let in: %s", error.message)
            return None

    def where(self, headers: Headers, client: str) -> str:
        """The address a request comes from, as far as that can be known."""
        return self._proxies.origin(client, headers.getlist("x-forwarded-for"))

    def owns(self, person: str, tab: str) -> bool:
        """Whether a page of Gradio's, by the name it gave itself, is that person's: it is whose it was first."""
        with self._lock:
            if self._owners.setdefault(tab, person) != person:
                return False
            tabs = self._tabs.setdefault(person, OrderedDict())
            tabs[tab] = None
            tabs.move_to_end(tab)
            while len(tabs) > MOST_TABS:
                del self._owners[tabs.popitem(last=False)[0]]
        return True

    def notes_refusal(self, where: str) -> bool:
        """Whether one more refusal of that address is written down: no more of them than people look through."""
        now = time.monotonic()
        with self._lock:
            since, count = self._refusals.get(where, (now, 0))
            if now - since > 60:
                since, count = now, 0
            if len(self._refusals) > 10_000:
                self._refusals.clear()
            self._refusals[where] = since, count + 1
        return count < MOST_REFUSALS

    def log(self, kind: Literal["refused", "call"], who: str, what: str, where: str, result: str) -> None:
        """Write down a refusal, or who changed something or took data away, where there are accounts. What was done is
        done, and stays refused, whatever can be kept of it."""
        if self.local:
            return
        try:
            self.records.audit.add(who, kind, what[:300], where=where, result=result)
        except StoreError as error:
            log.error("%s was not written down: %s", kind, error.message)

    def start_session(self, person: Person, headers: Headers, where: str, how: str, response: Response) -> Response:
        """A new session for somebody who proved who they are; what the browser held before ends. Raises StoreError
        unless they are active."""
        sessions = self.records.sessions
        if (before := session_secret(headers)) and (found := sessions.find(before)):
            sessions.end(found[0].id)
        secret, session = sessions.begin(person.id)
        self.records.audit.add(person.name, "sign-in", where=where, result=f"signed in by {how}")
        lasts = int((session.ends - session.begun).total_seconds())
        name, secure = _cookie(headers)
        response.set_cookie(name, secret, max_age=lasts, path="/", httponly=True, samesite="lax", secure=secure)
        return response


def forget_session(headers: Headers, response: Response) -> Response:
    """The browser forgets its session."""
    name, secure = _cookie(headers)
    response.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)
    return response


def session_secret(headers: Headers) -> str:
    """The secret of the session that a browser holds, "" for none; two of them are none."""
    name, _ = _cookie(headers)
    return one_cookie(headers, name)


def holds_cookie(headers: Headers) -> bool:
    """Whether a browser's session is sent along, whatever it opens."""
    return any(one_cookie(headers, name) for name in COOKIES)


def one_cookie(headers: Headers, name: str) -> str:
    """The value of a cookie that was sent exactly once, else ""."""
    parts = [part.strip().partition("=") for value in headers.getlist("cookie") for part in value.split(";")]
    found = [value for key, _, value in parts if key == name]
    return found[0] if len(found) == 1 else ""


def passed_on(headers: Headers, version: str) -> bool:
    """Whether a request came through a proxy, which may stand open to anybody: by what proxies add to one, or because
    it speaks HTTP/1.0, as nginx does to what is behind it unless it is told otherwise, and no browser does."""
    return version == "1.0" or any(not _OF_PROXIES.isdisjoint(re.split("[-_]", name)) for name in headers)


def host_name(headers: Headers) -> str:
    """The name in the Host header, without the port; "" when it is none, or there is not exactly one."""
    found = headers.getlist("host")
    if len(found) != 1 or not _HOST.fullmatch(found[0]):
        return ""
    try:
        return urlsplit(f"//{found[0]}").hostname or ""
    except ValueError:
        return ""


def _cookie(headers: Headers) -> tuple[str, bool]:
    """What the cookie is called, and whether it is sent over TLS only: always, but between here and here."""
    return (COOKIES[0], False) if host_name(headers) in LOCAL else (COOKIES[1], True)
