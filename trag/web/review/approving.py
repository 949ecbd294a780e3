"""Approved answers: one pinned to its question for everybody who asks it, and the list of all of them.

Knows nothing about how a pinned answer is found and given.
"""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from trag.ask import LONGEST_QUESTION
from trag.errors import TragError
from trag.record import LONGEST_REMARK
from trag.web.evidence import documents_of
from trag.web.forms import filled
from trag.web.responses import Notice, missing
from trag.web.review import render
from trag.web.review.desk import Desk, readable
from trag.web.review.wanted import Wanted
from trag.web.visitors import caller, named, where


class ApprovingPage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the approved answers. Plain functions run in threads."""
        router.get("/approved")(self.show)
        router.post("/approved/{id}/unpin")(self.unpin)
        router.post("/{id}/pin")(self.pin)

    def show(self, request: Request) -> Response:
        """Those that are pinned, or those that came back, of what whoever looks may read."""
        state: Literal["pinned", "returned"] = (
            "returned" if request.query_params.get("state") == "returned" else "pinned"
        )
        hidden = self.desk.hidden(caller(request))
        approved = [each for each in self.desk.records.approved.all() if readable(each, hidden)]
        again = {each.id for each in self.desk.returned(hidden)}
        return HTMLResponse(render.approved(approved, state, again, notice=self.desk.notices.said(request)))

    async def pin(self, request: Request, id: str) -> Response:
        """Let an answer that was judged be given to everybody who asks its question."""
        return await run_in_threadpool(self._pin, request, await filled(request), id)

    def unpin(self, request: Request, id: str) -> Response:
        """Give it to nobody any more; its answer goes back into the queue."""
        found, hidden = self.desk.records.approved.get(id), self.desk.hidden(caller(request))
        if found is None or not readable(found, hidden):
            return missing(request)
        self.desk.records.approved.unpin(id, by=named(request), where=where(request))
        return self.desk.notices.go(
            "/review/approved", Notice("It is no longer given. Its answer is back in the queue.")
        )

    def _pin(self, request: Request, form: ImmutableMultiDict[str, str], id: str) -> Response:
        given = self.desk.find(caller(request), id)
        if given is None:
            return missing(request)
        record = given.record
        question, reply = (form.get(name, "").replace("\r\n", "\n").strip() for name in ("question", "reply"))
        if not question or not reply:
            raise TragError("An approved answer needs its question and its words.", "Fill in both.")
        if len(question) > LONGEST_QUESTION or len(reply) > LONGEST_REMARK:
            raise TragError(
                f"A question may have {LONGEST_QUESTION:,} characters, an answer {LONGEST_REMARK:,}.",
                "Shorten what is longer.",
            )
        stands_on_chart = any(source.kind == "chart" for source in record.sources)
        self.desk.records.approved.pin(
            id,
            question,
            reply,
            sorted(documents_of(record)),
            record.checks.chart if stands_on_chart else "",
            by=named(request),
            reviewer=caller(request).person,
            where=where(request),
        )
        told = Notice("Approved. Whoever asks this question, and may read what it stands on, is given it at once.")
        return self.desk.notices.go(Wanted.read(request.query_params).address(f"/review/{id}"), told)
