"""A source opened at its place: a page of a PDF with the passage on it, or the passage in the text around it.

What is looked for comes from the records: an address names a passage and an answer, and never carries words.
Knows nothing about how a page is drawn or a place is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from store.passage import Passage
from trag import view
from trag.errors import TragError, in_one_line
from trag.people.permissions import opened
from trag.record import AnswerRecord
from trag.web.documents import render
from trag.web.documents.shelf import Shelf
from trag.web.evidence import documents_of
from trag.web.forms import number
from trag.web.responses import missing
from trag.web.visitors import caller

if TYPE_CHECKING:
    from store.library import Document
    from trag.view import PageView

AROUND = 60
"""Passages that are shown before and after the one that is asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is looked for in a document: a stretch of its text, and the sentences of an answer that it bears out.

    `here` is the passage that is shown, which for a pair is the one it was made from; `quoted` is what was asked for,
    None for the whole document, whose beginning is `here`. `question` is what the answer answers; `changed`: the
    document no longer has the passage as the answer quoted it.
    """

    passages: tuple[Passage, ...]
    here: Passage | None
    quoted: Passage | None = None
    support: tuple[str, ...] = ()
    question: str = ""
    changed: bool = False


class Viewer:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def routes(self, router: APIRouter) -> None:
        """Every route of the viewer. Plain functions run in threads."""
        router.get("/{key}/view")(self.show)
        router.get("/{key}/pages/{number}.png")(self.picture)

    def show(self, request: Request, key: str, passage: str = "", answer: str = "", page: str = "") -> Response:
        """The source at its place; `page` is another page of it, nonsense in it is left alone."""
        document = self.shelf.readable(request, key)
        if document is None:
            return missing(request)
        place = self._place(request, document, passage, answer)
        if place is None:
            return missing(request)
        if not is_drawn(document):
            return HTMLResponse(self._text(document, place))
        shown = number(page) or (place.here.page if place.here and place.here.page else 1)
        try:
            drawn = self._drawn(document, place, shown)
        except TragError as error:
            return HTMLResponse(self._text(document, place, in_one_line(error)))
        return HTMLResponse(render.page(document, place, drawn, passage=passage, answer=answer))

    def picture(self, request: Request, key: str, number: int, passage: str = "", answer: str = "") -> Response:
        """A page as a picture, which stays as it is for as long as the document does."""
        document = self.shelf.readable(request, key)
        place = self._place(request, document, passage, answer) if document else None
        if document is None or place is None or not is_drawn(document):
            return missing(request)
        headers = {"etag": f'"{document.sha256[:32]}-{number}"', "cache-control": "private, no-cache"}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(self._drawn(document, place, number).image, media_type="image/png", headers=headers)

    def _text(self, document: Document, place: Place, problem: str = "") -> str:
        alone = place.here is not None and place.here is place.quoted and place.changed
        passages = (place.here,) if alone and place.here else place.passages
        found = view.text(passages, place.here.id, place.support, around=AROUND) if place.here else None
        return render.text(document, place, found, problem=problem)

    def _drawn(self, document: Document, place: Place, number: int) -> PageView:
        # A passage may begin on the page before and go on on the next; on others there is nothing to be found.
        near = place.here and place.here.page and abs(place.here.page - number) <= 1
        there = place.here if place.quoted and near else None
        words, support = (there.text, place.support) if there else ("", ())
        return self.shelf.drawn.page(
            lambda: self._original(document), document.sha256, document.name, number, words, support
        )

    def _original(self, document: Document) -> bytes:
        content = self.shelf.home.original(document.name)
        if content is None:
            raise TragError("The original is no longer here.", "Upload the document again.")
        return content

    def _place(self, request: Request, document: Document, passage: str, answer: str) -> Place | None:
        """What is looked for, None where there is no such passage."""
        passages = tuple(self.shelf.library.passages(document.name))
        if not passage:
            return Place(passages, next((each for each in passages if each.kind == "section"), None))
        record = self._record(request, answer)
        support, asked = _support(record, passage), record.question if record else ""
        wanted, pair = passage, self.shelf.library.pair(passage.partition("-")[0])
        if pair is not None and pair.document == document.name:
            # Also one that is not searched opens, and one that says something else by now opens where it was made.
            passages = (*(each for each in passages if each.id != pair.passage.id), pair.passage)
            support = support or ((pair.source,) if pair.source else ())
            wanted = pair.passage.id
        current = next((each for each in passages if each.id == wanted), None)
        told = _told(record, document, passage)
        if current is not None and (told is None or told.text == current.text):
            return Place(passages, view.source(passages, wanted), current, support, asked)
        if told is None:
            return None
        if current is not None:
            return Place(passages, view.source(passages, wanted), told, support, asked, changed=True)
        return Place((*passages, told), told, told, support, asked, changed=True)

    def _record(self, request: Request, answer: str) -> AnswerRecord | None:
        """An answer that was given to whoever asks; or any, to a reviewer who may read all that it stands on."""
        home, who = self.shelf.home, caller(request)
        stored = home.records.answer(answer) if answer else None
        if stored is None:
            return None
        record = AnswerRecord.from_json(stored.record_json)
        if stored.conversation and home.records.owns(who.person, stored.conversation):
            return record
        readable = opened(who, documents_of(record), self.shelf.library, home.organization.chart)
        return record if who.may("reviewer") and all(readable.values()) else None


def is_drawn(document: Document) -> bool:
    """Whether a document is shown as pages."""
    return document.name.lower().endswith(".pdf")


def _told(record: AnswerRecord | None, document: Document, passage: str) -> Passage | None:
    """A passage of a document as an answer quoted it."""
    for each in record.sources if record else ():
        if each.id == passage and each.document == document.name:
            return Passage(passage, "section", each.document, each.section, each.page, each.text, each.question)
    return None


def _support(record: AnswerRecord | None, passage: str) -> tuple[str, ...]:
    """The sentences of an answer that stand on a passage."""
    sentences = record.checks.sentences if record else ()
    return tuple(each.evidence or each.text for each in sentences if each.supported and each.source == passage)
