"""What could not be done, said on a page with what to do next, or to a script as JSON.

Knows nothing about what was asked.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from trag.errors import SHOWN, TragError, in_one_line
from trag.web.navigation import LEADS
from trag.web.render import environment

MISSING = TragError("There is nothing here.", "It may have been deleted or discarded, or done in another window.")


def told(request: Request, error: Any, status: int = 409) -> Response:
    """The answer to a request that failed with `error`, which is one of SHOWN."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": in_one_line(error)}, status)
    lead = next((lead for lead in LEADS if request.url.path.startswith(lead.path)), None)
    back, where = (lead.path, lead.name) if lead else ("/", "Ask")
    page = environment().get_template("message.html")
    return HTMLResponse(page.render(message=error.message, hint=error.hint, back=back, where=where, here=back), status)


def missing(request: Request) -> Response:
    """The answer to a request for what is not there."""
    return told(request, MISSING, 404)


def explain(app: FastAPI) -> None:
    """Tell people what they can put right; anything else that is raised is a bug and keeps its traceback."""
    for kind in SHOWN:
        app.add_exception_handler(kind, told)
