"""Sets of questions: uploaded, made from the chart, taken out again, removed.

Knows nothing about how questions are asked.
"""

from __future__ import annotations

import logging
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import ClientDisconnect

from trag.errors import SHOWN, TragError
from trag.evaluate.cases import CaseSet, read
from trag.web.error_pages import missing, told
from trag.web.files import attachment
from trag.web.forms import both, filled, whole
from trag.web.notices import Notice
from trag.web.quality import MOST_QUESTIONS, MOST_SEED, render
from trag.web.quality.desk import LIMITED, Desk
from trag.web.uploads import received
from trag.web.visitors import caller, named

log = logging.getLogger(__name__)

TOLD = 1_000
"""Lines of what is wrong with a file that a page is sent."""


class QuestionsPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the sets. Plain functions run in threads."""
        router.get("/sample.jsonl")(self.sample)
        router.post("/cases")(self.upload)
        router.post("/cases/chart")(self.make)
        router.get("/cases/{id}.jsonl")(self.download)
        router.post("/cases/{id}/remove")(self.remove)

    def sample(self) -> Response:
        """A small set to begin from."""
        return attachment(render.SAMPLE.encode(), "questions.jsonl", "application/jsonl; charset=utf-8")

    async def upload(self, request: Request) -> Response:
        """Keep the questions in the body; `name` is what the file is called."""
        if await run_in_threadpool(self.desk.is_limited, caller(request)):
            return told(request, LIMITED, 403)
        name = request.query_params.get("name", "")[-200:] or "questions.jsonl"
        try:
            async with received(request.stream(), self.desk.home.folder / "uploads") as file:
                kept = await run_in_threadpool(self._keep, file.path, name, named(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except SHOWN as error:
            return JSONResponse({"detail": _told(error.message, error.hint)}, status_code=422)
        return JSONResponse({"page": f"/quality?set={kept.id}#new"}, status_code=201)

    async def make(self, request: Request) -> Response:
        """Questions made from the chart in use."""
        return await run_in_threadpool(self._make, request, await filled(request))

    def download(self, request: Request, id: str) -> Response:
        """A set as a file that can be uploaded again."""
        kept = self.desk.sets.find(id)
        if kept is None:
            return missing(request)
        return attachment(self.desk.sets.content(kept), f"{kept.name}.jsonl", "application/jsonl; charset=utf-8")

    def remove(self, id: str) -> Response:
        """Forget a set; what was measured with it stays."""
        kept = self.desk.sets.find(id)
        self.desk.sets.remove(id)
        return self.desk.notices.go("/quality", Notice(f"{kept.name} is removed. Its runs stay.") if kept else None)

    def _keep(self, path: Path, name: str, by: str) -> CaseSet:
        kept = self.desk.sets.keep(read(path.read_bytes(), name), name, by=by)
        log.info("%s uploaded a set of questions", by)
        return kept

    def _make(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        from trag.evaluate.chart_cases import make

        chart = self.desk.home.organization.chart
        if chart is None:
            raise TragError("There is no chart to make questions from.", "Upload and activate one first.")
        number, seed = both(
            lambda: whole(form, "number", most=MOST_QUESTIONS), lambda: whole(form, "seed", most=MOST_SEED)
        )
        cases = make(chart, seed=seed, number=number)
        if not cases:
            raise TragError("The chart gives no question.", "It needs two units at least.")
        name = f"Chart {chart.version}, {len(cases)} questions, seed {seed}"
        kept = self.desk.sets.keep(cases, name, by=named(request), chart=chart.version)
        told = f"{len(cases):,} questions were made from the chart of {chart.root.name}."
        return self.desk.notices.go(f"/quality?set={kept.id}#new", Notice(told))


def _told(message: str, hint: str) -> str:
    """Every line of what is wrong, as far as a page can show them."""
    lines = message.split("\n")
    more = [f"and {len(lines) - TOLD:,} more lines"] if len(lines) > TOLD else []
    return "\n".join([*lines[:TOLD], *more, hint])
