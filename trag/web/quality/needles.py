"""The needle test: begun on a set of questions, and each one shown as a table and as a file.

Knows nothing about how answers are made or scored.
"""

from __future__ import annotations

import logging

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from trag.errors import TragError
from trag.evaluate import needle, tables
from trag.web.error_pages import missing, told
from trag.web.files import attachment
from trag.web.forms import filled
from trag.web.notices import Notice
from trag.web.quality import render
from trag.web.quality.desk import LIMITED, Desk
from trag.web.visitors import caller, named

log = logging.getLogger(__name__)


class NeedlePage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the needle tests. Plain functions run in threads."""
        router.post("/needles")(self.begin)
        router.get("/needles/{run_id}")(self.show)
        router.get("/needles/{run_id}/report.md")(self.markdown)
        router.post("/needles/{run_id}/remove")(self.remove)

    async def begin(self, request: Request) -> Response:
        """Put what answers the questions of a set at each place of a prompt."""
        return await run_in_threadpool(self._begin, request, await filled(request))

    def show(self, request: Request, run_id: str) -> Response:
        """How many answers were right at each place."""
        run = self.desk.needle(run_id)
        if run is None:
            return missing(request)
        results = self.desk.needles.results(run.id)
        return HTMLResponse(render.needle(run, len(results), needle.table(results), running=self._is_going()))

    def markdown(self, request: Request, run_id: str) -> Response:
        """The table, to be pasted into a report."""
        run = self.desk.needle(run_id)
        if run is None:
            return missing(request)
        text = tables.run_tables_markdown(run, [needle.table(self.desk.needles.results(run.id))])
        return attachment(text.encode(), f"{run.cases_name}-{run.id}.md", "text/markdown; charset=utf-8")

    def remove(self, request: Request, run_id: str) -> Response:
        """Forget a test and its answers."""
        run = self.desk.needle(run_id)
        if run is None:
            return missing(request)
        if not run.finished and self._is_going():
            raise TragError("A needle test is running, and may be adding to this one.", "Stop it first.")
        self.desk.needles.remove(run.id)
        self.desk.needle_figures.forget(run.id)
        log.info("%s removed a needle test", named(request))
        return self.desk.notices.go("/quality", Notice(f"The needle test of {run.cases_name} is removed."))

    def _begin(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        who, kept = caller(request), self.desk.sets.find(form.get("set", ""))
        if self.desk.is_limited(who):
            return told(request, LIMITED, 403)
        if kept is None:
            return self.desk.notices.go("/quality", Notice("Nothing was begun. Choose a set of questions.", good=False))
        self.desk.evaluation.begin_needle(self.desk.sets.cases(kept), kept.name, allowed=self.desk.allowed(who))
        log.info("%s began a needle test", named(request))
        return self.desk.notices.go("/quality")

    def _is_going(self) -> bool:
        """Whether answers are being added to one of the tests."""
        now = self.desk.evaluation.now
        return now is not None and not now.over and now.about.kind == "needle"
