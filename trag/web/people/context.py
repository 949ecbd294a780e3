"""What the pages of the people share: the records, links and tokens that are shown once, and the templates."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anyio import CapacityLimiter
from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from org.chart import Chart
from store.person import How, Person, Role, State
from trag.errors import TragError, told
from trag.people.accounts import make_admin
from trag.people.passwords import LONGEST, SHORTEST
from trag.people.permissions import ROLES
from trag.web.language import day, later
from trag.web.language import gettext as _
from trag.web.people.authentication import LOCAL, Authenticator, host_name
from trag.web.render import environment, unit_name
from trag.web.responses import Notices
from trag.web.visitors import caller, is_admin_here, where

if TYPE_CHECKING:
    from trag.home import Home

HASHED = 4
"""Passwords that are estimated and hashed at once, in threads of their own: each takes 19 MiB."""
LINK_LASTS = timedelta(days=7)
SECRETS_KEPT = 200
SECRETS_LAST = 300.0
"""Seconds that a browser may take to come for a secret."""
SECOND_FACTOR = "/account#second"
"""Where somebody sets up a second factor."""
STATES: dict[State, str] = {"pending": later("Waits"), "active": later("Active"), "disabled": later("Disabled")}
MEANINGS: dict[Role, str] = {
    "employee": later("Employee: asks"),
    "reviewer": later("Reviewer: also judges answers, and measures how right they are"),
    "admin": later("Admin: also runs everything: documents, chart, models, people"),
}
CALLED: dict[Role, str] = {"employee": later("Employee"), "reviewer": later("Reviewer"), "admin": later("Admin")}
BRIEFLY: dict[Role, str] = {"employee": later("asks"), "reviewer": later("judges"), "admin": later("runs all")}
WAYS: dict[How, str] = {"password": later("password"), "sso": later("single sign-on"), "proxy": later("the proxy")}
SHARED = {
    **{"longest": LONGEST, "meanings": MEANINGS, "roles": ROLES, "shortest": SHORTEST},
    **{"briefly": BRIEFLY, "called": CALLED},
    **{"states": STATES, "unit_name": unit_name, "ways": WAYS},
}
"""What every page of the people may show."""


@dataclass(frozen=True, slots=True)
class SecretNotice:
    """Secrets for somebody to take down: a headline, a word of advice, and each secret with what it is for."""

    text: str
    advice: str
    secrets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OneTimeSecrets:
    """Links and tokens, which are kept nowhere in plain, until their page is shown once, each to one person."""

    _kept: OrderedDict[str, tuple[str, float, SecretNotice]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, person: str, notice: SecretNotice) -> str:
        """The ticket under which that person is shown it."""
        ticket = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[ticket] = person, time.monotonic(), notice
            while len(self._kept) > SECRETS_KEPT:
                self._kept.popitem(last=False)
        return ticket

    def take(self, person: str, ticket: str) -> SecretNotice | None:
        """What is kept under a ticket; gone after that, and nothing for anybody else."""
        with self._lock:
            owner, since, notice = self._kept.get(ticket, ("", 0.0, None))
            if notice is None or owner != person:
                return None
            del self._kept[ticket]
        return notice if time.monotonic() - since < SECRETS_LAST else None


class PeopleContext:
    """The people of one home, as their pages see them."""

    def __init__(self, home: Home, authenticator: Authenticator) -> None:
        self.home = home
        self.records = home.records
        self.authenticator = authenticator
        self.secrets = OneTimeSecrets()
        self.notices = Notices()
        self.hashing = CapacityLimiter(HASHED)

    @property
    def chart(self) -> Chart | None:
        return self.home.organization.chart

    @property
    def organization(self) -> str:
        """The name on the chart, "" without one."""
        return self.chart.root.name if self.chart else ""

    def first_admin(self, request: Request, form: Mapping[str, str], *, by: str, link: str = "") -> Person:
        """The first admin of a home without accounts, as a form says. Raises TragError for what cannot be."""
        name, shown, password = form.get("name", ""), form.get("shown", ""), typed_twice(form)
        return make_admin(
            self.records, name, shown, password,
            organization=self.organization, by=by, where=where(request), link=link, first=True,
        )  # fmt: skip

    def enter(self, request: Request, person: Person, how: str, path: str) -> Response:
        """On to a page of ours with a new session: to their account, for an admin who has to set up a second factor."""
        response = RedirectResponse(SECOND_FACTOR if self.authenticator.lacks_factor(person) else path, 303)
        return self.authenticator.start_session(person, request.headers, where(request), how, response)

    def shown_once(self, request: Request) -> SecretNotice | None:
        """The secrets that the address of a request names, for the one time."""
        return self.secrets.take(caller(request).person, request.query_params.get("given", ""))

    def give_links(self, request: Request, people: Sequence[Person], text: str, back: str = "/people") -> Response:
        """On to the page that shows, once, a link for each of these people to set a password by."""
        host = request.headers["host"]
        own = f"http://{host}" if host_name(request.headers) in LOCAL else f"https://{host}"
        by, links = caller(request), []
        for person in people:
            secret, link = self.records.links.make("password", person.id, LINK_LASTS, by=by.name, where=where(request))
            links.append((person.name, f"{own}/links/{secret}"))
        one = _("Shown this once. Give it to %(name)s: it sets a password, works once, and ends on %(day)s.")
        many = _(
            "Shown this once. Give each link to the one it is for: it sets a password, works once, and ends on %(day)s."
        )
        advice = (many if len(links) > 1 else one) % {"name": people[0].shown, "day": day(link.ends)}
        ticket = self.secrets.keep(by.person, SecretNotice(text, advice, tuple(links)))
        return RedirectResponse(f"{back}?{urlencode({'given': ticket})}", 303)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page of templates/people with these values, which are escaped there: names come from strangers."""
        if problem := values.get("problem"):
            values["problem"] = told(problem, to_admin=is_admin_here())
        html = environment().get_template(f"people/{template}.html")
        shown = {"here": ""} | values | SHARED | {"now": datetime.now(UTC), "unit_typed": unit_typed}
        return HTMLResponse(html.render(shown), status)


def typed_twice(form: Mapping[str, str]) -> str:
    """The password that was typed twice. Raises TragError for two."""
    password = form.get("password", "")
    if password != form.get("again", ""):
        raise TragError(later("The two passwords are not the same."), later("Type the same one twice."))
    return password


def unit_typed(unit: str, chart: Chart | None) -> str:
    """What to type for a unit: its name, or its id where others are called so too."""
    name = unit_name(unit, chart)
    return name if chart and len(chart.named(name)) == 1 else unit
