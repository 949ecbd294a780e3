"""The pages that lead to each other, and which of them somebody is shown: those that they may open."""

from __future__ import annotations

from dataclasses import dataclass

from trag.people import CurrentUser
from trag.web.access import needed
from trag.web.visitors import HERE


@dataclass(frozen=True, slots=True)
class NavLink:
    """A page by its address, what it is called, and the sign beside it."""

    path: str
    name: str
    sign: str


LEADS = (
    NavLink("/review", "Review", "review-sign"),
    NavLink("/documents", "Documents", "sheet-sign"),
    NavLink("/charts", "Organization chart", "chart"),
    NavLink("/quality", "Quality", "scale-sign"),
    NavLink("/models", "Models", "model-sign"),
    NavLink("/people", "People", "people-sign"),
)


def leads(caller: CurrentUser | None = None) -> tuple[NavLink, ...]:
    """The pages that somebody may open: `caller`, else whom a page is being drawn for, and nobody none."""
    caller = caller or here()
    if caller is None:
        return ()
    needs = {lead: needed("GET", lead.path) for lead in LEADS}
    return tuple(lead for lead, role in needs.items() if role == "anyone" or (role and caller.may(role)))


def here() -> CurrentUser | None:
    """Whom a page is being drawn for."""
    visit = HERE.get()
    return visit.caller if visit else None
