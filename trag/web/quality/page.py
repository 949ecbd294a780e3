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

from trag.evaluate.running import results_of
from trag.evaluate.sets import CaseSets
from trag.web.documents.notices import Notice
from trag.web.forms import filled
from trag.web.quality import render
from trag.web.quality.compare import ComparePage
from trag.web.quality.desk import Desk
from trag.web.quality.figures import Figures
from trag.web.quality.going import Evaluation
from trag.web.quality.questions import QuestionsPage
from trag.web.quality.run import RunPage
from trag.web.quality.systems import offered
from trag.web.quality.wanted import Wanted
from trag.web.told import explain, missing
from trag.web.visitors import named

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
        adapter = self.desk.home.adapter_name
        page = render.quality(
            self.desk.sets.all(),
            offered(adapter),
            self.desk.figures.all(),
            going=self.desk.evaluation.now,
            chosen=request.query_params.get("set", ""),
            first=Wanted.read(request.query_params).first,
            state=self.desk.home.state(),
            adapter=adapter,
            notice=self.desk.notice(request),
        )
        return HTMLResponse(page)

    def progress(self) -> Response:
        """The part of the page that changes while an evaluation runs."""
        return HTMLResponse(render.progress(self.desk.evaluation.now))

    async def begin(self, request: Request) -> Response:
        """Put a set of questions to systems."""
        return await run_in_threadpool(self._begin, request, await filled(request))

    def _begin(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        kept, systems = self.desk.sets.find(form.get("set", "")), form.getlist("system")
        if kept is None or not systems:
            wanted = "Choose a set of questions." if kept is None else "Choose one system at least."
            return self.desk.go("/quality", Notice(f"Nothing was begun. {wanted}", good=False))
        self.desk.evaluation.begin(self.desk.sets.cases(kept), kept.name, systems)
        log.info("%s began an evaluation", named(request))
        return self.desk.go("/quality")

    def resume(self, request: Request, run_id: str) -> Response:
        """Go on with a run that was stopped or interrupted."""
        run = self.desk.run(run_id)
        if run is None:
            return missing(request)
        cases = self.desk.results.cases(run.id)
        self.desk.evaluation.begin(cases, run.cases_name, run.systems, resume=run.id)
        log.info("%s went on with an evaluation", named(request))
        return self.desk.go("/quality")

    def stop(self) -> Response:
        """End what runs where it is."""
        self.desk.evaluation.stop()
        return self.desk.go("/quality")

    def dismiss(self) -> Response:
        """Say no more of what has ended."""
        self.desk.evaluation.dismiss()
        return self.desk.go("/quality")


def mount(app: FastAPI, home: Home, *, ready: Callable[[], object], busy: Callable[[], bool]) -> Evaluation:
    """The routes of every page of the evaluations in `app`. `ready` returns when questions can be answered, and raises
    why they cannot; `busy` is whether people are being answered: they go first."""
    results = results_of(home)
    desk = Desk(home, results, CaseSets(home.folder / "cases"), Evaluation(home, ready, busy), Figures(results))
    router = APIRouter(prefix="/quality")
    for page in (QualityPage(desk), QuestionsPage(desk), RunPage(desk), ComparePage(desk)):
        page.routes(router)
    app.include_router(router)
    explain(app)
    return desk.evaluation
