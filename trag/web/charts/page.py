"""The page of the organization's chart: which chart is in use, and another one uploaded, looked at and activated.

GET shows and changes nothing; POST uploads, activates or discards, and sends the browser on to a page. Long work runs
in threads: people who ask are answered meanwhile. Knows nothing about how a chart is read, compared or drawn.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from org import export
from store.versions import ChartVersion
from trag.errors import SHOWN, TragError, in_one_line
from trag.web.charts import changes, render
from trag.web.charts.reviews import Choice, Review, Reviews
from trag.web.charts.uploads import Upload, Uploads
from trag.web.error_pages import explain, missing
from trag.web.files import attachment, table
from trag.web.forms import filled
from trag.web.visitors import named

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds that a page waits for a review before it says that it is being made."""
LONG_PATIENCE = 20.0
FORMATS: dict[str, tuple[export.Format, str]] = {
    "chart.csv": ("csv", "text/csv; charset=utf-8"),
    "chart.xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "chart.json": ("json", "application/json"),
    "tree.json": ("tree", "application/json"),
}
Kind = Literal["uploads", "versions"]
Subject = Upload | ChartVersion


class ChartsPage:
    """What the routes share."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.uploads = Uploads(home.folder / "uploads")
        self.reviews = Reviews(home, self.uploads)
        self._one_at_a_time = threading.Lock()

    def router(self) -> APIRouter:
        """Every route of the page. Plain functions run in threads."""
        router = APIRouter(prefix="/charts")
        router.get("")(self.show)
        router.get("/sample.csv")(self.sample)
        router.post("/uploads")(self.upload)
        router.post("/uploads/{id}/discard")(self.discard)
        router.post("/{kind}/{id}/activate")(self.activate)
        router.get("/{kind}/{id}")(self.review)
        router.get("/{kind}/{id}/ready")(self.ready)
        router.get("/{kind}/{id}/picture")(self.picture)
        router.get("/{kind}/{id}/units/{place}")(self.unit)
        router.get("/{kind}/{id}/problems.csv")(self.problems)
        router.get("/{kind}/{id}/changes.csv")(self.changes)
        router.get("/versions/{version}/original")(self.original)
        router.get("/versions/{version}/{name}")(self.download)
        return router

    # What is in use

    def show(self, request: Request) -> Response:
        """The chart in use, what waits to be looked at, and every version."""
        chart = self.home.organization.chart
        versions = self.home.records.chart_versions.all()
        done = versions[0] if versions and request.query_params.get("now") == versions[0].version else None
        return HTMLResponse(render.active(chart, versions, self.uploads.all(), done=done))

    def sample(self) -> Response:
        """A small chart to begin from."""
        return attachment(render.SAMPLE.encode(), "chart.csv", "text/csv; charset=utf-8")

    def download(self, request: Request, version: str, name: str) -> Response:
        """A version as a file."""
        kept = self._version(version)
        if kept is None or name not in FORMATS:
            return missing(request)
        wanted, media = FORMATS[name]
        stem = kept.name.rsplit(".", 1)[0]
        end = f"{'-tree' if wanted == 'tree' else ''}.{name.rsplit('.', 1)[1]}"
        return attachment(export.write(self.home.chart(version), wanted), f"{stem}-{version}{end}", media)

    def original(self, request: Request, version: str) -> Response:
        """The file that a version was given in, to be kept and never shown."""
        kept = self._version(version)
        content = self.home.original_chart(version) if kept else None
        if kept is None or content is None:
            return missing(request)
        return attachment(content, kept.name, "application/octet-stream")

    # Uploads

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file; `name` is what it is called."""
        try:
            upload = await self.uploads.receive(request.stream(), request.query_params.get("name", ""), named(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except SHOWN as error:
            return JSONResponse({"detail": in_one_line(error)}, status_code=507)
        return JSONResponse({"page": f"/charts/uploads/{upload.id}"}, status_code=201)

    def discard(self, id: str) -> Response:
        """Forget a file that waits."""
        self.uploads.discard(id)
        return RedirectResponse("/charts", 303)

    # One upload, or one version

    async def review(self, request: Request, kind: Kind, id: str) -> Response:
        """All there is to see before it is decided; a page that waits as long as that takes to make."""
        subject, choice, against = await run_in_threadpool(self._asked, request, kind, id)
        if subject is None:
            return missing(request)
        review = await _within(self._review(subject, choice, against), PATIENCE)
        if review is None:
            return HTMLResponse(render.working(subject, _query(choice, against=against)))
        versions = await run_in_threadpool(self.home.records.chart_versions.all)
        seen = request.query_params.get("seen")
        page = await run_in_threadpool(
            render.review,
            subject,
            review,
            choice=choice,
            query=_query(choice, against=against),
            versions=versions,
            overtaken=seen is not None and seen != against,
        )
        return HTMLResponse(page)

    async def ready(self, request: Request, kind: Kind, id: str) -> Response:
        """Whether the page can be shown whole; waits a while for it."""
        subject, choice, against = await run_in_threadpool(self._asked, request, kind, id)
        if subject is None:
            return missing(request)
        review = await _within(self._review(subject, choice, against), LONG_PATIENCE)
        return JSONResponse({"ready": review is not None})

    async def picture(self, request: Request, kind: Kind, id: str) -> Response:
        """The units as flat arrays, which stay as they are for as long as their address does."""
        review = await self._seen(request, kind, id)
        if review is None or review.picture is None:
            return missing(request)
        headers = {"etag": review.tag, "cache-control": "private, no-cache"}
        if request.headers.get("if-none-match") == review.tag:
            return Response(status_code=304, headers=headers)
        return Response(review.picture, media_type="application/json", headers=headers)

    async def unit(self, request: Request, kind: Kind, id: str, place: int) -> Response:
        """What is known of the unit at a place of the picture."""
        review = await self._seen(request, kind, id)
        if review is None or review.layout is None or not 0 <= place < len(review.layout.units):
            return missing(request)
        return JSONResponse(review.layout.details(place), headers={"cache-control": "no-store"})

    async def problems(self, request: Request, kind: Kind, id: str) -> Response:
        """Everything that was found wrong, as a table."""
        review = await self._seen(request, kind, id)
        if review is None or review.report is None:
            return missing(request)
        return await run_in_threadpool(table, render.problem_lines(review.report.problems), "problems.csv")

    async def changes(self, request: Request, kind: Kind, id: str) -> Response:
        """Everything that would change, as a table."""
        review = await self._seen(request, kind, id)
        if review is None:
            return missing(request)
        return await run_in_threadpool(table, changes.lines(review.groups), "changes.csv")

    async def activate(self, request: Request, kind: Kind, id: str) -> Response:
        """Answer from this chart, unless another was activated since the admin looked."""
        decided = dict(await filled(request))
        return RedirectResponse(await run_in_threadpool(self._activate, kind, id, decided, named(request)), 303)

    def _activate(self, kind: Kind, id: str, decided: dict[str, str], by: str) -> str:
        """The page to go on to. A second press waits for the first one, and finds it done."""
        against, choice = decided.get("against", ""), Choice.read(decided)
        with self._one_at_a_time:
            if decided.get("version") and decided["version"] == self._active():
                return f"/charts?{urlencode({'now': decided['version']})}"
            subject = self._subject(kind, id)
            if subject is None:
                raise TragError("This file is no longer here.", "It was discarded, or activated in another window.")
            try:
                if isinstance(subject, ChartVersion):
                    done = self.home.roll_back_chart(subject.version, by=by, instead_of=against)
                else:
                    chart = self._review(subject, choice, against).result().chart
                    if chart is None:
                        return f"/charts/{kind}/{id}?{_query(choice)}"
                    original = self.uploads.content(subject)
                    done = self.home.activate_chart(chart, subject.name, original, by=by, instead_of=against)
                    self.uploads.discard(subject.id)
            except SHOWN:
                if self._active() == against:
                    raise
                return f"/charts/{kind}/{id}?{_query(choice, seen=against)}"
        log.info("%s activated the chart %s (%s)", by, done.version, done.name)
        return f"/charts?{urlencode({'now': done.version})}"

    def _asked(self, request: Request, kind: Kind, id: str) -> tuple[Subject | None, Choice, str]:
        """What a request is about: an upload or a version, how to read it, and what to compare it with."""
        query = dict(request.query_params)
        return self._subject(kind, id), Choice.read(query), query.get("against", self._active())

    def _subject(self, kind: Kind, id: str) -> Subject | None:
        return self.uploads.find(id) if kind == "uploads" else self._version(id)

    def _review(self, subject: Subject, choice: Choice, against: str) -> Future[Review]:
        if isinstance(subject, Upload):
            return self.reviews.of_upload(subject, choice, against)
        return self.reviews.of_version(subject.version, against)

    async def _seen(self, request: Request, kind: Kind, id: str) -> Review | None:
        """The review that a request is about, None when what it is of is not there."""
        subject, choice, against = await run_in_threadpool(self._asked, request, kind, id)
        if subject is None:
            return None
        review: Review = await asyncio.shield(asyncio.wrap_future(self._review(subject, choice, against)))
        return review

    def _version(self, version: str) -> ChartVersion | None:
        return next((kept for kept in self.home.records.chart_versions.all() if kept.version == version), None)

    def _active(self) -> str:
        """The version in use, "" for none."""
        active = self.home.records.chart_versions.active()
        return active.version if active else ""


def mount(app: FastAPI, home: Home) -> ChartsPage:
    """The routes of the page in `app`; whoever closes the app closes the reviews of the page."""
    page = ChartsPage(home)
    app.include_router(page.router())
    explain(app)
    return page


async def _within(future: Future[Review], seconds: float) -> Review | None:
    """The review, None when it takes longer. Whoever waits may leave: the work goes on."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    done, _ = await asyncio.wait({waiting}, timeout=seconds)
    return waiting.result() if done else None


def _query(choice: Choice, **more: str) -> str:
    return urlencode([*choice.fields(), *more.items()])
