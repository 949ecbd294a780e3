"""What an admin looks at on a Monday, beside the gaps: how much is asked, what became of answers judged wrong, and
which documents are due."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from store.standing import Period
from store.use import Week
from trag.approved import normalized
from trag.review.verdicts import holding

if TYPE_CHECKING:
    from store.library import Document
    from store.records import Records
    from store.reviews import Review

WEEKS = 8
"""Weeks that are looked back on, this one among them."""
SOON = timedelta(days=30)
"""How long before its last day, or its day of review, a document is due."""
LONG = timedelta(days=365)
"""For how long a document that says nothing of a review may stay as it is."""
Why = Literal["review", "over", "ends", "unchanged"]
"""Its day of review is over or near; its last day is over; it is near; nobody has changed it for long."""
Became = Literal["approved", "returned", "corrected", "replaced", "nothing"]
"""The right answer is given by now; it was, and came back; it was written and nobody has approved it; a document that
the answer stood on is another by now; nothing."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that was judged Incorrect, and what became of it."""

    id: str
    question: str
    at: datetime
    became: Became


@dataclass(frozen=True, slots=True)
class Due:
    """A document that somebody is to look at, why, and the day: of the review, its last one, or of its last change."""

    document: str
    why: Why
    day: date


def first_monday(day: date) -> date:
    """The Monday of the first of the last WEEKS weeks."""
    return day - timedelta(days=day.weekday(), weeks=WEEKS - 1)


def weeks(found: Iterable[Week], day: date) -> tuple[Week, ...]:
    """The last WEEKS weeks, the first first, also those without a question."""
    by_monday = {week.monday: week for week in found}
    mondays = [first_monday(day) + timedelta(weeks=number) for number in range(WEEKS)]
    return tuple(by_monday.get(monday, Week(monday)) for monday in mondays)


def wrong(records: Records, since: date, most: int) -> tuple[tuple[Wrong, ...], int]:
    """The newest `most` answers to questions from a day on that were judged Incorrect, and how many there are."""
    found, total = records.reviews.judged("Incorrect", since, most)
    given = records.approved.all()
    added = {document.name: document.added for document in records.library.documents()}
    pinned = {each.normal for each in given if each.state == "pinned" and each.kind == "answer"}
    pinned_of = {each.answer for each in given if each.state == "pinned"}
    returned_of = {each.answer for each in given if each.state == "returned"}

    def became(review: Review) -> Became:
        if review.answer in pinned_of or normalized(review.question) in pinned:
            return "approved"
        if review.answer in returned_of:
            return "returned"
        label = holding(review, records.verdicts(review.answer))
        if label and label.corrected:
            return "corrected"
        stood_on = records.reviews.documents_of(review.answer)
        if any(name not in added or added[name] > review.created for name in stood_on):
            return "replaced"
        return "nothing"

    return tuple(Wrong(each.answer, each.question, each.created, became(each)) for each in found), total


def due(documents: Iterable[Document], records: Records, day: date) -> tuple[Due, ...]:
    """Those of the documents that somebody is to look at, each for the first reason that there is, the longest due
    first; none that is superseded or withdrawn."""
    known = records.validity.all()
    over = {
        name
        for name, one in records.validity.outside(Period.of(day)).items()
        if one.state in ("superseded", "withdrawn")
    }

    def reasons(document: Document) -> Iterable[tuple[Why, date]]:
        one = known.get(document.name)
        if one and one.valid_to and one.valid_to <= day + SOON:
            yield "over" if one.valid_to < day else "ends", one.valid_to
        if one and one.review and one.review <= day + SOON:
            yield "review", one.review
        added = document.added.date()
        if added <= day - LONG and not (one and one.review):
            yield "unchanged", added

    first = ((one.name, next(iter(reasons(one)), None)) for one in documents if one.name not in over)
    return tuple(sorted((Due(name, *found) for name, found in first if found), key=lambda one: (one.day, one.document)))
