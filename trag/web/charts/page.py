"""The page of the organization's chart: the one in use, for everybody; for admins also another one, uploaded, looked at
and activated.

GET shows and changes nothing; POST uploads, activates or discards, and sends the browser on to a page. Long work runs
in threads: people who ask are answered meanwhile. Templates escape what they are given: names come from files that
nobody has checked.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response

from org import export
from org.chart import Chart
from org.reading.cells import TOP
from org.reading.charts import Report
from org.reading.encodings import ENCODINGS
from org.reading.table import MAX_BYTES
from store.versions import Version
from trag.charts import remember
from trag.errors import SHOWN, TragError, later
from trag.web.charts import changes
from trag.web.charts.reviews import Choice, Review, Reviews
from trag.web.forms import Form
from trag.web.language import in_words
from trag.web.render import environment
from trag.web.responses import Denied, attachment, explain, table, there
from trag.web.versioned import Kind, Subject, VersionedPage
from trag.web.visitors import caller, named
from trag.web.waiting_files import Waiting, WaitingFiles

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds that a page waits for a review before it says that it is being made."""
LONG_PATIENCE = 20.0
FIRST = 10
"""Problems and changes of a kind that are shown at once."""
MANY_REMOVED = 0.5
"""Of the units in use, the share that a chart removes which has to be confirmed by their number."""
LONGEST_SAMPLE = 60
"""Characters of the cells that are shown with a header."""
MOST = 500
"""Problems and changes of a kind that a page can unfold; all of them can be downloaded."""

COLUMNS = {
    "name": (later("Name"), later("What the unit is called. Needed.")),
    "parent": (
        later("Parent"),
        later("The unit above it: its name, its id, or its path. Needed; empty for the topmost unit only."),
    ),
    "type": (later("Type"), later("What it is: division, office, committee, post.")),
    "aliases": (later("Aliases"), later("Other names and acronyms, with | between them.")),
    "description": (later("Description"), later("What it does, in a sentence or two.")),
    "id": (later("Id"), later("A key of your own, which keeps a unit the same when its name changes.")),
    "head": (later("Head"), later("Who leads it.")),
    "email": (later("E-mail"), later("Where to write to.")),
    "code": (later("Code"), later("A cost centre or another number.")),
}
"""What each column of a chart's file is called and means."""

SAMPLE = """name,parent,type,aliases,description,head
Harbour Trust,,foundation,HT|The Trust,Keeps the old harbour open to everybody.,
Board,Harbour Trust,board,Board of Trustees,Decides on the budget and the plan.,
Director's Office,Board,office,DO,Runs the Trust from day to day.,R. Amadi
Grants & Partners,Director's Office,department,GP|Grants Department,Gives grants and works with partners.,
Education,Director's Office,department,EDU,"Runs courses, school visits and the library.",
Library,Education,unit,,Lends books and maps.,L. Ostrow
"""
FORMATS: dict[str, tuple[export.Format, str]] = {
    "chart.csv": ("csv", "text/csv; charset=utf-8"),
    "chart.xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "chart.json": ("json", "application/json"),
    "tree.json": ("tree", "application/json"),
}


