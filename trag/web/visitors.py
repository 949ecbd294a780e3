"""Who is here, as the gate found out and alone writes down, and which pages they are shown the way to."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.keys import Scope
from trag import briefs, plans, workflows
from trag.people import CurrentUser
from trag.web.access import needed

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Visit:
    """Who sent a request, the id of their session, "" where there is none, and what the token of a program may do."""

    caller: CurrentUser
    session: str = ""
    scope: Scope = "ask"


HERE: ContextVar[Visit | None] = ContextVar("here", default=None)
"""The visit that a page is drawn for, while its request lasts: what stands around every page depends on it."""


@dataclass(frozen=True, slots=True)
class NavLink:
    """A page by its address, what it is called, and the sign beside it."""

    path: str
    name: str
    sign: str


EMPTY: ContextVar[Callable[[CurrentUser], Collection[str]]] = ContextVar("empty", default=lambda _: ())
"""The pages that have nothing for somebody, and are not shown the way to: the gate knows the home."""
LEADS = (
    NavLink("/plans", "Get it done", "checked"),
    NavLink("/briefings", "Briefings", "brief-sign"),
    NavLink("/workflows", "Automate", "automate-sign"),
    NavLink("/workflows/notices", "Notices", "bell-sign"),
    NavLink("/review", "Review", "review-sign"),
    NavLink("/documents", "Documents", "sheet-sign"),
    NavLink("/charts", "Organization chart", "chart"),
    NavLink("/procedures", "Procedures", "steps-sign"),
    NavLink("/quality", "Quality", "scale-sign"),
    NavLink("/models", "Models", "model-sign"),
    NavLink("/people", "People", "people-sign"),
)


def visit(request: Any) -> Visit:
    """Everything about who sent a request, be it a page's or Gradio's."""
    found: Visit = request.state.visit
    return found


def where(request: Any) -> str:
    """The address that a request came from, for the audit log."""
    return str(request.state.where)


def caller(request: Any) -> CurrentUser:
    """Who sent a request."""
    return visit(request).caller


def named(request: Any) -> str:
    """Who sent a request, as the records of what was done name them: by the name that they sign in with."""
    return caller(request).name


def here() -> CurrentUser | None:
    """Whom a page is being drawn for."""
    found = HERE.get()
    return found.caller if found else None


def is_admin_here() -> bool:
    """Whether a page is being drawn for an admin."""
    found = here()
    return found is not None and found.may("admin")


def empty_pages(home: Home, caller: CurrentUser) -> frozenset[str]:
    """The pages that have nothing for somebody: nothing to plan by, write of or automate with, no notices."""
    offers = {"/plans": plans.offered, "/briefings": briefs.offered, "/workflows": workflows.offered}
    empty = {path for path, offered in offers.items() if not offered(home, caller)}
    running = home.settings.workflows
    return frozenset(empty if running else {*empty, "/workflows/notices"})


def leads(caller: CurrentUser | None = None, empty: Collection[str] | None = None) -> tuple[NavLink, ...]:
    """The pages that somebody may open: `caller`, else whom a page is being drawn for, and nobody none. `empty` are
    those that have nothing for them, where that is known."""
    caller = caller or here()
    if caller is None:
        return ()
    if empty is None:
        empty = EMPTY.get()(caller)
    needs = {lead: needed("GET", lead.path) for lead in LEADS if lead.path not in empty}
    return tuple(lead for lead, role in needs.items() if role == "anyone" or (role and caller.may(role)))
