"""The page of notices: what workflows tell somebody, and what they ask of them or of their unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.render import environment, unit_name
from trag.web.responses import Notice, Notices, explain
from trag.web.visitors import caller, where
from trag.workflow import tasks

if TYPE_CHECKING:
    from trag.home import Home


class NoticesPage:
    """What the routes share."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.notices = Notices()

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/workflows/notices")
        router.get("")(self.show)
        router.post("/{id}/done")(self.done)
        return router

    def show(self, request: Request) -> Response:
        """What somebody is asked to do first, then what they were told."""
        found, chart = tasks.notices_of(self.home, caller(request)), self.home.organization.chart
        html = (
            environment()
            .get_template("workflows/active/notices.html")
            .render(
                here="/workflows/notices",
                notice=self.notices.said(request),
                open=[each for each in found if each.state == "open"],
                others=[each for each in found if each.state != "open"],
                unit_name=lambda unit: unit_name(unit, chart),
                longest=tasks.LONGEST,
            )
        )
        return HTMLResponse(html)

    def done(self, request: Request, form: Form, id: str) -> Response:
        """Keep that a task is done, with what was filled in for what it gives."""
        answer = {name.removeprefix("give."): value for name, value in form.items() if name.startswith("give.")}
        tasks.finish(self.home, caller(request), id, answer, where=where(request))
        return self.notices.go("/workflows/notices", Notice(_("Done. The workflow goes on.")))


def mount(app: FastAPI, home: Home) -> None:
    """The routes of the page in `app`."""
    app.include_router(NoticesPage(home).router())
    explain(app)
