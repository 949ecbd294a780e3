"""The page of one document: what was odd in it, its sections with their pairs, who may read it, and its end.

Knows nothing about how a document is read or forgotten.
"""

from __future__ import annotations

import logging
import threading

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import ImmutableMultiDict

from store.passage import EVERYONE, OPEN, read_audience
from trag.errors import SHOWN, TragError, in_one_line
from trag.people.permissions import audience_of
from trag.web.documents import render
from trag.web.documents.contents import MOST, contents
from trag.web.documents.listing import Asked
from trag.web.documents.names import key
from trag.web.documents.readers import find, readers
from trag.web.documents.shelf import Shelf
from trag.web.forms import filled
from trag.web.responses import Notice, attachment, missing
from trag.web.visitors import named

log = logging.getLogger(__name__)


class DocumentPage:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._one_at_a_time = threading.Lock()

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/units")(self.units)
        router.get("/{key}")(self.show)
        router.get("/{key}/original")(self.original)
        router.post("/{key}/audience")(self.audience)
        router.post("/{key}/delete")(self.delete)

    def show(self, request: Request, key: str) -> Response:
        """Everything about a document."""
        document = self.shelf.readable(request, key)
        if document is None:
            return missing(request)
        library, chart = self.shelf.library, self.shelf.home.organization.chart
        pairs = library.pairs(document.name)
        sections = contents(library.passages(document.name), pairs)
        first = Asked.read(request.query_params).first
        page = render.document(
            document,
            sections[first : first + MOST],
            first=first,
            total=len(sections),
            vouched=sum(pair.state == "approved" for pair in pairs),
            readers=readers(document.audience, chart),
            chart=chart,
            notice=self.shelf.notices.said(request),
        )
        return HTMLResponse(page)

    def original(self, request: Request, key: str) -> Response:
        """The file as it was given, to be kept and never shown."""
        document = self.shelf.readable(request, key)
        content = self.shelf.home.original(document.name) if document else None
        if document is None or content is None:
            return missing(request)
        return attachment(content, document.name.rsplit("/", 1)[-1], "application/octet-stream")

    def units(self, words: str = "") -> Response:
        """The units of the chart that are called so."""
        found = find(self.shelf.home.organization.chart, words[:200])
        rows = [{"id": each.id, "name": each.name, "under": each.under} for each in found]
        return JSONResponse(rows, headers={"cache-control": "no-store"})

    async def audience(self, request: Request, key: str) -> Response:
        """Who may read it from now on."""
        return await run_in_threadpool(self._set_audience, request, key, await filled(request))

    async def delete(self, request: Request, key: str) -> Response:
        """Remove it everywhere, and go on to the receipt."""
        return await run_in_threadpool(self._delete, request, key)

    def _set_audience(self, request: Request, wanted: str, form: ImmutableMultiDict[str, str]) -> Response:
        document = self.shelf.find(wanted)
        if document is None:
            return missing(request)
        path = f"/documents/{key(document.name)}#readers"
        everyone, units = form.get("readers") == EVERYONE, [unit for unit in form.getlist("unit") if unit]
        seen = form.get("instead_of")
        instead_of = None if seen is None else read_audience(seen.replace("\r\n", "\n"))
        try:
            if not everyone and not units:
                raise TragError("Who may read it is not set: no unit was chosen.", "Choose one, or everyone.")
            chart = self.shelf.home.organization.chart
            audience = OPEN if everyone else audience_of(units, chart, kept=document.audience)
            self.shelf.home.set_audience(document.name, audience, instead_of=instead_of, by=named(request))
        except SHOWN as error:
            return self.shelf.notices.go(path, Notice(in_one_line(error), good=False))
        log.info("%s changed who may read a document", named(request))
        told = "Everyone may read it." if everyone else "Only these units, and everybody below them, may read it."
        return self.shelf.notices.go(path, Notice(told))

    def _delete(self, request: Request, wanted: str) -> Response:
        with self._one_at_a_time:  # a second press finds nothing to delete, or what the first could not
            document = self.shelf.find(wanted)
            leaving = (each.name for each in self.shelf.library.leaving() if key(each.name) == wanted)
            name = document.name if document else next(leaving, None)
            if name is None:
                return missing(request)
            receipt = self.shelf.home.forget(name, by=named(request))
        log.info("%s deleted a document", named(request))
        told = "Answers that quoted it keep their words; their source is marked as withdrawn."
        whole = "is deleted." if not receipt.left else "is shown to nobody any more, but not all of it is deleted yet."
        return self.shelf.notices.go("/documents", Notice(f"{name} {whole}", not receipt.left, (str(receipt), told)))
