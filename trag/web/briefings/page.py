"""The page Briefings: what the documents say of a unit or a topic, written in its turn, kept, brought up to date,
shared, judged; and for admins what no document says.

GET shows and changes nothing; POST begins a briefing, ends, shares or judges one, and sends the browser on to the page
of it. A briefing that is being written has its page at once, which shows what there is so far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from org.linking.disambiguation import called
from trag import briefs
from trag.brief.record import BriefRecord
from trag.brief.writer import WORDS
from trag.briefs import BriefEvent, BriefRequest
from trag.errors import SHOWN, told
from trag.people import CurrentUser
from trag.people.permissions import may_read, opened
from trag.record import LONGEST_REMARK
from trag.web import made
from trag.web.active_runs import ActiveRun, ActiveRuns, Draft
from trag.web.evidence import Evidence, brief_evidence
from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.render import NEIGHBOURS, environment
from trag.web.responses import Denied, Notice, Notices, attachment, explain, there
from trag.web.visitors import caller

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home

EXAMPLES = 6
"""Units that the page offers."""
LISTED = 15
"""Briefings that are listed, the latest ones."""
UNITS = 1_000
"""Units of the chart that the field offers."""
HEADINGS = 300
"""Headings of a document in which units to offer are looked for."""
LENGTHS: dict[str, str] = {"short": later("Short"), "standard": later("Standard"), "full": later("Full")}
"""What people call the lengths."""
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True)
class Listed:
    """A briefing in a list: its id, its subject, when it was written, and who shared it, "" for one's own."""

    id: str
    subject: str
    created: datetime
    by: str = ""


