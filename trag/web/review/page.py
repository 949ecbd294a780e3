"""The page of the review desk: what waits for a verdict, in its queues; how answers were judged; and files of them.

GET shows and changes nothing, but that a file is taken is written down; POST does one thing and sends the browser on.
Knows nothing about one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from trag.web.responses import explain, streamed
from trag.web.review import exports, figures, render
from trag.web.review.answer import AnswerPage
from trag.web.review.approving import ApprovingPage
from trag.web.review.desk import Desk
from trag.web.review.wanted import CHOICES, COUNTED, Wanted
from trag.web.visitors import caller, named, where

if TYPE_CHECKING:
    from trag.home import Home

MOST = 20
"""Answers on a page of a queue."""
PERIODS = (4, 12, 26, 52)
"""Weeks that the figures can be of, besides all."""


class ReviewPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("")(self.show)
        router.get("/next")(self.next)
        router.get("/figures")(self.figures)
        router.get("/judged.csv")(self.as_table)
        router.get("/judged.jsonl")(self.as_lines)

    def show(self, request: Request) -> Response:
        """A queue, and how many wait in each."""
        who, wanted = caller(request), Wanted.read(request.query_params)
        hidden, reviewing = self.desk.hidden(who), self.desk.records.reviewing
        page = render.queue(
            reviewing.queue(wanted.queue(hidden), reviewer=who.person, page=wanted.at // MOST + 1, most=MOST),
            wanted,
            sizes={
                choice: reviewing.size(wanted.of(choice).queue(hidden), reviewer=who.person, most=COUNTED)
                for choice in CHOICES
            },
            most=MOST,
            total=figures.total(figures.rows(reviewing.counts("week"))),
            documents=[name for name in reviewing.values("document") if name not in hidden],
            units=reviewing.values("unit"),
            chart=self.desk.chart,
            returned=self.desk.returned(hidden),
            last=self.desk.last(request),
            alone=reviewing.alone(who.person),
            notice=self.desk.notices.said(request),
        )
        return HTMLResponse(page)

    def next(self, request: Request) -> Response:
        """On to the answer at the place of a queue that the address names."""
        found = self.desk.next(caller(request), Wanted.read(request.query_params))
        if found is None:
            return self.desk.notices.go(Wanted.read(request.query_params).placed(0).address("/review"))
        wanted, answer = found
        return self.desk.notices.go(wanted.address(f"/review/{answer}"))

    def figures(self, request: Request) -> Response:
        """How answers were judged, of all time or of the last weeks."""
        hidden, reviewing = self.desk.hidden(caller(request)), self.desk.records.reviewing
        asked = request.query_params.get("weeks", "")
        period = next((each for each in PERIODS if str(each) == asked), 0)
        since = _monday(period) if period else None
        by_week = figures.rows(reviewing.counts("week", since=since))
        page = render.figures(
            by_week,
            {
                "document": figures.rows(reviewing.counts("document", since=since, hidden=hidden)),
                "unit": figures.rows(reviewing.counts("unit", since=since)),
                "model": figures.rows(reviewing.counts("model", since=since)),
            },
            figures.kappa(reviewing.agreement()),
            period=period,
            periods=PERIODS,
            chart=self.desk.chart,
        )
        return HTMLResponse(page)

    def as_table(self, request: Request) -> Response:
        """Every judged answer, for a spreadsheet."""
        judged = exports.judged(self.desk.records, self.desk.hidden(caller(request)))
        return self._exported(request, exports.as_csv(judged), "judged-answers.csv", "text/csv; charset=utf-8")

    def as_lines(self, request: Request) -> Response:
        """Every judged answer with what it stood on, to learn from."""
        judged = exports.judged(self.desk.records, self.desk.hidden(caller(request)))
        return self._exported(request, exports.as_json(judged), "judged-answers.jsonl", "application/jsonl")

    def _exported(self, request: Request, lines: Iterator[str], name: str, media: str) -> Response:
        self.desk.records.audit.add(named(request), "export", "judged answers", where=where(request), result=name)
        return streamed(lines, name, media)


def mount(app: FastAPI, home: Home) -> None:
    """The routes of the review desk in `app`."""
    desk, router = Desk(home), APIRouter(prefix="/review")
    for page in (ReviewPage(desk), ApprovingPage(desk), AnswerPage(desk)):
        page.routes(router)
    app.include_router(router)
    explain(app)


def _monday(weeks: int) -> date:
    """The Monday of the first of the last weeks, this one among them."""
    today = datetime.now(UTC).date()
    return today - timedelta(days=today.weekday(), weeks=weeks - 1)
