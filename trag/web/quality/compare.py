"""Two runs side by side, question by question: what became better, what worse, and whether that could be chance.

Knows nothing about how answers are scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from trag.evaluate.comparing import compare
from trag.evaluate.runs import Run
from trag.web.quality import render
from trag.web.quality.desk import Desk
from trag.web.quality.pairing import CHANGES, Answer, pairs
from trag.web.quality.wanted import Wanted
from trag.web.responses import missing
from trag.web.visitors import caller


@dataclass(frozen=True, slots=True)
class Side:
    """The answers of one system in one run."""

    run: Run
    system: str

    @property
    def key(self) -> str:
        """What stands for it in an address."""
        return f"{self.run.id}/{self.system}"


class ComparePage:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/compare")(self.show)

    def show(self, request: Request) -> Response:
        """The questions that both sides answered; without sides in the address, those that are near at hand."""
        sides = [Side(run, system) for run in self.desk.results.runs() for system in run.systems]
        chosen = _chosen(sides, request.query_params)
        if chosen is None:
            return HTMLResponse(render.nothing_to_compare())
        before, after = chosen
        if before is None or after is None:
            return missing(request)
        answers = self._answers(request, before), self._answers(request, after)
        page = render.compare(
            sides,
            before,
            after,
            pairs(*answers),
            compare(*([answer.result for answer in side] for side in answers)),
            Wanted.read(request.query_params),
            change=next((each for each in CHANGES if each == request.query_params.get("change")), ""),
        )
        return HTMLResponse(page)

    def _answers(self, request: Request, side: Side) -> tuple[Answer, ...]:
        """The answers of a side, as far as whoever looks may read them."""
        answers = tuple(each for each in self.desk.answers(side.run) if each.result.system == side.system)
        return self.desk.open_to(caller(request), side.run, answers)


def _chosen(sides: Sequence[Side], query: Mapping[str, str]) -> tuple[Side | None, Side | None] | None:
    """The sides that an address names, None for one that is not there; None where there are no two to choose from."""
    by_key = {side.key: side for side in sides}
    if query.get("before") and query.get("after"):
        return by_key.get(query["before"]), by_key.get(query["after"])
    for place, after in enumerate(sides):
        same_set = [side for side in sides[place + 1 :] if side.run.cases_sha256 == after.run.cases_sha256]
        same_set.sort(key=lambda side: side.system != after.system)  # the same system before, if there is one
        if same_set:
            return same_set[0], after
    return None
