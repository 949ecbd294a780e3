"""Answers by themselves: one that its asker shows to others, and a conversation to keep as a file.

GET shows and changes nothing; POST shares an answer, or ends that. Others see no more of an answer than what stands on
sources that they may read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from store.library import words_of_name
from store.records import StoredAnswer
from trag.home import Home
from trag.people import CurrentUser
from trag.people.permissions import opened
from trag.record import AnswerRecord
from trag.web import made
from trag.web.evidence import evidence, named_in, of_document
from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.language import moment
from trag.web.render import NEIGHBOURS, environment, pieces
from trag.web.responses import Denied, Notices, explain, saved_as, there
from trag.web.visitors import caller


@dataclass(frozen=True, slots=True)
class AnswersPage:
    """What the routes share."""

    home: Home
    notices: Notices = field(default_factory=Notices)

    def router(self) -> APIRouter:
        router = APIRouter()
        router.get("/answers/{id}")(self.show)
        router.post("/answers/{id}/share")(self.share)
        router.post("/answers/{id}/share/end")(self.share_no_more)
        router.get("/conversations/{id}/conversation.md")(self.markdown)
        return router

    def show(self, request: Request, id: str) -> Response:
        """An answer of one's own, or what one may see of an answer that is shared with one."""
        who, records, chart = caller(request), self.home.records, self.home.organization.chart
        stored, asker = self._kept(id)
        is_own = asker == who.person
        if not is_own and who.person not in records.shares.people(id):
            raise Denied
        record = AnswerRecord.from_json(stored.record_json)
        documents = opened(who, named_in(record), records.library, chart)
        record = record if is_own else there(permitted(record, documents))
        found = evidence(record, chart, documents)
        person = None if is_own else records.people.get(asker)
        page = (
            environment()
            .get_template("answers/answer.html")
            .render(
                record=record,
                given=stored.created,
                pieces=pieces(record, found),
                used=[each for each in found if each.used],
                neighbours=NEIGHBOURS,
                is_own=is_own,
                by=person.shown if person else "",
                accounts=records.people.exist(),
                shared_with=made.shared_with(records, id) if is_own else (),
                address=f"{self.home.settings.url}/answers/{id}",
                notice=self.notices.said(request),
            )
        )
        return HTMLResponse(page)

    def share(self, request: Request, form: Form, id: str) -> Response:
        """Let somebody see an answer, as far as they may read what it stands on."""
        self._own(caller(request), id)
        return made.share(self.home.records, self.notices, request, form, id, f"/answers/{id}", "answer")

    def share_no_more(self, request: Request, form: Form, id: str) -> Response:
        """Let somebody see an answer no more."""
        self._own(caller(request), id)
        return made.share_no_more(self.home.records, self.notices, request, form, id, f"/answers/{id}", "answer")

    def markdown(self, request: Request, id: str) -> Response:
        """A conversation of one's own as Markdown, one turn after the other as they are read."""
        who, records, chart = caller(request), self.home.records, self.home.organization.chart
        if not records.owns(who.person, id):
            raise Denied
        title = next(each.title for each in records.conversations(who.person) if each.id == id)

        @cache
        def title_of(document: str) -> str:
            return opened(who, [document], records.library, chart).get(document) or words_of_name(document)

        lines = as_markdown(title, records.turns(id), title_of)
        return StreamingResponse(lines, media_type="text/markdown; charset=utf-8", headers=saved_as(f"{title}.md"))

    def _kept(self, id: str) -> tuple[StoredAnswer, str]:
        """An answer and who asked for it. Raises Denied where there is none, and for plans and what else is kept."""
        stored, review = self.home.records.answer(id), self.home.records.reviews.review(id)
        if stored is None or review is None or stored.kind != "answer":
            raise Denied
        return stored, review.asker

    def _own(self, who: CurrentUser, id: str) -> None:
        if self._kept(id)[1] != who.person:
            raise Denied


def permitted(record: AnswerRecord, documents: Mapping[str, str]) -> AnswerRecord | None:
    """What somebody else may see of an answer: of its sentences those whose source they may read; None where nothing
    is left. `documents` are those that are there, by name, and what each that they may open is called."""
    open_to = {each.id: each for each in record.sources if not of_document(each) or documents.get(each.document)}
    if len(open_to) == len(record.sources):
        return record if record.answer else None
    sentences = tuple(one for one in record.checks.sentences if one.supported and one.source in open_to)
    if not sentences:
        return None
    return replace(
        record,
        standalone=record.question,
        answer=" ".join(one.text for one in sentences),
        sources=tuple(open_to.values()),
        checks=replace(record.checks, sentences=sentences),
        conflicts=tuple(one for one in record.conflicts if {one.source, one.other} <= open_to.keys()),
    )


def as_markdown(title: str, turns: Iterable[StoredAnswer], title_of: Callable[[str], str]) -> Iterator[str]:
    """A conversation, oldest turn first: each question as a heading, its answer, and what that stands on, documents by
    their titles."""
    yield f"# {title}\n"
    for stored in turns:
        record = AnswerRecord.from_json(stored.record_json)
        yield f"\n## {record.question}\n\n{moment(stored.created)}\n\n{record.answer}\n"
        used = {one.source for one in record.checks.sentences if one.supported}
        named = (
            _("Organization chart")
            if one.kind == "chart"
            else ", ".join(filter(None, (title_of(one.document), one.section)))
            for one in record.sources
            if one.id in used or record.approved
        )
        if places := dict.fromkeys(named):
            yield "\n" + "".join(f"- {place}\n" for place in places)


def mount(app: FastAPI, home: Home) -> None:
    """The routes in `app`."""
    app.include_router(AnswersPage(home).router())
    explain(app)
