"""The self-audit: begun for the chart and the documents, and each one shown in tables and as a file.

Another database is audited from the terminal: an address that is typed into a page would have the server connect to
anything. Knows nothing about how an audit is made.
"""

from __future__ import annotations

import logging

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import tables
from trag.evaluate.runs import Run
from trag.evaluate.tables import run_tables_markdown
from trag.web.error_pages import missing, told
from trag.web.files import attachment
from trag.web.forms import filled
from trag.web.notices import Notice
from trag.web.quality import render
from trag.web.quality.desk import LIMITED, Desk
from trag.web.visitors import caller, named

log = logging.getLogger(__name__)


class AuditPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the audits. Plain functions run in threads."""
        router.post("/audits")(self.begin)
        router.get("/runs/{run_id}/audit")(self.show)
        router.get("/runs/{run_id}/audit.md")(self.markdown)

    async def begin(self, request: Request) -> Response:
        """Audit a system."""
        return await run_in_threadpool(self._begin, request, await filled(request))

    def show(self, request: Request, run_id: str) -> Response:
        """Which module is weak, and every table of it; whoever may not read all documents sees no words of them."""
        run = self._audited(run_id)
        if run is None:
            return missing(request)
        audit = audits.audit_of(self.desk.home, run)
        examined, limited = audits.examine_run(self.desk.home, run, audit), self.desk.is_limited(caller(request))
        page = render.audit(
            run,
            examined,
            tables.figures(audit, examined),
            None if limited else tables.wrong(audit, examined),
            going=self.desk.going(run),
            limited=limited,
        )
        return HTMLResponse(page)

    def markdown(self, request: Request, run_id: str) -> Response:
        """The same tables, to be pasted into a report."""
        run = self._audited(run_id)
        if run is None:
            return missing(request)
        audit = audits.audit_of(self.desk.home, run)
        examined, limited = audits.examine_run(self.desk.home, run, audit), self.desk.is_limited(caller(request))
        shown = tables.figures(audit, examined) if limited else tables.report(audit, examined)
        text = run_tables_markdown(run, shown)
        return attachment(text.encode(), f"{run.cases_name}-{run.id}.md", "text/markdown; charset=utf-8")

    def _begin(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        who, system = caller(request), form.get("system", "")
        if self.desk.is_limited(who):
            return told(request, LIMITED, 403)
        if not system:
            return self.desk.notices.go("/quality", Notice("Nothing was begun. Choose a system.", good=False))
        self.desk.evaluation.begin_audit(system, allowed=self.desk.allowed(who))
        log.info("%s began a self-audit", named(request))
        return self.desk.notices.go("/quality")

    def _audited(self, run_id: str) -> Run | None:
        """The run of that id, None when there is none, or it is no audit's."""
        run = self.desk.run(run_id)
        return run if run and audits.is_audit(self.desk.home, run) else None
