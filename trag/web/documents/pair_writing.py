"""The writing of pairs by the model: the background job, and the page of the example questions in whose manner it
writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from store import StoreError
from trag.background import BackgroundJob
from trag.errors import TragError
from trag.ingest.pairs import LONGEST_EXAMPLE
from trag.pairs.writing import MOST_EXAMPLES
from trag.progress import Cancelled
from trag.web.documents.context import DocumentsContext, page
from trag.web.forms import Form
from trag.web.language import counted
from trag.web.language import gettext as _
from trag.web.responses import Notice
from trag.web.visitors import named

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class WritingProgress:
    """How far it has come: `done` of `total` sections; `pairs` are how many new ones came of it, 0 until it is over."""

    done: int = 0
    total: int = 0
    pairs: int = 0


class PairWriting(BackgroundJob[WritingProgress]):
    """The writing of one home that goes on, or went on last. Whoever asks goes first: a passage that is being written
    about is begun again after them."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        super().__init__("The writing of pairs", ready, busy)
        self._home = home

    def begin(self, *, by: str) -> None:
        """Write about the sections that have no pairs yet. Raises TragError while that goes on."""
        self._start(WritingProgress(), partial(self._write, by))

    def _write(self, by: str, stop: threading.Event) -> bool:
        def pause() -> None:
            self._give_way()
            if stop.is_set():
                raise Cancelled

        def progress(step: str, done: int, total: int) -> None:
            self._tell(WritingProgress(done, total), done=done, total=total)

        written = self._home.write_pairs(
            by=by, progress=progress, pause=pause, interrupted=lambda: stop.is_set() or self._busy()
        )
        self._tell(WritingProgress(written.sections, written.total, written.pairs))
        return written.whole


class ExamplesPage:
    """The routes of the example questions."""

    def __init__(self, context: DocumentsContext) -> None:
        self.context = context

    def routes(self, router: APIRouter) -> None:
        router.get("/examples")(self.show)
        router.post("/examples")(self.save)

    def show(self, request: Request) -> Response:
        """The questions, and what they are good for."""
        return self._page(self.context.home.records.examples.all(), notice=self.context.notices.said(request))

    def save(self, request: Request, form: Form) -> Response:
        """What was typed, in the place of what was seen."""
        typed, seen = form.get("questions", ""), form.get("seen", "").splitlines()
        try:
            questions = self.context.home.set_examples(typed, instead_of=seen, by=named(request))
        except TragError as error:
            return self._page(seen, 422, typed=typed, problem=error)
        except StoreError as error:
            return self._page(self.context.home.records.examples.all(), 409, typed=typed, problem=error, changed=True)
        text = _("There are no examples now.")
        if questions:
            text = counted("%(num)s example question saved.", "%(num)s example questions saved.", len(questions))
        return self.context.notices.go("/documents/examples", Notice(text))

    def _page(self, seen: Sequence[str], status: int = 200, **values: object) -> Response:
        """The questions that whoever looks is taken to have `seen`, and what was typed where there is a problem."""
        values = {"typed": None, "problem": None, "notice": None, "changed": False} | values
        return page("examples", status, seen_questions=seen, most=MOST_EXAMPLES, longest=LONGEST_EXAMPLE, **values)
