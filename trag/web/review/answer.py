"""One answer on the desk: shown with all it stands on, judged, the verdict taken back, a second reviewer asked for.

After a verdict the next answer of the queue opens. Knows nothing about how a verdict changes where an answer stands.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from store.records import Label
from trag.errors import SHOWN, TragError, in_one_line
from trag.people.permissions import opened
from trag.record import VERDICTS
from trag.web.evidence import documents_of
from trag.web.forms import filled, remark
from trag.web.responses import Notice, missing
from trag.web.review import render
from trag.web.review.desk import Desk, Given
from trag.web.review.wanted import COUNTED, Wanted
from trag.web.visitors import caller, named, where


class AnswerPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of an answer. Plain functions run in threads."""
        router.get("/{id}")(self.show)
        router.post("/{id}/verdict")(self.judge)
        router.post("/{id}/undo")(self.undo)
        router.post("/{id}/second")(self.second)

    def show(self, request: Request, id: str) -> Response:
        """The answer, its sources and checks, what was said of it, and what one may say."""
        return self._page(request, id)

    def _page(self, request: Request, id: str, *, typed: Label | None = None, problem: Any = None) -> Response:
        """An answer; where a verdict was not kept because of a `problem`, one of SHOWN, with what was `typed`."""
        who, wanted = caller(request), Wanted.read(request.query_params)
        given = self.desk.find(who, id)
        if given is None:
            return missing(request)
        records, chart = self.desk.records, self.desk.chart
        queue = wanted.queue(self.desk.hidden(who))
        seen = self.desk.sight(who, given.review)
        approved = [each for each in records.approved.all() if each.answer == id]
        notice = self.desk.notices.said(request)
        if problem:
            notice = Notice(in_one_line(problem), good=False)
        page = render.answer(
            given.review,
            given.record,
            seen,
            wanted,
            waiting=records.reviewing.size(queue, reviewer=who.person, most=COUNTED),
            flagged=next((each for each in reversed(records.labels_of(id)) if each.asker), None),
            names={each.reviewer: self.desk.name(each.reviewer, who) for each in seen.others},
            approved=approved[0] if approved else None,
            last=self.desk.last(request),
            chart=chart,
            charts=records.activations.all(),
            documents=opened(who, documents_of(given.record), records.library, chart),
            typed=typed,
            notice=notice,
        )
        return HTMLResponse(page, 409 if problem else 200)

    async def judge(self, request: Request, id: str) -> Response:
        """A verdict, and on to the next answer."""
        return await run_in_threadpool(self._judge, request, await filled(request), id)

    async def second(self, request: Request, id: str) -> Response:
        """Two reviewers for this answer, or one after all."""
        return await run_in_threadpool(self._second, request, await filled(request), id)

    def undo(self, request: Request, id: str) -> Response:
        """One's last verdict taken back, and its answer again."""
        if self.desk.find(caller(request), id) is None:
            return missing(request)
        self.desk.records.take_back_label(id, caller(request).person, by=named(request), where=where(request))
        return self.desk.notices.go(Wanted.read(request.query_params).address(f"/review/{id}"))

    def _judge(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        who, wanted = caller(request), Wanted.read(request.query_params)
        given = self.desk.find(who, id)
        verdict = next((each for each in VERDICTS if each == form.get("verdict")), None)
        if given is None or verdict is None:
            return missing(request)
        try:
            self._keep(request, form, given, verdict)
        except SHOWN as error:
            comment, corrected, source = (form.get(name, "") for name in ("comment", "corrected", "wrong_source"))
            typed = Label(id, who.person, verdict, comment, corrected, datetime.now(UTC), wrong_source=source)
            return self._page(request, id, typed=typed, problem=error)
        following = self.desk.next(who, wanted, but=id)
        if following is None:
            return self.desk.notices.go(wanted.address("/review", last=id))
        then, answer = following
        return self.desk.notices.go(then.address(f"/review/{answer}", last=id))

    def _keep(self, request: Request, form: ImmutableMultiDict[str, str], given: Given, verdict: str) -> None:
        """Keep a verdict with what was said with it. Raises TragError or StoreError where it may not be given."""
        who = caller(request)
        may, settles = self.desk.sight(who, given.review).may, form.get("may") == "settle"
        if may == "asked":
            raise TragError(
                "You asked this question yourself, so somebody else judges its answer.",
                "Say what you think of it where you asked: reviewers see it.",
            )
        if may == "look" or (settles and may != "settle"):
            raise TragError("This answer stands otherwise by now, so nothing was kept.", "Look at it again.")
        self.desk.records.put_label(
            given.record.id,
            who.person,
            verdict,
            remark(form.get("comment", "")),
            _corrected(form, given),
            wrong_source=_source(form, given),
            settles=settles,
            instead_of=given.review.standing,
            by=named(request),
            where=where(request),
        )

    def _second(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        if self.desk.find(caller(request), id) is None:
            return missing(request)
        wanted = form.get("wanted") == "yes"
        self.desk.records.reviewing.ask_second(id, wanted, by=named(request), where=where(request))
        told = "Two reviewers are wanted for this answer." if wanted else "One reviewer is enough for this answer."
        return self.desk.notices.go(Wanted.read(request.query_params).address(f"/review/{id}"), Notice(told))


def _corrected(form: ImmutableMultiDict[str, str], given: Given) -> str:
    """What the answer should have been, "" where that is what it was."""
    text = remark(form.get("corrected", ""))
    return "" if text == given.record.answer.strip() else text


def _source(form: ImmutableMultiDict[str, str], given: Given) -> str:
    """The source that was wrong: one of the answer's own, "" for none."""
    return next((each.id for each in given.record.sources if each.id == form.get("wrong_source")), "")
