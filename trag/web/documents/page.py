"""The page of the documents: what is there, what is being worked on, and files uploaded to be next.

GET shows and changes nothing; POST does one thing and sends the browser on to a page. Long work runs in the queue or in
threads: people who ask are answered meanwhile. Knows nothing about how a document is read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Body, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.requests import ClientDisconnect

from trag.errors import SHOWN, TragError, in_one_line
from trag.people.permissions import audience_of
from trag.web.documents import render
from trag.web.documents.document import DocumentPage
from trag.web.documents.drawn import Drawn
from trag.web.documents.examples import ExamplesPage
from trag.web.documents.listing import Asked, listing
from trag.web.documents.names import accepted
from trag.web.documents.pairs import PairsPage
from trag.web.documents.shelf import Shelf
from trag.web.documents.viewer import Viewer
from trag.web.documents.writing import PairWriting
from trag.web.forms import received
from trag.web.responses import explain
from trag.web.visitors import named

if TYPE_CHECKING:
    from store.jobs import Job
    from store.passage import Audience
    from trag.home import Home

log = logging.getLogger(__name__)


class DocumentsPage:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
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

    def show(self, request: Request) -> Response:
        """What is being worked on, and every document."""
        documents, jobs = self.shelf.library.documents(), self.shelf.home.queue.jobs()
        page = render.documents(
            documents,
            listing(documents, Asked.read(request.query_params), jobs, self.shelf.sections),
            jobs,
            self.shelf.home.organization.chart,
            writing=self.shelf.writing.now,
            notice=self.shelf.notices.said(request),
        )
        return HTMLResponse(page)

    def queue(self) -> Response:
        """The part of the page that changes while files are worked on."""
        return HTMLResponse(render.queue(self.shelf.home.queue.jobs(), self.shelf.writing.now))

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file that is worked on next. `name` is what it is called, each `unit` one that may read it
        where no document is called so yet; without one everyone may."""
        try:
            name = accepted(request.query_params.get("name", ""))
            units = request.query_params.getlist("unit")
            audience = audience_of(units, self.shelf.home.organization.chart)
            async with received(request.stream(), self.shelf.home.folder / "uploads") as file:
                job: Job = await run_in_threadpool(self._add, file.path, name, audience, named(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except SHOWN as error:
            return JSONResponse({"detail": in_one_line(error)}, status_code=422)
        return JSONResponse({"job": job.id, "name": job.name}, status_code=201)

    def present(self, names: Annotated[list[str], Body()]) -> Response:
        """Which of these names a document has already, or a file that waits to be one: an upload would replace it."""
        there = {document.name for document in self.shelf.library.documents()}
        there |= {job.name for job in self.shelf.home.queue.jobs() if job.state in ("waiting", "working")}
        return JSONResponse({"present": [name for name in names if _kept(name) in there]})

    def cancel(self, id: str) -> Response:
        """Work on a file no more."""
        self.shelf.home.queue.cancel(id)
        return self.shelf.notices.go("/documents")

    def retry(self, id: str) -> Response:
        """Work on a file again that failed or was cancelled."""
        self.shelf.home.queue.retry(id)
        return self.shelf.notices.go("/documents")

    def clear(self) -> Response:
        """Forget what has ended."""
        self.shelf.home.queue.clear()
        return self.shelf.notices.go("/documents")

    def write(self, request: Request) -> Response:
        """Have the model write pairs, or go on with that."""
        self.shelf.writing.begin(by=named(request))
        log.info("%s began the writing of pairs", named(request))
        return self.shelf.notices.go("/documents")

    def stop_writing(self, request: Request) -> Response:
        """End it where it is."""
        self.shelf.writing.stop()
        log.info("%s stopped the writing of pairs", named(request))
        return self.shelf.notices.go("/documents")

    def dismiss_writing(self) -> Response:
        """Say no more of what has ended."""
        self.shelf.writing.dismiss()
        return self.shelf.notices.go("/documents")

    def _add(self, path: Path, name: str, audience: Audience, by: str) -> Job:
        job = self.shelf.home.queue.add(path.read_bytes(), name, by=by, audience=audience)
        log.info("%s uploaded a document", by)
        return job


def mount(
    app: FastAPI, home: Home, *, ready: Callable[[], object] = lambda: None, busy: Callable[[], bool] = lambda: False
) -> Shelf:
    """The routes of every page of the documents in `app`. `ready` returns when questions can be answered, and raises
    why they cannot; `busy` is whether people are being answered: they go before the writing of pairs."""
    shelf = Shelf(home, Drawn(home.folder / "cache" / "pages"), PairWriting(home, ready, busy))
    router = APIRouter(prefix="/documents")
    for page in (DocumentsPage(shelf), PairsPage(shelf), ExamplesPage(shelf), Viewer(shelf), DocumentPage(shelf)):
        page.routes(router)
    app.include_router(router)
    explain(app)
    return shelf


def _kept(name: str) -> str:
    """The name of an uploaded document as it is kept, "" for one that is refused."""
    try:
        return accepted(name)
    except TragError:
        return ""
