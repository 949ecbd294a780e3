"""The page of the written procedures: which are in use, and others uploaded, looked at and activated.

GET shows and changes nothing; POST uploads, activates or discards, and sends the browser on to a page. Templates escape
what they are given: words come from files that nobody has checked.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from org.procedures.actions import Source
from org.procedures.changes import compare
from org.procedures.entries import COLUMNS as OF_KINDS
from org.procedures.entries import MAX_BYTES
from org.procedures.export import SAMPLE, workbook
from org.procedures.flows import Book, Procedure, Step, write
from org.procedures.graph import Graph
from org.procedures.reading import Report
from store.versions import Version
from trag.errors import TragError, later
from trag.flow import drafting
from trag.procedures import check, sections_of
from trag.version_files import File
from trag.web.documents.names import key
from trag.web.forms import Form, number
from trag.web.procedures.picture import picture
from trag.web.render import environment
from trag.web.responses import attachment, explain, table, there
from trag.web.versioned import Kind, Subject, VersionedPage
from trag.web.visitors import named
from trag.web.waiting_files import Waiting, WaitingFiles

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

FIRST = 10
"""Problems and changes that are shown at once."""
MOST = 500
"""Problems and changes that a page can unfold."""
SHOWN_AT_ONCE = 25
"""Procedures on a page."""
COLUMNS = {
    "id": later("A name without spaces, such as FindFlight or book-flight. Needed, each once."),
    "title": later("What it is called."),
    "description": later("What the action does, in a sentence."),
    "needs": later(
        "What must be at hand before, with ; between things; with | between those of which any one will do."
    ),
    "gives": later("What there is once it is done, with ; between things."),
    "unit": later("Whose action it is, as in the organization chart."),
    "for": later("Units whose people it is for, with ; between them; empty for everyone."),
    "document": later("The document that it is written in."),
    "section": later("The section: its heading, or the number that it begins with."),
    "when": later("When the procedure applies."),
    "step": later("One step in your own words: a row for each."),
    "actions": later("The ids of the actions of the step; empty: the planner chooses."),
    "runs": later(
        "Who does it in a workflow: person, built-in (this program) or hook (another one); empty for person."
    ),
    "fields": later("The names of what each record has, with ; between them."),
    "table": later("yes where the trigger is always about a table."),
}
"""What each column of a file of procedures means."""
KINDS = {
    "actions": later("Actions"),
    "procedures": later("Procedures"),
    "tables": later("Tables"),
    "triggers": later("Triggers"),
}
"""What the kinds of tables in it are called."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class ProceduresPage(VersionedPage):
    """What the routes share."""

    path = "/procedures"

    def __init__(self, home: Home) -> None:
        super().__init__(home.procedures, WaitingFiles(home.folder / "uploads" / "procedures"))
        self.home = home
        self._found = lru_cache(maxsize=20_000)(self._drafts_in)

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/procedures")
        router.get("")(self.show)
        router.get("/sample.xlsx")(self.sample)
        router.get("/found")(self.found)
        router.post("/found/take")(self.take)
        router.post("/uploads")(self.upload)
        router.get("/{kind}/{id}")(self.review)
        router.get("/{kind}/{id}/problems.csv")(self.problems)
        self.add_routes(router)
        router.get("/{kind}/{id}/procedures.json")(self.as_json)
        router.get("/{kind}/{id}/procedures.xlsx")(self.as_workbook)
        return router

    def show(self, request: Request) -> Response:
        """The procedures in use, what waits to be looked at, and every version."""
        book = self.kept.in_use
        versions = self.kept.versions.all()
        return _page(
            "active",
            book=book,
            now=versions[0] if versions else None,
            versions=versions,
            drafts=self.waiting.all(),
            done=next((each for each in versions[:1] if each.version == request.query_params.get("now")), None),
            columns=COLUMNS,
            tables={KINDS[kind]: columns for kind, columns in OF_KINDS.items()},
            largest=MAX_BYTES,
            **_drawn(book, request.query_params, "/procedures"),
        )

    def sample(self) -> Response:
        return attachment(workbook(SAMPLE), "procedures.xlsx", XLSX)

    def as_json(self, kind: Kind, id: str) -> Response:
        book = self._book(kind, id)
        return attachment(write(book), f"procedures-{book.version}.json", "application/json")

    def as_workbook(self, kind: Kind, id: str) -> Response:
        book = self._book(kind, id)
        return attachment(workbook(book), f"procedures-{book.version}.xlsx", XLSX)

    # Uploads

    async def upload(self, request: Request) -> Response:
        """Keep the file of a form, or several of a kind each."""
        async with request.form(max_files=len(OF_KINDS) + 1) as form:
            sent = [each for each in form.getlist("file") if isinstance(each, UploadFile) and each.filename]
            given: list[File] = [(each.filename or "", await each.read()) for each in sent]
        if not 1 <= len(given) <= len(OF_KINDS):
            raise TragError(
                later("More than %(most)s files were chosen.", most=len(OF_KINDS))
                if given
                else later("No file was chosen."),
                later("Choose one file, or a CSV of actions together with a CSV of procedures."),
            )
        draft = await run_in_threadpool(self.waiting.keep, given, named(request))
        return RedirectResponse(f"/procedures/uploads/{draft.id}", 303)

    # Found in documents

    def found(self, request: Request) -> Response:
        """The numbered lists of documents that read like procedures and are none yet, SHOWN_AT_ONCE from the `from`th
        one on. Documents are read one by one, and no further than the page needs."""
        first = number(request.query_params.get("from", ""))
        documents = self.home.records.library.documents()
        every = chain.from_iterable(self._found(each.name, each.sha256) for each in documents)
        some = [*islice(drafting.unwritten(every, self.kept.in_use), first, first + SHOWN_AT_ONCE + 1)]
        return _page(
            "found",
            found=[*enumerate(some[:SHOWN_AT_ONCE])],
            first=first,
            more=len(some) > SHOWN_AT_ONCE,
            at_once=SHOWN_AT_ONCE,
            actions=len(self.kept.in_use.actions) if self.kept.in_use else 0,
            key=key,
            nothing=request.query_params.get("ticked") == "none",
        )

    def take(self, request: Request, form: Form) -> Response:
        """The procedures in use and those ticked, as corrected on the page, as an upload that waits to be looked at."""
        chosen = [self._corrected(form, place) for place in form.getlist("take")]
        if not chosen:
            query = urlencode({"from": form.get("from", ""), "ticked": "none"})
            return RedirectResponse(f"/procedures/found?{query}", 303)
        content = write(drafting.with_drafts(self.kept.in_use, chosen))
        draft = self.waiting.keep([("found-in-documents.json", content)], named(request))
        return RedirectResponse(f"/procedures/uploads/{draft.id}", 303)

    def _drafts_in(self, document: str, _sha256: str) -> tuple[drafting.Draft, ...]:
        return tuple(drafting.drafts(document, self.home.records.library.passages(document)))

    @staticmethod
    def _corrected(form: Form, place: str) -> Procedure:
        """The procedure at a place of the list, with its title and steps as they were sent, a step a line."""
        names = ("id", "title", "when", "steps", "document", "section")
        told = {name: form.get(f"{name}-{place}", "") for name in names}
        return Procedure(
            told["id"],
            told["title"],
            told["when"],
            steps=tuple(Step(step) for line in told["steps"].splitlines() if (step := line.strip())),
            source=Source(told["document"], told["section"]),
        )

    # One draft, or one version

    def review(self, request: Request, kind: Kind, id: str) -> Response:
        """All there is to see before it is decided."""
        subject = self.asked(kind, id)
        report = self._report(subject)
        in_use = self.kept.versions.active()
        before = None
        with suppress(TragError):  # its file cannot be read: there is nothing to compare with
            before = self.kept.in_use
        same = bool(report.book and in_use and report.book.version == in_use.version)
        path = f"/procedures/{kind}/{id}"
        seen = request.query_params.get("seen")
        return _page(
            "review",
            subject=subject,
            draft=isinstance(subject, Waiting),
            path=path,
            problems={word: [one for one in report.problems if one.severity == word] for word in ("error", "warning")},
            book=report.book,
            before=before,
            changes=compare(before, report.book) if before and report.book and not same else None,
            in_use=in_use,
            same=same,
            overtaken=seen is not None and seen != (in_use.version if in_use else ""),
            first=FIRST,
            most=MOST,
            **_drawn(report.book, request.query_params, path),
        )

    def problems(self, kind: Kind, id: str) -> Response:
        subject = self.asked(kind, id)
        report = self._report(subject)
        rows = ((one.severity, one.place or str(one.row or ""), one.message, one.hint) for one in report.problems)
        return table(chain([("severity", "place", "problem", "what to do")], rows), "problems.csv")

    def activated(self, subject: Waiting, form: Form, by: str, against: str) -> Version | None:
        book = self._report(subject).book
        if book is None:
            return None
        return self.kept.activate(book, self.waiting.given(subject), by=by, instead_of=against)

    def _report(self, subject: Subject) -> Report:
        """What is wrong with a draft in this home, against its chart and documents; nothing is with a kept book."""
        if isinstance(subject, Version):
            return Report(self.kept.version(subject.version), ())
        given = self.waiting.given(subject)
        return check(given, self.home.organization.chart, sections_of(self.home.records.library))

    def _book(self, kind: Kind, id: str) -> Book:
        """The book that an address names. Raises Denied where there is none, or its file has errors."""
        return there(self._report(self.asked(kind, id)).book)


def mount(app: FastAPI, home: Home) -> ProceduresPage:
    """The routes of the page in `app`."""
    page = ProceduresPage(home)
    app.include_router(page.router())
    explain(app)
    return page


def _drawn(book: Book | None, query: Mapping[str, str], path: str) -> dict[str, object]:
    """The pictures that a page shows: SHOWN_AT_ONCE procedures from the `first` one on."""
    if book is None:
        return {"pictures": ()}
    first = number(query.get("from", ""))
    graph = Graph(book.for_plans.values())
    some = [*book.procedures.values()][first : first + SHOWN_AT_ONCE]
    return {
        "pictures": [(each, picture(each, book, graph)) for each in some],
        "start": first,
        "at_once": SHOWN_AT_ONCE,
        "address": lambda start: f"{quote(path)}?{urlencode({'from': start})}#drawn",
    }


def _page(name: str, **values: object) -> Response:
    return HTMLResponse(environment().get_template(f"procedures/{name}.html").render(here="/procedures", **values))
