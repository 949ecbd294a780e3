"""The page of documents in force that say different things of the same matter."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from store.conflict import ConflictState, Side
from trag.errors import SHOWN
from trag.web.documents.context import DocumentsContext, page
from trag.web.documents.names import key
from trag.web.language import gettext as _
from trag.web.language import in_words
from trag.web.responses import Notice
from trag.web.visitors import named

_PATH = "/documents/conflicts"


class ConflictsPage:
    """The routes of the page."""

    def __init__(self, context: DocumentsContext) -> None:
        self.context = context
        self.conflicts = context.home.records.conflicts

    def routes(self, router: APIRouter) -> None:
        router.get("/conflicts")(self.show)
        router.post("/conflicts/{id}/none")(self.deny)
        router.post("/conflicts/{id}/open")(self.reopen)

    def show(self, request: Request) -> Response:
        kept = self.conflicts.all()
        return page(
            "conflicts",
            conflicts=[each for each in kept if each.state == "open"],
            denied=[each for each in kept if each.state == "none"],
            opens=_opens,
            titles={each.name: each.called for each in self.context.library.documents()},
            notice=self.context.notices.said(request),
        )

    def deny(self, request: Request, id: str) -> Response:
        """No answer tells of it any more."""
        return self._set(request, id, "none", _("Answers no longer tell of it."))

    def reopen(self, request: Request, id: str) -> Response:
        return self._set(request, id, "open", _("Answers tell of it again."))

    def _set(self, request: Request, id: str, state: ConflictState, text: str) -> Response:
        try:
            self.conflicts.set_state(id, state, by=named(request))
        except SHOWN as error:
            return self.context.notices.go(_PATH, Notice(in_words(error), good=False))
        return self.context.notices.go(_PATH, Notice(text))


def _opens(side: Side) -> str:
    """The address of a document."""
    return f"/documents/{key(side.document)}"
