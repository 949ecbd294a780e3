"""One run: its figures, its tables, its answers one by one, what people say of them, and all of it as files.

Knows nothing about how answers are made or scored.
"""

from __future__ import annotations

import logging
import threading

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from trag.evaluate import exports
from trag.evaluate.grammar import auditing
from trag.evaluate.runs import Run
from trag.people.permissions import opened
from trag.record import VERDICTS
from trag.web.error_pages import missing
from trag.web.evidence import documents_of
from trag.web.files import attachment
from trag.web.forms import filled
from trag.web.notices import Notice
from trag.web.quality import render
from trag.web.quality.desk import Desk
from trag.web.quality.wanted import Wanted
from trag.web.visitors import caller, named

log = logging.getLogger(__name__)


class RunPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._one_at_a_time = threading.Lock()

    def routes(self, router: APIRouter) -> None:
        """Every route of a run. Plain functions run in threads."""
        router.get("/runs/{run_id}")(self.show)
        router.get("/runs/{run_id}/report.md")(self.markdown)
        router.get("/runs/{run_id}/answers.csv")(self.table)
        router.get("/runs/{run_id}/run.json")(self.json)
        router.post("/runs/{run_id}/remove")(self.remove)
        router.get("/runs/{run_id}/answers/{number}")(self.answer)
        router.post("/runs/{run_id}/answers/{number}/label")(self.label)

    def show(self, request: Request, run_id: str) -> Response:
        """All that was measured, and the answers that are asked for."""
        run = self.desk.run(run_id)
        if run is None:
            return missing(request)
        answers = self.desk.answers(run)
        page = render.run(
            run,
            [answer.result for answer in answers],
            self.desk.open_to(caller(request), run, answers),
            Wanted.read(request.query_params),
            going=self.desk.going(run),
            running=self.desk.is_running(run),
            before=self._before(run),
            audit=auditing.is_audit(self.desk.home, run),
            limited=self.desk.is_limited(caller(request)),
            notice=self.desk.notices.said(request),
        )
        return HTMLResponse(page)

    def answer(self, request: Request, run_id: str, number: int) -> Response:
        """One answer with what it stands on, and what was found wrong with it."""
        run = self.desk.run(run_id)
        answers = self.desk.open_to(caller(request), run, self.desk.answers(run)) if run else ()
        answer = next((each for each in answers if each.number == number), None)
        if run is None or answer is None:
            return missing(request)
        chart = self.desk.home.organization.chart
        quoted = documents_of(answer.result.record)
        page = render.answer(
            run,
            answers,
            answer,
            chart=chart,
            charts=self.desk.home.records.chart_versions.all(),
            documents=opened(caller(request), quoted, self.desk.home.records.library, chart),
            notice=self.desk.notices.said(request),
        )
        return HTMLResponse(page)

    async def label(self, request: Request, run_id: str, number: int) -> Response:
        """What a person says of an answer."""
        return await run_in_threadpool(self._label, request, await filled(request), run_id, number)

    def remove(self, request: Request, run_id: str) -> Response:
        """Forget a run and its answers."""
        run = self.desk.run(run_id)
        if run is None:
            return missing(request)
        self.desk.refuse_if_running(run)
        self.desk.results.remove(run.id)
        self.desk.figures.forget(run.id)
        log.info("%s removed a run", named(request))
        return self.desk.notices.go("/quality", Notice(f"The run of {run.cases_name} is removed."))

    def markdown(self, request: Request, run_id: str) -> Response:
        """The tables, to be pasted into a report."""
        return self._file(request, run_id, "md")

    def table(self, request: Request, run_id: str) -> Response:
        """Every answer with its score, for a spreadsheet."""
        return self._file(request, run_id, "csv")

    def json(self, request: Request, run_id: str) -> Response:
        """The run, its tables and every answer record."""
        return self._file(request, run_id, "json")

    def _file(self, request: Request, run_id: str, suffix: str) -> Response:
        run = self.desk.run(run_id)
        if run is None:
            return missing(request)
        results, name = self.desk.results.results(run.id), f"{run.cases_name}-{run.id}.{suffix}"
        if suffix == "csv":
            return attachment(exports.as_csv(results).encode("utf-8-sig"), name, "text/csv; charset=utf-8")
        if suffix == "json":
            return attachment(exports.as_json(run, results).encode(), name, "application/json")
        return attachment(exports.as_markdown(run, results).encode(), name, "text/markdown; charset=utf-8")

    def _label(self, request: Request, form: ImmutableMultiDict[str, str], run_id: str, number: int) -> Response:
        run = self.desk.run(run_id)
        answers = self.desk.open_to(caller(request), run, self.desk.answers(run)) if run else ()
        answer = next((each for each in answers if each.number == number), None)
        verdict = next((each for each in VERDICTS if each == form.get("verdict")), None)
        if run is None or answer is None or verdict is None:
            return missing(request)
        judged = answer.result
        with self._one_at_a_time:
            self.desk.results.label(run, judged.system, judged.case.id, verdict, by=named(request))
        self.desk.figures.forget(run.id)
        log.info("%s judged an answer of an evaluation", named(request))
        if form.get("part") == "row":
            return HTMLResponse(render.row(run, self.desk.answers(run)[number]))
        return self.desk.notices.go(f"/quality/runs/{run.id}/answers/{number}", Notice(f"Kept: {verdict}."))

    def _before(self, run: Run) -> Run | None:
        """The last whole run of the same questions before this one."""
        earlier = (each for each in self.desk.results.runs() if each.started < run.started and each.finished)
        return next((each for each in earlier if each.cases_sha256 == run.cases_sha256), None)
