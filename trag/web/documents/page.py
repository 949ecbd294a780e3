"""The page of the documents: the table of what is there, what is being worked on, and files uploaded to be next.

GET shows and changes nothing; POST does one thing and sends the browser on to a page. Long work runs in the queue or in
threads: people who ask are answered meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from store.standing import Period, Standing
from trag.errors import SHOWN, TragError, later
from trag.folders.runner import FolderRunner
from trag.ingest.parse.formats import FORMATS
from trag.people.permissions import audience_of
from trag.sandbox import Limits
from trag.validity import to_review
from trag.web.documents import readable
from trag.web.documents.conflicts import ConflictsPage
from trag.web.documents.context import DocumentsContext, page
from trag.web.documents.document import DocumentPage, readers
from trag.web.documents.folders import FoldersPage
from trag.web.documents.indexing import Indexing
from trag.web.documents.names import accepted
from trag.web.documents.pair_writing import ExamplesPage, PairWriting
from trag.web.documents.pairs import PairsPage
from trag.web.documents.validity import ValidityPage
from trag.web.documents.viewer import PageCache, Viewer
from trag.web.forms import Upload, number, received
from trag.web.language import gettext as _
from trag.web.language import in_words
from trag.web.responses import explain
from trag.web.visitors import caller, named

if TYPE_CHECKING:
    from store.jobs import Job
    from store.library import Document
    from store.passage import Audience
    from trag.home import Home

log = logging.getLogger(__name__)

MOST = 100
"""Documents on a page."""

ENDINGS = (
    later("The uploaded file is no longer there."),
    later("Upload it again."),
    later("Cancelled."),
    later("A fault in the program."),
    later("Its log says more."),
)
"""What the queue says of uploads that came to nothing, beside what was wrong with the file."""

ORDERS: dict[str, Callable[[Document], Any]] = {
    "name": lambda document: document.called.casefold(),
    "pages": lambda document: document.pages or 0,
    "added": lambda document: document.added,
}


@dataclass(frozen=True, slots=True)
class TableQuery:
    """What the table of documents is to show: words in their names, an order (descending with "-" before it), the first
    row, and whether only documents with problems, or past their review."""

    words: str = ""
    order: str = "-added"
    first: int = 0
    problems: bool = False
    review: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> TableQuery:
        """What the query of an address asks for; nonsense in it is left alone."""
        order = query.get("order", "")
        return cls(
            " ".join(query.get("words", "").split()),
            order if order.removeprefix("-") in ORDERS else cls().order,
            number(query.get("first", "")),
            bool(query.get("problems")),
            bool(query.get("review")),
        )

    def turned(self, column: str) -> str:
        """The order that a press on a column's head asks for: the other way round when it is ordered by that one."""
        first = column if column == "name" else f"-{column}"
        other = f"-{column}" if column == "name" else column
        return other if self.order == first else first


