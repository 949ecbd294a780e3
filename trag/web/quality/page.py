"""The page of the evaluations: what runs now, what can be asked next, every run, and how they went over time.

GET shows and changes nothing; POST does one thing and sends the browser on to a page. Knows nothing about how answers
are made or scored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from trag.evaluate import needle
from trag.evaluate.cases import CaseSets
from trag.evaluate.grammar import audit as audits
from trag.evaluate.running import results_of
from trag.web.error_pages import explain, missing, told
from trag.web.forms import filled
from trag.web.notices import Notice
from trag.web.quality import render
from trag.web.quality.audits import AuditPage
from trag.web.quality.compare import ComparePage
from trag.web.quality.desk import LIMITED, Desk
from trag.web.quality.figures import Figures
from trag.web.quality.needles import NeedlePage
from trag.web.quality.questions import QuestionsPage
from trag.web.quality.run import RunPage
from trag.web.quality.running import Evaluation
from trag.web.quality.systems import offered
from trag.web.quality.wanted import Wanted
from trag.web.visitors import caller, named

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)


class QualityPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("")(self.show)
        router.get("/progress")(self.progress)
        router.post("/runs")(self.begin)
        router.post("/runs/{run_id}/resume")(self.resume)
        router.post("/stop")(self.stop)
        router.post("/dismiss")(self.dismiss)

    def show(self, request: Request) -> Response:
        """Everything that was measured, and what can be measured next."""
        adapter, measured = self.desk.home.adapter_name, self.desk.figures.all()
        page = render.quality(
            self.desk.sets.all(),
            offered(adapter),
            measured,
            audits=[each for each in measured if audits.is_audit(self.desk.home, each.run)],
            needles=self.desk.needle_figures.all(),
            limited=LIMITED if self.desk.is_limited(caller(request)) else None,
            going=self.desk.evaluation.now,
            chosen=request.query_params.get("set", ""),
            first=Wanted.read(request.query_params).first,
            state=self.desk.home.state(),
            adapter=adapter,
            notice=self.desk.notices.said(request),
        )
        return HTMLResponse(page)

    def progress(self, request: Request) -> Response:
        """The part of the page that changes while an evaluation runs."""
        limited = self.desk.is_limited(caller(request))
        return HTMLResponse(render.progress(self.desk.evaluation.now, limited=limited))

    async def begin(self, request: Request) -> Response:
        """Put a set of questions to systems."""
        return await run_in_threadpool(self._begin, request, await filled(request))

    def _begin(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        who = caller(request)
        if self.desk.is_limited(who):
            return told(request, LIMITED, 403)
        kept, systems = self.desk.sets.find(form.get("set", "")), form.getlist("system")
        if kept is None or not systems:
            wanted = "Choose a set of questions." if kept is None else "Choose one system at least."
            return self.desk.notices.go("/quality", Notice(f"Nothing was begun. {wanted}", good=False))
        allowed = self.desk.allowed(who)
        self.desk.evaluation.begin(self.desk.sets.cases(kept), kept.name, systems, allowed=allowed)
        log.info("%s began an evaluation", named(request))
        return self.desk.notices.go("/quality")

    def resume(self, request: Request, run_id: str) -> Response:
        """Go on with a run that was stopped or interrupted."""
        who = caller(request)
        if self.desk.is_limited(who):
            return told(request, LIMITED, 403)
        run = self.desk.run(run_id)
        if run is None:
            return missing(request)
        cases = self.desk.results.cases(run.id)
        self.desk.evaluation.begin(cases, run.cases_name, run.systems, allowed=self.desk.allowed(who), resume=run.id)
        log.info("%s went on with an evaluation", named(request))
        return self.desk.notices.go("/quality")

    def stop(self, request: Request) -> Response:
        """End what runs where it is."""
        self.desk.evaluation.stop()
        log.info("%s stopped an evaluation", named(request))
        return self.desk.notices.go("/quality")

    def dismiss(self) -> Response:
        """Say no more of what has ended."""
        self.desk.evaluation.dismiss()
        return self.desk.notices.go("/quality")


def mount(app: FastAPI, home: Home, *, ready: Callable[[], object], busy: Callable[[], bool]) -> Evaluation:
    """The routes of every page of the evaluations in `app`. `ready` returns when questions can be answered, and raises
    why they cannot; `busy` is whether people are being answered: they go first."""
    results, needles = results_of(home), needle.results_of(home)
    sets, evaluation = CaseSets(home.folder / "cases"), Evaluation(home, ready, busy)
    desk = Desk(home, results, sets, evaluation, Figures(results), needles, Figures(needles))
    router = APIRouter(prefix="/quality")
    pages = (
        QualityPage(desk),
        QuestionsPage(desk),
        RunPage(desk),
        ComparePage(desk),
        AuditPage(desk),
        NeedlePage(desk),
    )
    for page in pages:
        page.routes(router)
    app.include_router(router)
    explain(app)
    return desk.evaluation
