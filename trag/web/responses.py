"""The responses that pages share: an error as a page or as JSON, a redirect to a page that says what was done, and a
file to save."""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.requests import ClientDisconnect

from org.reading.cells import csv_text
from trag.errors import SHOWN, TragError, told
from trag.web.language import gettext, in_words, later
from trag.web.render import environment
from trag.web.visitors import here, is_admin_here, leads_for, named, where

if TYPE_CHECKING:
    from store.audit import Audit

MISSING = TragError(
    later("There is nothing here."), later("It may have been deleted or discarded, or done in another window.")
)
KEPT = 200
"""Notices that are remembered."""
_Found = TypeVar("_Found")


def error_response(request: Request, error: Any, status: int = 409) -> Response:
    """The answer to a request that failed with `error`, one of SHOWN: a page that leads back, JSON for a script."""
    error = told(error, to_admin=is_admin_here())
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": in_words(error)}, status)
    open_to = leads_for(caller) if (caller := here()) else ()  # no way back that is refused too
    found = (lead for lead in open_to if request.url.path.startswith(lead.path))
    lead = max(found, key=lambda lead: len(lead.path), default=None)
    back, name = (lead.path, lead.name) if lead else ("/", later("Ask"))
    page = environment().get_template("message.html")
    message, hint = gettext(error.message), gettext(error.hint)
    return HTMLResponse(page.render(message=message, hint=hint, back=back, where=name, here=back), status)


class Denied(Exception):
    """A request that ends with `error`, one of SHOWN, and a status of its own: there is nothing, where none is said."""

    def __init__(self, error: TragError = MISSING, status: int = 404) -> None:
        super().__init__(error)
        self.error = error
        self.status = status


def there(found: _Found | None) -> _Found:
    """What an address names. Raises Denied where there is nothing, or nothing for whoever asks."""
    if found is None:
        raise Denied
    return found


def _denied(request: Request, denied: Any) -> Response:
    return error_response(request, denied.error, denied.status)


def explain(app: FastAPI) -> None:
    """Tell people what they can put right, and nothing to who left; anything else that is raised is a bug and keeps its
    traceback."""
    for kind in SHOWN:
        app.add_exception_handler(kind, error_response)
    app.add_exception_handler(Denied, _denied)
    app.add_exception_handler(ClientDisconnect, lambda *_: Response(status_code=400))


@dataclass(frozen=True, slots=True)
class Notice:
    """What was done a moment ago, in a line or two; `good` when what was asked for was done."""

    text: str
    good: bool = True
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notices:
    """The last notices of one app, in memory under a token that travels in the address: a reload says one again and
    does nothing again."""

    _kept: OrderedDict[str, Notice] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def go(self, path: str, notice: Notice | None = None) -> Response:
        """Send the browser on to a page of ours, which says the notice."""
        start, _, place = path.partition("#")
        if notice:
            token = secrets.token_urlsafe(9)
            with self._lock:
                self._kept[token] = notice
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            start += ("&" if "?" in start else "?") + urlencode({"told": token})
        return RedirectResponse(start + (f"#{place}" if place else ""), 303)

    def said(self, request: Request) -> Notice | None:
        """The notice that an address names, None for none and for one that is not known or known no more."""
        return self._kept.get(request.query_params.get("told", ""))


def attachment(content: bytes, name: str, media: str) -> Response:
    """A response that the browser saves under `name` and never shows, whatever is in it."""
    return Response(content, media_type=media, headers=saved_as(name))


def exported(request: Request, log: Audit, what: str, lines: Iterable[str], name: str) -> StreamingResponse:
    """The same of lines of CSV or JSON that are never all in memory; that `what` they are of was taken is logged."""
    log.add(named(request), "export", what, where=where(request), result=name)
    media = "text/csv; charset=utf-8" if name.endswith(".csv") else "application/jsonl"
    return StreamingResponse(lines, media_type=media, headers=saved_as(name))


def table(lines: Iterable[Sequence[str]], name: str) -> Response:
    """Rows as CSV that spreadsheet programs open rightly and run nothing of."""
    return attachment(csv_text(lines).encode("utf-8-sig"), name, "text/csv; charset=utf-8")


def saved_as(name: str) -> dict[str, str]:
    """What a browser is told of a file (RFC 6266)."""
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    return {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
    }
