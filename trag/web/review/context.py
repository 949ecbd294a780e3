"""What the pages of the review share: the place in a queue that an address names, and which answers somebody may judge.

An answer is for a reviewer who may read every document that it stands on, and does not exist for any other; a plan for
one to whom its procedure and actions are open besides, a workflow for one who may use all that it names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlencode

from fastapi import Request

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from store.review_queues import Choice, Queue
from store.review_topics import PART
from store.reviews import Review
from trag.brief.record import BriefRecord
from trag.flow.record import PlanRecord
from trag.flow.rights import documents_of as documents_open
from trag.flow.rights import open_book
from trag.people import CurrentUser
from trag.people.permissions import hidden, opened, readers
from trag.record import VERDICTS, AnswerRecord
from trag.review.verdicts import Sight, sight
from trag.review.workflows import written
from trag.web.evidence import documents_of
from trag.web.forms import number
from trag.web.responses import Denied, Notices, there
from trag.web.visitors import caller
from trag.workflow.record import WorkflowRecord
from trag.workflow.rights import usable

if TYPE_CHECKING:
    from org.chart import Chart
    from store.approved import Approved
    from store.records import Records, StoredAnswer
    from store.reviews import Label
    from trag.home import Home

CHOICES: tuple[Choice, ...] = get_args(Choice)
SHARES = (1, 2, 5, 10, 20)
"""Percent of all answers that a sample may be."""
COUNTED = 200
"""Answers of a queue that are counted; of more it is said that there are more."""
MOST_RETURNED = 100
PLACES = 6
"""Documents, and sections, that a search for the right place shows."""
NONE = Book.of((), ())


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer may stand: a document, a section of it, "" for all of it, and how the passage there begins."""

    document: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """A queue of one `choice`, on `document` or `unit` where they are not "", and the place `at` in it, from 0.

    A sample is `share` percent of all answers, those that `seed` chooses.
    """

    choice: Choice = "newest"
    document: str = ""
    unit: str = ""
    share: int = 5
    seed: int = 1
    at: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> QueuePlace:
        """What the query of an address asks for; nonsense in it is left alone."""
        usual = cls()
        share = number(query.get("share", ""), usual.share)
        return cls(
            next((choice for choice in CHOICES if choice == query.get("choice")), usual.choice),
            query.get("document", ""),
            query.get("unit", ""),
            share if share in SHARES else usual.share,
            number(query.get("seed", ""), usual.seed),
            number(query.get("at", "")),
        )

    def queue(self, hidden: Collection[str]) -> Queue:
        """The queue, without what stands on `hidden` documents."""
        return Queue(self.choice, self.document, self.unit, self.share / 100, self.seed, hidden)

    def of(self, choice: Choice) -> QueuePlace:
        """The beginning of another queue of the same documents and units."""
        return replace(self, choice=choice, at=0)

    def placed(self, at: int) -> QueuePlace:
        """The same queue at another place."""
        return replace(self, at=max(at, 0))

    def address(self, path: str, **more: str) -> str:
        """`path` with all of this as its query, and `more`."""
        changed = {each.name: getattr(self, each.name) for each in fields(self)}
        query = {name: value for name, value in changed.items() if value != getattr(QueuePlace(), name)} | more
        return f"{path}?{urlencode(query, errors='replace')}" if query else path


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer, a plan, a workflow or a briefing that was given, as reviewers see it and with all that it stands
    on."""

    review: Review
    record: AnswerRecord | PlanRecord | WorkflowRecord | BriefRecord

    @property
    def words(self) -> str:
        """The answer itself, the order of the plan, the workflow as it is corrected, or the paragraphs of the
        briefing."""
        if isinstance(self.record, WorkflowRecord):
            return written(self.record.workflow)
        if isinstance(self.record, BriefRecord):
            return self.record.text
        return self.record.order if isinstance(self.record, PlanRecord) else self.record.answer

    @property
    def stands_on(self) -> frozenset[str]:
        """The names of its documents, and the ids of its procedures and actions, or of what the workflow names."""
        if isinstance(self.record, WorkflowRecord):
            return frozenset(f"{PART}{id}" for id in (self.record.workflow.named if self.record.workflow else ()))
        named = self.record.named if isinstance(self.record, PlanRecord) else frozenset[str]()
        return documents_of(self.record) | named


@dataclass(slots=True)
class ReviewContext:
    """The reviews of one home, for every page."""

    home: Home
    notices: Notices = field(default_factory=Notices)

    @property
    def records(self) -> Records:
        return self.home.records

    @property
    def chart(self) -> Chart | None:
        return self.home.organization.chart

    def hidden(self, who: CurrentUser) -> frozenset[str]:
        """The documents that answers stand on and that somebody may not read, and the ids of procedures, actions and
        parts of workflows that are closed to them: those for others, and those that are gone and may have been."""
        if readers(who, self.chart) is None:
            return frozenset()
        reviews, documents = self.records.reviews, self.records.library.documents()
        gone = {*reviews.values("document")} - {each.name for each in documents}
        whole, seen = self.home.procedures.in_use or NONE, self.procedures(who)
        procedures = {*whole.procedures, *reviews.values("procedure")} - {*seen.procedures}
        actions = {*whole.actions, *reviews.values("action")} - {*seen.actions}
        named = {id.removeprefix(PART) for id in reviews.values("part")} - {*LOGIC}
        parts = {f"{PART}{id}" for id in {*whole.actions, *whole.tables, *whole.triggers, *named} - self.usable(who)}
        return hidden(who, documents, self.chart) | gone | procedures | actions | parts

    def usable(self, who: CurrentUser) -> frozenset[str]:
        """The ids of what somebody may use in workflows."""
        library, book = self.records.library, self.home.procedures.in_use or NONE
        return usable(book, self.chart, readers(who, self.chart), documents_open(library))

    def procedures(self, who: CurrentUser) -> Book:
        """The procedures in use, as far as they are open to somebody."""
        library, book = self.records.library, self.home.procedures.in_use or NONE
        return open_book(
            *(book, self.chart, readers(who, self.chart)),
            lambda name, _: bool(opened(who, [name], library, self.chart)[name]),
        )

    def find(self, who: CurrentUser, id: str) -> GivenAnswer:
        """An answer that somebody may judge. Raises Denied for one that stands on what they may not read, as for one
        that does not exist."""
        review, stored = there(self.records.reviews.review(id)), there(self.records.answer(id))
        given = GivenAnswer(review, record_of(stored))
        if not given.stands_on.isdisjoint(self.hidden(who)):
            raise Denied
        return given

    def places(self, who: CurrentUser, words: str) -> tuple[Place, ...]:
        """The documents with these words in their names, then the sections nearest to them, of what somebody may
        read."""
        if not (wanted := words.casefold().split()):
            return ()
        held, documents = readers(who, self.chart), self.records.library.documents()
        named = (
            Place(each.name, "", "")
            for each in documents
            if (held is None or not each.audience.isdisjoint(held))
            and all(word in f"{each.called} {each.name}".casefold() for word in wanted)
        )
        vector = self.home.embedder.embed_questions([words])[0]
        near = self.home.vectors.search(vector, words, kinds=("section",), k=PLACES, readers=held)
        found: dict[tuple[str, str], Place] = {}
        for one in (*islice(named, PLACES), *(Place(each.document, each.section, each.text[:200]) for each in near)):
            found.setdefault((one.document, one.section), one)
        return tuple(found.values())

    def sight(self, who: CurrentUser, review: Review) -> Sight:
        """What somebody sees of the verdicts on an answer, and may do about it."""
        alone = self.records.reviews.alone(who.person)
        return sight(who, review, self.records.verdicts(review.answer), alone=alone)

    def next(self, who: CurrentUser, place: QueuePlace, *, but: str = "") -> tuple[QueuePlace, str] | None:
        """The answer at a place, or the next one, or else the first of the queue; never `but`. With the place that it
        was found at."""
        queue = place.queue(self.hidden(who))
        for at in (place.at, place.at + 1, 0, 1):
            found = self.records.reviews.queue(queue, reviewer=who.person, page=at + 1, most=1)
            if found and found[0].answer != but:
                return place.placed(at), found[0].answer
        return None

    def returned(self, hidden: Collection[str]) -> tuple[Approved, ...]:
        """The approved answers that came back and whose answers wait for a verdict again, the newest first."""
        found = []
        for each in self.records.approved.all("returned")[:MOST_RETURNED]:
            review = self.records.reviews.review(each.answer) if each.answer else None
            if review and review.review_status not in VERDICTS and readable(each, hidden):
                found.append(each)
        return tuple(found)

    def last(self, request: Request) -> tuple[Review, Label] | None:
        """What somebody judged a moment ago, as the address says, and can take back."""
        who = caller(request)
        try:
            given = self.find(who, request.query_params.get("last", ""))
        except Denied:
            return None
        mine = self.sight(who, given.review).mine
        return (given.review, mine) if mine else None


def record_of(stored: StoredAnswer) -> AnswerRecord | PlanRecord | WorkflowRecord | BriefRecord:
    """The record of an answer, a plan, a workflow or a briefing."""
    if stored.kind == "workflow":
        return WorkflowRecord.from_json(stored.record_json)
    if stored.kind == "brief":
        return BriefRecord.from_json(stored.record_json)
    return (PlanRecord if stored.kind == "plan" else AnswerRecord).from_json(stored.record_json)


def readable(approved: Approved, hidden: Collection[str]) -> bool:
    """Whether an approved answer stands on none of the hidden documents, and a plan has nothing that is closed."""
    named = approved.reply.split("\n") if approved.kind == "plan" else []
    return not any(each in hidden for each in (*named, *(source.document for source in approved.sources)))
