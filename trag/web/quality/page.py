"""The first page of the evaluations: what runs now, what can be asked next, the sets of questions, and every run.

GET shows and changes nothing; POST does one thing and sends the browser on to a page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le
from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from trag.errors import SHOWN, TragError, told
from trag.evaluate import needle
from trag.evaluate.cases import CaseSet, CaseSets, read
from trag.evaluate.grammar import audit as audits
from trag.evaluate.running import results_of
from trag.web.forms import Form, filled_in, received
from trag.web.language import counted, later
from trag.web.language import gettext as _
from trag.web.quality import render
from trag.web.quality.answers import AnswerFilter
from trag.web.quality.context import LIMITED, QualityContext
from trag.web.quality.evaluation import Evaluation
from trag.web.quality.figures import Figures, offered, trends
from trag.web.quality.runs import RunPages
from trag.web.responses import Notice, attachment, explain, there
from trag.web.visitors import caller, is_admin_here, named

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

LINES = 1_000
"""Lines of what is wrong with a file that a page is sent."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    number: Annotated[int, Ge(1), Le(render.MOST_QUESTIONS)]
    seed: Annotated[int, Ge(1), Le(render.MOST_SEED)]


class QualityPage:
    """What the routes share."""

    def __init__(self, context: QualityContext) -> None:
        self.context = context

    def routes(self, router: APIRouter) -> None:
        router.get("")(self.show)
        router.get("/progress")(self.progress)
        router.post("/runs")(self.begin)
        router.post("/runs/{run_id}/resume")(self.resume)
        router.post("/audits")(self.begin_audit)
        router.post("/needles")(self.begin_needle)
        router.post("/stop")(self.stop)
        router.post("/dismiss")(self.dismiss)
        router.get("/sample.jsonl")(self.sample)
        router.post("/cases")(self.upload)
        router.post("/cases/chart")(self.make)
        router.get("/cases/{id}.jsonl")(self.download)
        router.post("/cases/{id}/remove")(self.remove)

    def show(self, request: Request) -> Response:
        """Everything that was measured, and what can be measured next. `chosen` is the set that was just added."""
        home, measured, sets = self.context.home, self.context.figures.all(), self.context.sets.all()
        ids, added = [kept.id for kept in sets], request.query_params.get("set", "")
        return render.page(
            "list",
            sets=sets,
            systems=offered(home.adapter_name),
            measured=measured,
            audits=[each for each in measured if audits.is_audit(home, each.run)],
            needles=self.context.needle_figures.all(),
            limited=LIMITED if self.context.is_limited(caller(request)) else None,
            trends=trends(measured),
            first=AnswerFilter.read(request.query_params).first,
            going=self.context.evaluation.now,
            chosen=added if added in ids else next(iter(ids), ""),
            state=home.state(),
            adapter=home.adapter_name,
            notice=self.context.notices.said(request),
            largest=render.LARGEST_SET,
            most_questions=render.MOST_QUESTIONS,
            most_seed=render.MOST_SEED,
            keys=render.KEYS,
        )

    def progress(self, request: Request) -> Response:
        """The part of the page that changes while an evaluation runs; whoever is limited only looks on."""
        limited = self.context.is_limited(caller(request))
        return render.page("progress", going=self.context.evaluation.now, limited=limited)

    # What is measured

    def begin(self, request: Request, form: Form) -> Response:
        allowed = self.context.allowed(caller(request))
        kept, systems = self.context.sets.find(form.get("set", "")), form.getlist("system")
        if kept is None or not systems:
            return self._nothing(_("Choose a set of questions.") if kept is None else _("Choose one system at least."))
        self.context.evaluation.begin(self.context.sets.cases(kept), kept.name, systems, allowed=allowed)
        log.info("%s began an evaluation", named(request))
        return self.context.notices.go("/quality")

    def resume(self, request: Request, run_id: str) -> Response:
        allowed, run = self.context.allowed(caller(request)), self.context.run(run_id)
        cases = self.context.results.cases(run.id)
        self.context.evaluation.begin(cases, run.cases_name, run.systems, allowed=allowed, resume=run.id)
        log.info("%s went on with an evaluation", named(request))
        return self.context.notices.go("/quality")

    def begin_audit(self, request: Request, form: Form) -> Response:
        """Audit a system with the chart and the documents. Another database is audited from the terminal: an address
        that is typed into a page would have the server connect to anything."""
        allowed, system = self.context.allowed(caller(request)), form.get("system", "")
        if not system:
            return self._nothing(_("Choose a system."))
        self.context.evaluation.begin_audit(system, allowed=allowed)
        log.info("%s began a self-audit", named(request))
        return self.context.notices.go("/quality")

    def begin_needle(self, request: Request, form: Form) -> Response:
        """Put what answers the questions of a set at each place of a prompt."""
        allowed, kept = self.context.allowed(caller(request)), self.context.sets.find(form.get("set", ""))
        if kept is None:
            return self._nothing(_("Choose a set of questions."))
        self.context.evaluation.begin_needle(self.context.sets.cases(kept), kept.name, allowed=allowed)
        log.info("%s began a needle test", named(request))
        return self.context.notices.go("/quality")

    def stop(self, request: Request) -> Response:
        self.context.evaluation.stop()
        log.info("%s stopped an evaluation", named(request))
        return self.context.notices.go("/quality")

    def dismiss(self) -> Response:
        self.context.evaluation.dismiss()
        return self.context.notices.go("/quality")

    def _nothing(self, wanted: str) -> Response:
        return self.context.notices.go(
            "/quality", Notice(_("Nothing was begun. %(wanted)s") % {"wanted": wanted}, good=False)
        )

    # Sets of questions

    def sample(self) -> Response:
        return attachment(render.SAMPLE.encode(), "questions.jsonl", "application/jsonl; charset=utf-8")

    async def upload(self, request: Request) -> Response:
        """Keep the questions in the body; `name` is what the file is called."""
        await run_in_threadpool(self.context.allowed, caller(request))
        name = request.query_params.get("name", "")[-200:] or "questions.jsonl"

        def keep(path: Path) -> CaseSet:
            return self.context.sets.keep(read(path.read_bytes(), name), name, by=named(request))

        try:
            async with received(request.stream(), self.context.home.folder / "uploads") as file:
                kept = await run_in_threadpool(keep, file.path)
        except SHOWN as error:
            shown = told(error, to_admin=is_admin_here())
            lines = shown.message.split("\n")
            more = (
                [counted("and %(num)s more line", "and %(num)s more lines", len(lines) - LINES)]
                if len(lines) > LINES
                else []
            )
            return JSONResponse({"detail": "\n".join([*map(_, lines[:LINES]), *more, _(shown.hint)])}, status_code=422)
        log.info("%s uploaded a set of questions", named(request))
        return JSONResponse({"page": f"/quality?set={kept.id}#new"}, status_code=201)

    def make(self, request: Request, form: Form) -> Response:
        """Questions made from the chart in use."""
        from trag.evaluate.chart_cases import make

        chart = self.context.home.organization.chart
        if chart is None:
            raise TragError(later("There is no chart to make questions from."), later("Upload and activate one first."))
        asked = filled_in(_Wanted, form)
        cases = make(chart, seed=asked.seed, number=asked.number)
        if not cases:
            raise TragError(later("The chart gives no question."), later("It needs two units at least."))
        name = f"Chart {chart.version}, {len(cases)} questions, seed {asked.seed}"
        kept = self.context.sets.keep(cases, name, by=named(request), chart=chart.version)
        text = counted(
            "%(num)s question was made from the chart of %(name)s.",
            "%(num)s questions were made from the chart of %(name)s.",
            len(cases),
            name=chart.root.name,
        )
        return self.context.notices.go(f"/quality?set={kept.id}#new", Notice(text))

    def download(self, request: Request, id: str) -> Response:
        """A set as a file that can be uploaded again."""
        kept = there(self.context.sets.find(id))
        return attachment(self.context.sets.content(kept), f"{kept.name}.jsonl", "application/jsonl; charset=utf-8")

    def remove(self, id: str) -> Response:
        """Forget a set; what was measured with it stays."""
        kept = self.context.sets.find(id)
        self.context.sets.remove(id)
        return self.context.notices.go(
            "/quality", Notice(_("%(name)s is removed. Its runs stay.") % {"name": kept.name}) if kept else None
        )


def mount(app: FastAPI, home: Home, *, ready: Callable[[], object], busy: Callable[[], bool]) -> Evaluation:
    """The routes of every page of the evaluations in `app`. `ready` returns when questions can be answered, and raises
    why they cannot; `busy` is whether people are being answered: they go first."""
    results, needles = results_of(home), needle.results_of(home)
    sets, evaluation = CaseSets(home.folder / "cases"), Evaluation(home, ready, busy)
    context = QualityContext(home, results, sets, evaluation, Figures(results), needles, Figures(needles))
    router = APIRouter(prefix="/quality")
    for pages in (QualityPage(context), RunPages(context)):
        pages.routes(router)
    app.include_router(router)
    explain(app)
    return evaluation
