"""What the pages of the review desk share: the home, which answers somebody may judge, and what comes next.

An answer is for a reviewer who may read every document that it stands on, and is not there for any other. Knows nothing
about HTML.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import Request

from store.reviewing import Review
from trag.people import CurrentUser
from trag.people.permissions import hidden, opened, readers
from trag.record import VERDICTS, AnswerRecord
from trag.web.evidence import documents_of
from trag.web.responses import Notices
from trag.web.review.judging import Sight, sight
from trag.web.review.wanted import Wanted
from trag.web.visitors import caller

if TYPE_CHECKING:
    from org.chart import Chart
    from store.approved import Approved
    from store.records import Label, Records
    from trag.home import Home

MOST_RETURNED = 100


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given, as it lies on the desk and with all that it stands on."""

    review: Review
    record: AnswerRecord


@dataclass(slots=True)
class Desk:
    """The review desk of one home, for every page."""

    home: Home
    notices: Notices = field(default_factory=Notices)

    @property
    def records(self) -> Records:
        """Where answers and verdicts are kept."""
        return self.home.records

    @property
    def chart(self) -> Chart | None:
        """The chart in use."""
        return self.home.organization.chart

    def hidden(self, who: CurrentUser) -> frozenset[str]:
        """The documents that answers stand on and that somebody may not read: those for others, and those that are gone
        and may have been."""
        if readers(who, self.chart) is None:
            return frozenset()
        there = self.records.library.documents()
        gone = {*self.records.reviewing.values("document")} - {each.name for each in there}
        return hidden(who, there, self.chart) | gone

    def find(self, who: CurrentUser, id: str) -> Given | None:
        """An answer that somebody may judge. One that stands on what they may not read is None, like one that does not
        exist."""
        review, stored = self.records.reviewing.review(id), self.records.answer(id)
        if review is None or stored is None:
            return None
        given = Given(review, AnswerRecord.from_json(stored.record_json))
        readable = opened(who, documents_of(given.record), self.records.library, self.chart)
        return given if all(readable.values()) else None

    def sight(self, who: CurrentUser, review: Review) -> Sight:
        """What somebody sees of the verdicts on an answer, and may do about it."""
        alone = self.records.reviewing.alone(who.person)
        return sight(who, review, self.records.verdicts(review.answer), alone=alone)

    def next(self, who: CurrentUser, wanted: Wanted, *, but: str = "") -> tuple[Wanted, str] | None:
        """The answer at the place that is wanted, or the next one, or else the first of the queue; never `but`. With
        the place that it was found at."""
        queue = wanted.queue(self.hidden(who))
        for at in (wanted.at, wanted.at + 1, 0, 1):
            found = self.records.reviewing.queue(queue, reviewer=who.person, page=at + 1, most=1)
            if found and found[0].answer != but:
                return wanted.placed(at), found[0].answer
        return None

    def returned(self, hidden: Collection[str]) -> tuple[Approved, ...]:
        """The answers that were approved, are so no more, and wait for a verdict again, of the last MOST_RETURNED."""
        found = []
        for each in self.records.approved.all("returned")[:MOST_RETURNED]:
            review = self.records.reviewing.review(each.answer) if each.answer else None
            if review and review.standing not in VERDICTS and readable(each, hidden):
                found.append(each)
        return tuple(found)

    def name(self, person: str, who: CurrentUser) -> str:
        """What a reviewer is called on the page of `who`."""
        if person == who.person:
            return "You"
        found = self.records.people.get(person)
        return found.shown if found else "Somebody"

    def last(self, request: Request) -> tuple[AnswerRecord, Label] | None:
        """What somebody judged a moment ago, as the address says, and can take back."""
        who, id = caller(request), request.query_params.get("last", "")
        given = self.find(who, id) if id else None
        mine = self.sight(who, given.review).mine if given else None
        return (given.record, mine) if given and mine else None


def readable(approved: Approved, hidden: Collection[str]) -> bool:
    """Whether an approved answer stands on none of the hidden documents."""
    return not any(source.document in hidden for source in approved.sources)