@dataclass(frozen=True, slots=True)
class Row:
    """A document, and what is wrong with it: why a newer version failed, what was odd in it.

    It is searched all the time, also while it is being replaced, and after a newer version failed.
    """

    document: Document
    state: Literal["searched", "replacing", "failed"]
    problems: tuple[str, ...]
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of one page, how many there are in all, how many documents have problems, whatever is asked for, and
    which are past their review, the longest first."""

    query: TableQuery
    rows: tuple[Row, ...]
    total: int
    troubled: int
    due: tuple[str, ...] = ()


def listing(
    documents: Sequence[Document],
    query: TableQuery,
    jobs: Sequence[Job],
    standings: Callable[[Collection[str]], Mapping[str, Standing]] = lambda _: {},
    due: tuple[str, ...] = (),
) -> Listing:
    """The documents that are asked for; those that are equal in the order stay by name. `jobs` are the uploads, the
    newest first; `standings` says how those of names stand today, and `due` are past their review."""
    latest: dict[str, Job] = {}
    for job in jobs:
        latest.setdefault(job.name, job)
    replacing = {job.name for job in jobs if job.state in ("waiting", "working")}
    failed = {
        each.name: last
        for each in documents
        if (last := latest.get(each.name)) and last.state == "failed" and last.added > each.added
    }

    def row(document: Document) -> Row:
        job = failed.get(document.name)
        state: Literal["searched", "failed"] = "failed" if job else "searched"
        failure = (
            (_("A newer version failed: %(why)s") % {"why": f"{_(job.message)} {_(job.hint)}".rstrip()},) if job else ()
        )
        return Row(
            document,
            "replacing" if document.name in replacing else state,
            (*failure, *document.notes),
        )

    troubled = {each.name for each in documents if each.notes or each.name in failed}
    words = query.words.casefold().split()
    found = [
        each
        for each in documents
        if all(word in f"{each.called} {each.name} {each.by}".casefold() for word in words)
        and (not query.problems or each.name in troubled)
        and (not query.review or each.name in due)
    ]
    found.sort(key=ORDERS["name"])
    found.sort(key=ORDERS[query.order.removeprefix("-")], reverse=query.order.startswith("-"))
    shown = found[query.first : query.first + MOST]
    stand = standings([each.name for each in shown])
    rows = tuple(replace(row(each), standing=stand.get(each.name)) for each in shown)
    return Listing(query, rows, len(found), len(troubled), due)


class DocumentsPage:
    """The routes of the page, the background jobs that write pairs and make the index, and the cache of drawn pages."""

    def __init__(
        self,
        context: DocumentsContext,
        writing: PairWriting,
        indexing: Indexing,
        cache: PageCache,
        folders: FolderRunner,
    ) -> None:
        self.context = context
        self.home = context.home
        self.writing = writing
        self.indexing = indexing
        self.cache = cache
        self.folders = folders

    def begin(self) -> None:
        """Resume what was being worked on when the app was closed, and clear away what was left."""
        _ = self.home.queue
        self.indexing.begin()
        self.cache.keep_only({document.sha256 for document in self.context.library.documents()})
        self.folders.start()

    def routes(self, router: APIRouter) -> None:
        router.get("")(self.show)
        router.get("/queue")(self.queue)
        router.post("/uploads")(self.upload)
        router.post("/present")(self.present)
        router.post("/queue/clear")(self.clear)
        router.post("/queue/{id}/cancel")(self.cancel)
        router.post("/queue/{id}/retry")(self.retry)
        router.post("/writing")(self.write)
        router.post("/writing/stop")(self.stop_writing)
        router.post("/writing/dismiss")(self.dismiss_writing)
        router.post("/indexing/dismiss")(self.dismiss_indexing)

    def show(self, request: Request) -> Response:
        """What is being worked on, and every document; for others than admins those that they may read."""
        if not caller(request).may("admin"):
            return readable.show(self.context, request)
        documents, jobs = self.context.library.documents(), self.home.queue.jobs()
        chart, validity = self.home.organization.chart, self.home.records.validity
        today = date.today()
        standings, due = partial(validity.standings, period=Period.of(today)), to_review(validity.all(), today)
        query = TableQuery.read(request.query_params)
        return page(
            "list",
            documents=documents,
            listing=listing(documents, query, jobs, standings, due),
            pairs=self.context.library.count_pairs(states=("made", "review", "approved")),
            most=MOST,
            jobs=jobs,
            writing=self.writing.now,
            indexing=self.indexing.now,
            readers=lambda document: readers(document.audience, chart),
            chart=chart,
            conflicts=sum(each.state == "open" for each in self.home.records.conflicts.all()),
            notice=self.context.notices.said(request),
            largest=Limits().file_bytes,
            formats=FORMATS,
        )

    def queue(self) -> Response:
        return page("queue", jobs=self.home.queue.jobs(), writing=self.writing.now, indexing=self.indexing.now)

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file that is worked on next. `name` is what it is called, each `unit` one that may read it
        where no document is called so yet; without one everyone may. Nothing is done with one that is there already."""
        try:
            name = accepted(request.query_params.get("name", ""))
            units = request.query_params.getlist("unit")
            audience = audience_of(units, self.home.organization.chart)
            async with received(request.stream(), self.home.folder / "uploads") as file:
                job = await run_in_threadpool(self._add, file, name, audience, named(request))
        except SHOWN as error:
            return JSONResponse({"detail": in_words(error)}, status_code=422)
        if job is None:
            return JSONResponse({"unchanged": name})
        return JSONResponse({"job": job.id, "name": job.name}, status_code=201)

    def _add(self, file: Upload, name: str, audience: Audience, by: str) -> Job | None:
        """In a thread: who asks for the queue first opens it, and waits while another part of the home is opened."""
        if self._present().get(name) == file.sha256:
            return None
        job = self.home.queue.add(file.path.read_bytes(), name, by=by, audience=audience)
        log.info("%s uploaded a document", by)
        return job

    def present(self, names: Annotated[list[str], Body()]) -> Response:
        """Those of these names that a document has already, or a file that waits to be one, each with the sha256 of
        what is called so: an upload of anything else would replace it."""
        there = self._present()
        present = {}
        for name in names:
            try:
                kept = accepted(name)
            except TragError:
                continue  # an upload of it will be refused
            if kept in there:
                present[name] = there[kept]
        return JSONResponse({"present": present})

    def _present(self) -> dict[str, str]:
        """The documents, and in their place what waits to take it, by name: the sha256 of each."""
        there = {document.name: document.sha256 for document in self.context.library.documents()}
        waiting = [job for job in self.home.queue.jobs() if job.state in ("waiting", "working")]
        return there | {job.name: job.sha256 for job in reversed(waiting)}

    def cancel(self, id: str) -> Response:
        self.home.queue.cancel(id)
        return self.context.notices.go("/documents")

    def retry(self, id: str) -> Response:
        self.home.queue.retry(id)
        return self.context.notices.go("/documents")

    def clear(self) -> Response:
        self.home.queue.clear()
        return self.context.notices.go("/documents")

    def write(self, request: Request) -> Response:
        """Have the model write pairs, or resume that."""
        self.writing.begin(by=named(request))
        log.info("%s began the writing of pairs", named(request))
        return self.context.notices.go("/documents")

    def stop_writing(self, request: Request) -> Response:
        self.writing.stop()
        log.info("%s stopped the writing of pairs", named(request))
        return self.context.notices.go("/documents")

    def dismiss_writing(self) -> Response:
        self.writing.dismiss()
        return self.context.notices.go("/documents")

    def dismiss_indexing(self) -> Response:
        self.indexing.dismiss()
        return self.context.notices.go("/documents")


def mount(
    app: FastAPI, home: Home, *, ready: Callable[[], object] = lambda: None, busy: Callable[[], bool] = lambda: False
) -> DocumentsPage:
    """The routes of every page of the documents in `app`. `ready` returns when questions can be answered, and raises
    why they cannot; `busy` is whether people are being answered: they go before the writing of pairs."""
    context, cache = DocumentsContext(home), PageCache(home.folder / "cache" / "pages")
    runner = FolderRunner(home)
    writing, indexing = PairWriting(home, ready, busy), Indexing(home, ready, busy)
    documents = DocumentsPage(context, writing, indexing, cache, runner)
    router = APIRouter(prefix="/documents")
    pages = (
        PairsPage(context),
        ExamplesPage(context),
        ValidityPage(context),
        FoldersPage(context, runner),
        ConflictsPage(context),
    )
    for each in (documents, *pages, Viewer(context, cache), DocumentPage(context)):
        each.routes(router)
    app.include_router(router)
    explain(app)
    return documents
