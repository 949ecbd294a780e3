"""Which answers lie in which queue of the reviewers, as SQL over their narrow rows."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, exists, func, or_, select

from store import schema
from store.review_topics import STOPPED

Choice = Literal["newest", "flagged", "doubtful", "sample", "second", "disputed", "judged"]
"""Of the open answers the newest, those that their askers found wanting, those that are likely wrong, a sample; those
that want a second reviewer; those that two judged differently; those with a verdict that holds."""
DOUBTFUL = 0.25
"""The doubt (review_topics.py) from which on an answer is likely wrong."""
_REVIEW_STATUSES = {
    "second": ("second",),
    "disputed": ("disputed",),
    "judged": ("Correct", "Correct-Verbose", "Incorrect"),
}
"""The review status of the answers in a queue; in all others it is open."""
_FLAGGED = ("Correct-Verbose", "Incorrect")
"""The verdicts of askers who find an answer wanting."""
_HASHES = 2**31


@dataclass(frozen=True, slots=True)
class Queue:
    """Which answers somebody wants to see: of one `choice`, on `document` or `unit` where they are not "".

    A sample is `share` of all answers, always the same ones for the same `seed`, also when others are added. `hidden`
    are the documents that the reviewer may not read, and the ids of procedures, actions and parts of workflows that are
    closed to them: answers, plans and workflows that stand on one of them are left out.
    """

    choice: Choice = "newest"
    document: str = ""
    unit: str = ""
    share: float = 0.05
    seed: int = 1
    hidden: Collection[str] = ()


def sampling_hash(text: str) -> int:
    """Where an id lies on the ring that samples are arcs of, from 0 to 2**31."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") >> 1


def ordered(query: Select[Any], queue: Queue, number: ColumnElement[int]) -> Select[Any]:
    """In the order of a queue: the likeliest to be wrong first where they are doubtful, else the newest."""
    worst = [schema.reviews.c.doubt.desc()] if queue.choice == "doubtful" else []
    return query.order_by(*worst, number.desc())


def chosen(queue: Queue, reviewer: str, *, alone: bool) -> Select[Any]:
    """The numbers of the answers in a queue and their doubt, in no order; none that was stopped, unless it was judged.
    `alone` says that nobody but this reviewer may judge."""
    reviews, topics = schema.reviews.c, schema.topics.c
    statuses = _REVIEW_STATUSES.get(queue.choice, ("open",))
    # No index has the answers of several statuses in one order, so they are gone through from the newest on.
    status = reviews.review_status if len(statuses) == 1 else reviews.review_status.concat("")
    about = [
        (schema.topics.alias(), kind, value)
        for kind, value in (("document", queue.document), ("unit", queue.unit))
        if value
    ]
    # An answer's number is that of its topics: SQLite takes the order from an index only where it is told which.
    number = about[0][0].c.number if about else reviews.number
    query = select(number, reviews.doubt).select_from(schema.reviews).where(status.in_(statuses))
    for table, kind, value in about:
        fits = (table.c.kind == kind) & (table.c.value == value) & table.c.review_status.in_(statuses)
        query = query.join(table, fits & (table.c.number == reviews.number))
    if queue.choice != "judged":
        query = query.where(reviews.status != STOPPED)
        if not alone:
            query = query.where(reviews.asker != reviewer)
    if queue.choice == "second":
        labels, answers = schema.labels.c, schema.answers.c
        mine = (answers.number == reviews.number) & (labels.answer == answers.id) & (labels.reviewer == reviewer)
        query = query.where(~exists().where(mine, ~labels.asker, labels.number > reviews.since))
    if queue.choice == "flagged":
        query = query.where(reviews.flag.in_(_FLAGGED))
    elif statuses == ("open",):
        # An approved answer was judged when it was pinned: given again, it waits only once somebody has doubts.
        query = query.where(or_(reviews.status != "approved", reviews.flag.in_(_FLAGGED), reviews.since > 0))
    if queue.choice == "doubtful":
        query = query.where(reviews.doubt >= DOUBTFUL)
    if queue.choice == "sample":
        begin = sampling_hash(f"sample {queue.seed}")
        end = begin + int(_HASHES * min(max(queue.share, 0.0), 1.0))
        place = reviews.sampling_hash
        around = or_(place >= begin, place < end - _HASHES)
        query = query.where((place >= begin) & (place < end) if end <= _HASHES else around)
    if queue.hidden:
        # Not the bare column: an index would be asked for every hidden document of every answer, which has but a few.
        named = topics.value.concat("")
        closed = topics.kind.in_(("document", "procedure", "action", "part"))
        unread = (topics.number == reviews.number) & closed & named.in_(queue.hidden)
        # Counted, not asked for by EXISTS, which PostgreSQL would answer by reading the topics of all answers first.
        query = query.where(select(func.count()).where(unread).correlate(schema.reviews).scalar_subquery() == 0)
    return query
