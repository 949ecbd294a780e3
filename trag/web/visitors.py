"""Who is here, as the gate found out and alone writes down, and what stands around every page for them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from store.keys import Scope
from store.records import Conversation
from trag import appearance, briefs, plans, workflows
from trag.errors import SHOWN
from trag.people import CurrentUser
from trag.validity import to_review
from trag.web.access import needed
from trag.web.language import SPOKEN, later
from trag.workflow import tasks

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Visit:
    """Who sent a request, the id of their session, "" where there is none, what the token of a program may do, and the
    language that they are spoken to in."""

    caller: CurrentUser
    session: str = ""
    scope: Scope = "ask"
    language: str = "en"


HERE: ContextVar[Visit | None] = ContextVar("here", default=None)
"""The visit that a page is drawn for, while its request lasts: what stands around every page depends on it."""


@dataclass(frozen=True, slots=True)
class NavLink:
    """A page by its address, what it is called, the sign beside it, and how many things wait there to be done."""

    path: str
    name: str
    sign: str
    waiting: int = 0

    @property
    def manages(self) -> bool:
        """Whether it is a page for those who run the assistant, not for everybody."""
        return needed("GET", self.path) in ("reviewer", "admin")


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around every page: the organization's name, the address of its logo, who is here, the pages that they
    are shown the way to, and their conversations, the latest first."""

    organization: str = ""
    logo: str = ""
    caller: CurrentUser = CurrentUser.local
    leads: tuple[NavLink, ...] = ()
    conversations: tuple[Conversation, ...] = ()


NOTICES = "/workflows/notices"
OWNED = "/documents/owned"
LEADS = (
    NavLink("/plans", later("Get it done"), "checked"),
    NavLink("/briefings", later("Briefings"), "brief-sign"),
    NavLink("/workflows", later("Automate"), "automate-sign"),
    NavLink(NOTICES, later("Notices"), "bell-sign"),
    NavLink("/review", later("Review"), "review-sign"),
    NavLink(OWNED, later("Your documents"), "sheet-sign"),
    NavLink("/overview", later("This week"), "scale-sign"),
    NavLink("/documents", later("Documents"), "sheet-sign"),
    NavLink("/charts", later("Organization chart"), "chart"),
    NavLink("/procedures", later("Procedures"), "steps-sign"),
    NavLink("/quality", later("Quality"), "scale-sign"),
    NavLink("/models", later("Models"), "model-sign"),
    NavLink("/people", later("People"), "people-sign"),
    NavLink("/settings", later("Settings"), "settings-sign"),
)


def visit(request: Any) -> Visit:
    """Everything about who sent a request, be it a page's or Gradio's. What is drawn from here on is in their language,
    also in the threads of Gradio, which know nothing of the request."""
    found: Visit = request.state.visit
    SPOKEN.set(found.language)
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


def leads_for(caller: CurrentUser) -> tuple[NavLink, ...]:
    """The pages that somebody may open."""
    needs = {lead: needed("GET", lead.path) for lead in LEADS}
    return tuple(
        lead for lead, role in needs.items() if role == "anyone" or (role and role != "monitoring" and caller.may(role))
    )


def leads_in(home: Home, caller: CurrentUser) -> tuple[NavLink, ...]:
    """The pages that somebody may open and that have something for them: to plan by, to write of, to make workflows of,
    notices where workflows run; with how much waits for them there."""
    offers = {
        "/plans": plans.offered,
        "/briefings": briefs.offered,
        "/workflows": workflows.offered,
        NOTICES: lambda *_: home.settings.workflows,
        OWNED: lambda *_: bool(home.records.validity.owned(caller.unit, caller.name)),
    }
    found = (lead for lead in leads_for(caller) if lead.path not in offers or offers[lead.path](home, caller))
    counts = {NOTICES: tasks.count_open, OWNED: _past_review}
    return tuple(
        replace(lead, waiting=_waiting(counts[lead.path], home, caller)) if lead.path in counts else lead
        for lead in found
    )


def _past_review(home: Home, caller: CurrentUser) -> int:
    names = home.records.validity.owned(caller.unit, caller.name)
    return len(to_review(home.records.validity.all(), date.today(), names)) if names else 0


def _waiting(count: Callable[[Home, CurrentUser], int], home: Home, caller: CurrentUser) -> int:
    try:
        return count(home, caller)
    except SHOWN:  # a page that says what is wrong is drawn all the same
        return 0


def shell_of(home: Home, caller: CurrentUser) -> Shell:
    """The shell of somebody's pages. Raises what the records raise."""
    shown, conversations = appearance.current(home), home.records.conversations(caller.person)
    return Shell(shown.organization, appearance.logo_address(shown), caller, leads_in(home, caller), conversations)


def _without_home(caller: CurrentUser) -> Shell:
    return Shell(caller=caller, leads=leads_for(caller))


SHELLS: ContextVar[Callable[[CurrentUser], Shell]] = ContextVar("shells", default=_without_home)
"""The shell of somebody's pages: the gate knows the home."""


def shell() -> Shell:
    """The shell of whom a page is being drawn for, an empty one of nobody's. A page that says what is wrong with the
    records is drawn all the same."""
    caller = here()
    if not caller:
        return Shell()
    try:
        return SHELLS.get()(caller)
    except SHOWN:
        return _without_home(caller)