class BriefingsPage:
    """What the routes share. Briefings are written beside the questions of people, in the same line; `ready` gives the
    assistant as soon as it is open."""

    def __init__(self, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
        self.home, self.runs, self.ready = home, runs, ready
        self.notices = Notices()

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/briefings")
        router.get("")(self.begin)
        router.post("")(self.write)
        router.get("/{id}")(self.show)
        router.get("/{id}/briefing.md")(self.markdown)
        router.get("/{id}/briefing.docx")(self.word)
        router.post("/{id}/stop")(self.stop)
        router.post("/{id}/update")(self.update)
        router.post("/{id}/share")(self.share)
        router.post("/{id}/share/end")(self.share_no_more)
        router.post("/{id}/verdict")(self.judge)
        return router

    def begin(self, request: Request) -> Response:
        """The page before a briefing; an address may name its subject."""
        return self._begin(caller(request), request.query_params.get("subject", ""))

    def write(self, request: Request, form: Form) -> Response:
        """Begin a briefing, and lead to it. What cannot be written about is said, and stays in the field."""
        who, subject, length = caller(request), form.get("subject", ""), form.get("length", "standard")
        try:
            return self._started(who, briefs.brief_request(self.home, subject, length))
        except SHOWN as error:
            error = told(error, to_admin=who.may("admin"))
            return self._begin(who, subject, length, f"{error.message} {error.hint}", 409)

    def update(self, request: Request, id: str) -> Response:
        """Begin a briefing in place of one of which something has changed, and lead to it."""
        who = caller(request)
        there(briefs.owned(self.home, who, id))
        asked = briefs.update_request(self.home, who, id)
        if asked.previous is None or not briefs.changes(self.home, asked.previous):
            return self.notices.go(f"/briefings/{id}", Notice(_("It is up to date.")))
        return self._started(who, asked)

    def show(self, request: Request, id: str) -> Response:
        """A briefing, or how far it is."""
        who = caller(request)
        if run := made.being_made(self.runs, id, who):
            return self._page("working", who, id, **self._so_far(who, run))
        record, is_own = self._kept(who, id)
        records, previous = self.home.records, briefs.kept(self.home, who, record.previous)
        found = self._evidence(who, record)
        revised, gone = briefs.revised(previous, record) if previous else ({}, ())
        changed = briefs.changed_sources(self.home, record)
        stored = there(records.answer(id))
        return self._page(
            "briefing",
            who,
            id,
            record=record,
            is_own=is_own,
            created=stored.created,
            evidence={each.source.id: each for each in found},
            chart_link="/charts" if who.may("admin") else "",
            choices=self._choices(record),
            revised=revised,
            gone=gone,
            previous=previous,
            later=next((each.id for each in self._own(who) if each.previous == id), ""),
            changed=len(changed - {one.id for one in record.sources if one.kind == "chart"}),
            chart_changed=any(one.id in changed for one in record.sources if one.kind == "chart"),
            lost=briefs.lost(self.home, who, id),
            sources=len(record.sources) - any(one.kind == "chart" for one in record.sources),
            shared_with=made.shared_with(self.home.records, id) if is_own else (),
            accounts=records.people.exist(),
            label=records.label(id, who.person) if is_own else None,
            longest_remark=LONGEST_REMARK,
            neighbours=NEIGHBOURS,
            notice=self.notices.said(request),
        )

    def markdown(self, request: Request, id: str) -> Response:
        """A briefing as Markdown, as far as it is open to whoever takes it."""
        record, _ = self._kept(caller(request), id)
        return attachment(f"{briefs.brief_as_text(record)}\n".encode(), f"{record.subject}.md", "text/markdown")

    def word(self, request: Request, id: str) -> Response:
        """The same as a Word document."""
        from trag.brief.export import word_document

        record, _ = self._kept(caller(request), id)
        written = word_document(record, self.home.organization.name)
        return attachment(written, f"{record.subject}.docx", DOCX)

    def stop(self, request: Request, id: str) -> Response:
        """End a briefing that is being written; what there is stays."""
        made.end(self.runs, id, caller(request))
        return RedirectResponse(f"/briefings/{id}", 303)

    def share(self, request: Request, form: Form, id: str) -> Response:
        """Let somebody see a briefing, as far as they may read what it stands on."""
        there(briefs.owned(self.home, caller(request), id))
        return made.share(self.home.records, self.notices, request, form, id, f"/briefings/{id}", "briefing")

    def share_no_more(self, request: Request, form: Form, id: str) -> Response:
        """Let somebody see a briefing no more."""
        there(briefs.owned(self.home, caller(request), id))
        return made.share_no_more(self.home.records, self.notices, request, form, id, f"/briefings/{id}", "briefing")

    def judge(self, request: Request, form: Form, id: str) -> Response:
        """Keep what an asker says of a briefing."""
        there(briefs.owned(self.home, caller(request), id))
        made.keep_verdict(self.home.records, request, form, id)
        return RedirectResponse(f"/briefings/{id}#verdict", 303)

    def _started(self, who: CurrentUser, asked: BriefRequest) -> Response:
        """Begins a briefing. Raises TragError where they have too much under way."""
        id = uuid4().hex

        def making(stop: threading.Event) -> Iterator[BriefEvent]:
            yield from briefs.make(self.home, self.ready(), asked, who, id=id, stop=stop)

        self.runs.begin(id, asked.subject, making, by=who.person)
        return RedirectResponse(f"/briefings/{id}", 303)

    def _begin(
        self, who: CurrentUser, subject: str, length: str = "standard", problem: str = "", status: int = 200
    ) -> Response:
        chart = self.home.organization.chart
        names = dict.fromkeys(unit.name for unit in chart.units.values()) if chart else {}
        return self._page(
            "begin",
            who,
            "",
            status,
            subject=subject,
            length=length,
            lengths=WORDS,
            units=[*names][:UNITS],
            examples=self._examples(who),
            problem=problem,
            offered=briefs.offered(self.home, who) and not self.home.state().empty,
            longest=briefs.LONGEST_SUBJECT,
        )

    def _examples(self, who: CurrentUser) -> tuple[str, ...]:
        """Units that headings of documents name, of those that are open to somebody."""
        organization, library, found = self.home.organization, self.home.records.library, dict[str, None]()
        chart, finder = organization.chart, organization.finder
        if chart is None or finder is None:
            return ()
        for document in library.documents():
            if len(found) < EXAMPLES and may_read(who, document.audience, chart):
                sections = (each.section for each in library.passages(document.name) if each.kind == "section")
                for heading in islice(dict.fromkeys(section.split(" > ")[-1] for section in sections), HEADINGS):
                    named = (one.units[0] for one in finder.find(heading) if len(one.units) == 1)
                    found |= dict.fromkeys(called(chart.unit(unit), chart) for unit in named)
        return tuple(found)[:EXAMPLES]

    def _so_far(self, who: CurrentUser, run: ActiveRun) -> dict[str, Any]:
        """What the page of a briefing that is being written shows."""
        draft = run.draft
        record = draft.brief
        found = self._evidence(who, record) if record else ()
        done, coming = _worded(draft)
        return {
            "draft": draft,
            "record": record,
            "length": record.length if record else "standard",
            "stopped": run.stop.is_set(),
            "evidence": {each.source.id: each for each in found},
            "chart_link": "",
            "done": done,
            "coming": coming,
        }

    def _kept(self, who: CurrentUser, id: str) -> tuple[BriefRecord, bool]:
        """A briefing that somebody may see, and whether it is their own. Raises Denied where there is none, or nothing
        of it is open to them."""
        if own := briefs.owned(self.home, who, id):
            return own, True
        record = there(briefs.kept(self.home, who, id))
        if not record.parts:
            raise Denied
        return record, False

    def _evidence(self, who: CurrentUser, record: BriefRecord) -> tuple[Evidence, ...]:
        library, chart = self.home.records.library, self.home.organization.chart
        return brief_evidence(record, opened(who, record.documents, library, chart))

    def _choices(self, record: BriefRecord) -> list[tuple[str, str]]:
        """What a subject may mean, or the headings that are nearest: as it is shown, and as it is asked for."""
        chart = self.home.organization.chart
        if record.status != "ask_which" or chart is None:
            return [(name, name) for name in record.choices]
        paths = {" > ".join(each.name for each in chart.path(unit.id)): unit for unit in chart.units.values()}
        return [(path, called(paths[path], chart)) for path in record.choices if path in paths]

    def _own(self, who: CurrentUser) -> list[BriefRecord]:
        stored = self.home.records.plans(who.person, 2 * LISTED, "brief")[::-1]
        return [BriefRecord.from_json(each.record_json) for each in stored]

    def _lists(self, who: CurrentUser) -> dict[str, list[Listed]]:
        """Their own briefings and those shared with them, the latest first; of one that was brought up to date only the
        newest, and of others' only what they may see something of."""
        records = self.home.records
        stored = records.plans(who.person, 2 * LISTED, "brief")[::-1]
        older = {BriefRecord.from_json(each.record_json).previous for each in stored}
        own = [Listed(each.id, each.question, each.created) for each in stored if each.id not in older]
        shared = []
        for id in records.shares.answers(who.person)[: 2 * LISTED]:
            answer, review, record = records.answer(id), records.reviews.review(id), briefs.kept(self.home, who, id)
            if answer and review and record and record.parts:
                by = records.people.get(review.asker)
                # What is open to them of a briefing does not say which it was made of.
                whole = BriefRecord.from_json(answer.record_json)
                shared.append((Listed(id, record.subject, answer.created, by.shown if by else ""), whole.previous))
        older = {previous for _, previous in shared}
        return {
            "own": own[:LISTED],
            "shared": [each for each, _ in shared if each.id not in older][:LISTED],
        }

    def _page(self, name: str, who: CurrentUser, id: str, status: int = 200, **values: object) -> Response:
        html = environment().get_template(f"briefings/{name}.html")
        told = {
            "here": "/briefings",
            "id": id,
            "listed": self._lists(who),
            "is_admin": who.may("admin"),
            "named": LENGTHS,
        }
        return HTMLResponse(html.render({"notice": None} | told | values), status)


def mount(app: FastAPI, home: Home, runs: ActiveRuns, ready: Callable[[], Assistant]) -> None:
    """The routes of the page in `app`."""
    app.include_router(BriefingsPage(home, runs, ready).router())
    explain(app)


def _worded(draft: Draft) -> tuple[int, tuple[int, ...]]:
    """How many paragraphs have been worded, and the places of those that are to be: after what is found first, and in a
    new briefing after what the reader asks, each state of it has one more."""
    if draft.brief is None:
        return 0, ()
    record = draft.brief
    if record.previous:
        done = max(draft.states - 1, 0)
        return done, record.changed[done:]
    done = max(draft.states - 2, 0)
    return done, tuple(range(done, len(record.parts)))
