"""The page of the example questions, in whose manner a model writes pairs: read and edited.

Knows nothing about how pairs are written.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import ImmutableMultiDict

from store import StoreError
from trag.errors import TragError
from trag.ingest.parse.characters import counted
from trag.web.documents import render
from trag.web.documents.shelf import Shelf
from trag.web.forms import filled
from trag.web.responses import Notice
from trag.web.visitors import named

PATH = "/documents/examples"


class ExamplesPage:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/examples")(self.show)
        router.post("/examples")(self.save)

    def show(self, request: Request) -> Response:
        """The questions, and what they are good for."""
        return self._page(self.shelf.home.records.examples.all(), notice=self.shelf.notices.said(request))

    async def save(self, request: Request) -> Response:
        """What was typed, in the place of what was seen."""
        return await run_in_threadpool(self._save, request, await filled(request))

    def _save(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        typed, seen = form.get("questions", ""), form.get("seen", "").splitlines()
        try:
            questions = self.shelf.home.set_examples(typed, instead_of=seen, by=named(request))
        except TragError as error:
            return self._page(seen, typed=typed, problem=error, status=422)
        except StoreError as error:
            return self._page(self.shelf.home.records.examples.all(), typed=typed, problem=error, status=409)
        told = f"{counted(len(questions), 'example question')} saved." if questions else "There are no examples now."
        return self.shelf.notices.go(PATH, Notice(told))

    def _page(
        self,
        seen: Sequence[str],
        *,
        typed: str | None = None,
        problem: TragError | StoreError | None = None,
        notice: Notice | None = None,
        status: int = 200,
    ) -> Response:
        return HTMLResponse(render.examples(seen, typed=typed, problem=problem, notice=notice), status)