class ChartsPage(VersionedPage):
    """What the routes share."""

    path = "/charts"

    def __init__(self, home: Home) -> None:
        super().__init__(home.charts, WaitingFiles(home.folder / "uploads"))
        self.home = home
        self.reviews = Reviews(home, self.waiting)

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/charts")
        router.get("")(self.show)
        router.get("/picture")(self.picture_in_use)
        router.get("/units/{place}")(self.unit_in_use)
        router.get("/sample.csv")(self.sample)
        router.post("/uploads")(self.upload)
        router.get("/{kind}/{id}")(self.review)
        router.get("/{kind}/{id}/ready")(self.ready)
        router.get("/{kind}/{id}/picture")(self.picture)
        router.get("/{kind}/{id}/units/{place}")(self.unit)
        router.get("/{kind}/{id}/problems.csv")(self.problems)
        router.get("/{kind}/{id}/changes.csv")(self.changes)
        self.add_routes(router)
        router.get("/versions/{version}/{name}")(self.download)
        return router

    # What is in use

    def show(self, request: Request) -> Response:
        """The chart in use; for an admin also what waits to be looked at, and every version."""
        chart = self.home.organization.chart
        if not caller(request).may("admin"):
            return _page("read", chart=chart, facts=_facts(chart) if chart else None)
        versions = self.home.records.chart_versions.all()
        return _page(
            "active",
            chart=chart,
            facts=_facts(chart) if chart else None,
            now=next((each for each in versions if chart and each.version == chart.version), None),
            versions=versions,
            uploads=self.waiting.all(),
            done=next((each for each in versions[:1] if each.version == request.query_params.get("now")), None),
            columns=COLUMNS,
            largest=MAX_BYTES,
        )

    async def picture_in_use(self, request: Request, version: str = "") -> Response:
        """The units of the chart in use, for everybody; `version` is the one that their page was drawn for."""
        return _picture(request, await self._seen_in_use(version))

    async def unit_in_use(self, place: int, version: str = "") -> Response:
        """What is known of one of its units, which is what answers tell everybody too."""
        return _details(await self._seen_in_use(version), place)

    async def _seen_in_use(self, version: str) -> Review:
        """The chart in use. Raises Denied where the version is another one, which admins alone look at."""
        if not version or version != self.home.organization.version:
            raise Denied
        review: Review = await asyncio.shield(asyncio.wrap_future(self.reviews.of_version(version, "")))
        return review

    def sample(self) -> Response:
        return attachment(SAMPLE.encode(), "chart.csv", "text/csv; charset=utf-8")

    def download(self, request: Request, version: str, name: str) -> Response:
        kept = there(self.version(version))
        wanted, media = there(FORMATS.get(name))
        stem = kept.name.rsplit(".", 1)[0]
        end = f"{'-tree' if wanted == 'tree' else ''}.{name.rsplit('.', 1)[1]}"
        return attachment(export.write(self.home.charts.version(version), wanted), f"{stem}-{version}{end}", media)

    # Uploads

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file; `name` is what it is called."""
        try:
            upload = await self.waiting.receive(request.stream(), request.query_params.get("name", ""), named(request))
        except SHOWN as error:
            return JSONResponse({"detail": in_words(error)}, status_code=507)
        return JSONResponse({"page": f"/charts/uploads/{upload.id}"}, status_code=201)

    # One upload, or one version

    async def review(self, request: Request, kind: Kind, id: str) -> Response:
        """All there is to see before it is decided; a page that waits as long as that takes to make."""
        subject, choice, against = await run_in_threadpool(self._asked, request, kind, id)
        review = await _within(self._review(subject, choice, against), PATIENCE)
        if review is None:
            return _page("working", subject=subject, path=_path(subject), query=_query(choice, against=against))
        seen = request.query_params.get("seen")
        overtaken = seen is not None and seen != against
        return await run_in_threadpool(self._show, subject, review, choice, against, overtaken=overtaken)

    def _show(self, subject: Subject, review: Review, choice: Choice, against: str, *, overtaken: bool) -> Response:
        """The page of a review. `overtaken`: another chart was activated since the admin looked last."""
        report, in_use = review.report, next(iter(self.home.records.chart_versions.all()), None)
        problems, used = (report.problems, dict(report.columns)) if report else ((), {})
        chosen = report is not None and bool(choice.encoding or report.encoding in ENCODINGS)
        return _page(
            "review",
            subject=subject,
            path=_path(subject),
            upload=isinstance(subject, Waiting),
            review=review,
            facts=_facts(review.chart) if review.chart else None,
            problems={word: [one for one in problems if one.severity == word] for word in ("error", "warning")},
            columns=COLUMNS if report else {},
            used=used,
            headers=_headers(report) if report else (),
            encodings={codec: encoding.label for codec, encoding in ENCODINGS.items()} if chosen else {},
            told=report is None
            or choice.columns is not None
            or ({"name", "parent"} <= used.keys() and all(used[field].casefold() == field for field in used)),
            choice=choice,
            top=dict(choice.columns or ()).get(TOP, ""),
            query=_query(choice, against=against),
            in_use=in_use,
            same=bool(review.chart and in_use and review.chart.version == in_use.version),
            overtaken=overtaken,
            removed=_removed(review),
            first=FIRST,
            most=MOST,
        )

    async def ready(self, request: Request, kind: Kind, id: str) -> Response:
        """Whether the page can be shown whole; waits a while for it."""
        asked = await run_in_threadpool(self._asked, request, kind, id)
        review = await _within(self._review(*asked), LONG_PATIENCE)
        return JSONResponse({"ready": review is not None})

    async def picture(self, request: Request, kind: Kind, id: str) -> Response:
        """The units as flat arrays, which stay as they are for as long as their address does."""
        return _picture(request, await self._seen(request, kind, id))

    async def unit(self, request: Request, kind: Kind, id: str, place: int) -> Response:
        """What is known of the unit at a place of the picture."""
        return _details(await self._seen(request, kind, id), place)

    async def problems(self, request: Request, kind: Kind, id: str) -> Response:
        report = there((await self._seen(request, kind, id)).report)
        rows = ((one.severity, str(one.row or ""), one.message, one.hint) for one in report.problems)
        header = ("severity", "row", "problem", "what to do")
        return await run_in_threadpool(table, chain([header], rows), "problems.csv")

    async def changes(self, request: Request, kind: Kind, id: str) -> Response:
        review = await self._seen(request, kind, id)
        return await run_in_threadpool(table, changes.lines(review.groups), "changes.csv")

    def activated(self, subject: Waiting, form: Form, by: str, against: str) -> Version | None:
        choice = Choice.read(form)
        review = self._review(subject, choice, against).result()
        if review.chart is None:
            return None
        done = self.kept.activate(review.chart, self.waiting.given(subject), by=by, instead_of=against)
        if review.report is not None and choice.columns:
            remember(review.report.header, dict(choice.columns), self.home.folder)
        return done

    def unconfirmed(self, subject: Subject, form: Form, against: str) -> TragError | None:
        choice = Choice.read(form) if isinstance(subject, Waiting) else Choice()
        removed = _removed(self._review(subject, choice, against).result())
        if not removed or form.get("removed", "").strip() == str(removed):
            return None
        return TragError(
            later("Nothing was changed: this chart removes %(number)s of the units in use.", number=removed),
            later("If they are to go, type %(number)s on its page before you activate it.", number=str(removed)),
        )

    def query(self, form: Form) -> list[tuple[str, str]]:
        return [*Choice.read(form).fields()]

    def _asked(self, request: Request, kind: Kind, id: str) -> tuple[Subject, Choice, str]:
        """What a request is about: an upload or a version, how to read it, and what to compare it with. Raises Denied
        where that is not there."""
        query = dict(request.query_params)
        return self.asked(kind, id), Choice.read(query), query.get("against", self.active())

    def _review(self, subject: Subject, choice: Choice, against: str) -> Future[Review]:
        if isinstance(subject, Waiting):
            return self.reviews.of_upload(subject, choice, against)
        return self.reviews.of_version(subject.version, against)

    async def _seen(self, request: Request, kind: Kind, id: str) -> Review:
        """The review that a request is about. Raises what `_asked` raises."""
        asked = await run_in_threadpool(self._asked, request, kind, id)
        review: Review = await asyncio.shield(asyncio.wrap_future(self._review(*asked)))
        return review


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


def _removed(review: Review) -> int:
    """How many units a chart removes, 0 where it keeps more than MANY_REMOVED allows to go unasked."""
    removed = next((group.count for group in review.groups if group.kind == "removed"), 0)
    return removed if review.before and removed >= MANY_REMOVED * len(review.before) else 0


def _query(choice: Choice, **more: str) -> str:
    return urlencode([*choice.fields(), *more.items()])


def _page(name: str, **values: object) -> Response:
    return HTMLResponse(environment().get_template(f"charts/{name}.html").render(here="/charts", **values))


def _picture(request: Request, review: Review) -> Response:
    """The units as flat arrays, nothing where a browser has them. Raises Denied where a file holds none."""
    if review.picture is None:
        raise Denied
    headers = {"etag": review.tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == review.tag:
        return Response(status_code=304, headers=headers)
    return Response(review.picture, media_type="application/json", headers=headers)


def _details(review: Review, place: int) -> Response:
    """What is known of the unit at a place of the picture. Raises Denied where there is none."""
    if review.layout is None or not 0 <= place < len(review.layout.units):
        raise Denied
    return JSONResponse(review.layout.details(place), headers={"cache-control": "no-store"})


def _path(subject: Subject) -> str:
    if isinstance(subject, Waiting):
        return f"/charts/uploads/{subject.id}"
    return f"/charts/versions/{subject.version}"


def _facts(chart: Chart) -> dict[str, object]:
    """What a chart is like at a glance."""
    depths = {chart.root.id: 1}
    for unit in chart.descendants(chart.root.id):
        depths[unit.id] = depths[unit.parent or ""] + 1
    return {"root": chart.root.name, "units": len(chart), "levels": max(depths.values()), "types": chart.types}


def _headers(report: Report) -> list[tuple[str, str]]:
    """The headers of a file, each with what stands under it."""
    found: list[tuple[str, str]] = []
    for place, name in enumerate(report.header):
        cells = [cells[place] for cells in report.samples if place < len(cells) and cells[place]]
        sample = ", ".join(cells[:3])
        if name:
            found.append((name, sample if len(sample) <= LONGEST_SAMPLE else f"{sample[: LONGEST_SAMPLE - 1]}…"))
    return found
