"""The responses that pages share: an error as a page or as JSON, a redirect to a page that says what was done, and a
file to save."""

from __future__ import annotations

import csv
import io
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse

from org.reading.cells import guard
from trag.errors import SHOWN, TragError, in_one_line
from trag.web.render import environment
from trag.web.visitors import LEADS

MISSING = TragError("There is nothing here.", "It may have been deleted or discarded, or done in another window.")
KEPT = 200
"""Notices that are remembered."""


def error_response(request: Request, error: Any, status: int = 409) -> Response:
    """The answer to a request that failed with `error`, one of SHOWN: a page that leads back, JSON for a script."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": in_one_line(error)}, status)
    lead = next((lead for lead in LEADS if request.url.path.startswith(lead.path)), None)
    back, where = (lead.path, lead.name) if lead else ("/", "Ask")
    page = environment().get_template("message.html")
    return HTMLResponse(page.render(message=error.message, hint=error.hint, back=back, where=where, here=back), status)


def missing(request: Request) -> Response:
    """The answer to a request for what is not there."""
    return error_response(request, MISSING, 404)


def explain(app: FastAPI) -> None:
    """Tell people what they can put right; anything else that is raised is a bug and keeps its traceback."""
    for kind in SHOWN:
        app.add_exception_handler(kind, error_response)


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
    return Response(content, media_type=media, headers=_saved_as(name))


def streamed(lines: Iterable[str], name: str, media: str) -> StreamingResponse:
    """The same of lines that are never all in memory."""
    return StreamingResponse(lines, media_type=media, headers=_saved_as(name))


def table(lines: Iterable[Sequence[str]], name: str) -> Response:
    """Rows as CSV that spreadsheet programs open rightly and run nothing of."""
    return attachment("".join(map(csv_line, lines)).encode("utf-8-sig"), name, "text/csv; charset=utf-8")


def csv_line(cells: Iterable[str]) -> str:
    """One row of such a table."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow([guard(cell) for cell in cells])
    return line.getvalue()


def _saved_as(name: str) -> dict[str, str]:
    """What a browser is told of a file (RFC 6266)."""
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    return {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
    }
