"""What the pages of the people share: the records, the chart, links that are shown once, and notices.

Knows nothing about HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from store.person import Person
from trag.web.people.authentication import LOCAL, Authenticator, host_name
from trag.web.people.once import Given, Once
from trag.web.responses import Notices
from trag.web.visitors import caller, where

if TYPE_CHECKING:
    from org.chart import Chart
    from trag.home import Home

LINK_LASTS = timedelta(days=7)


class Register:
    """The people of one home, as their pages see them."""

    def __init__(self, home: Home, door: Authenticator) -> None:
        self.home = home
        self.records = home.records
        self.door = door
        self.once = Once()
        self.notices = Notices()

    @property
    def chart(self) -> Chart | None:
        """The chart in use."""
        return self.home.organization.chart

    @property
    def organization(self) -> str:
        """The name on the chart, "" without one."""
        return self.chart.root.name if self.chart else ""

    def given(self, request: Request) -> Given | None:
        """What is shown this once."""
        return self.once.take(caller(request).person, request.query_params.get("given", ""))

    def give(self, request: Request, people: Sequence[Person], told: str, back: str = "/people") -> Response:
        """On to the page that shows, once, a link for each of these people to set a password by."""
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
