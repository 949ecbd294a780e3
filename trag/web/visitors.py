"""Who is here: what the gate found out about a request, read where a page needs it.

The gate alone writes it down. Where it did not, nobody is here.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from trag.people import CurrentUser


@dataclass(frozen=True, slots=True)
class Visit:
    """Who sent a request, and the id of their session, "" where there is none."""

    caller: CurrentUser
    session: str = ""


HERE: ContextVar[Visit | None] = ContextVar("here", default=None)
"""The visit that a page is drawn for, while its request lasts: what stands around every page depends on it."""


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
