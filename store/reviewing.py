"""The desk of the reviewers: which answers wait for whom, how each stands, and how many there are of what.

Knows nothing about how an answer comes to its standing, or about who may judge it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Engine, Select, exists, func, or_, select, update

from store import audit, review_status, schema
from store.database import reading, writing
from store.review_status import LOTS, lot

By = Literal["week", "model", "document", "unit"]
Choice = Literal["newest", "flagged", "weak", "sample", "second", "disputed", "judged"]
"""Of the open answers the newest, those that their askers found wanting, those with little support, a sample; those
that want a second reviewer; those that two judged differently; those with a verdict that holds."""
WEAK = 0.5
"""The share of an answer's sentences that sources bear out, under which its support is little."""
_STANDINGS = {
    "second": ("second",),
    "disputed": ("disputed",),
    "judged": ("Correct", "Correct-Verbose", "Incorrect"),
}
"""What an answer in a queue stands at; in all others it is open."""
_WANTING = ("Correct-Verbose", "Incorrect")
"""What an asker says of an answer that they find wanting."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Which answers somebody wants to see: of one `choice`, on `document` or `unit` where they are not "".

    A sample is `share` of all answers, always the same ones for the same `seed`, also when others are added. `hidden`
    are the documents that the reviewer may not read: what stands on one of them is left out.
    """

    choice: Choice = "newest"
    document: str = ""
    unit: str = ""
    share: float = 0.05
    seed: int = 1
    hidden: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """An answer as it lies on the desk. `support` is the share of its sentences that sources bear out, None where
    none were checked; `flag` is the verdict of who asked, "" for none; `second` says that two reviewers are wanted."""

    answer: str
    question: str
    words: str
    created: datetime
    asker: str
    status: str
    model: str
    adapter: str
    support: float | None
    flag: str
    standing: str
    second: bool


@dataclass(frozen=True, slots=True)
class Count:
    """How many answers of one `value` (a week's Monday, a document, a unit, a model) have one standing."""

    value: str
    standing: str
    answers: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many answers the first reviewer judged `first` and the second, on their own, `second`."""

    first: str
    second: str
    answers: int


class Reviewing:
    """The desk of one home. Any thread may call any method, and any may raise StoreError for a failing database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def queue(self, queue: Queue, *, reviewer: str, page: int = 1, most: int = 20) -> tuple[Review, ...]:
        """A page of a queue: the weakest first where support is little, else the newest. A reviewer does not meet
        again what they have judged and another is to judge, nor what they asked themselves and another may judge."""
        reviews = schema.reviews.c
        with reading(self._engine) as connection:
            chosen = _chosen(queue, reviewer, alone=review_status.alone(connection, reviewer))
            # The page is chosen from the narrow tables alone, and then only its answers are read.
            first = _ordered(chosen, queue, chosen.selected_columns.number)
            here = first.limit(most).offset(most * (max(page, 1) - 1)).subquery()
            query = _reviews().where(reviews.number.in_(select(here.c.number)))
            return tuple(Review(*row) for row in connection.execute(_ordered(query, queue, reviews.number)))

    def size(self, queue: Queue, *, reviewer: str, most: int = 1_000) -> int:
        """How many answers a queue has on all its pages; beyond `most` nobody counts."""
        with reading(self._engine) as connection:
            counted = _chosen(queue, reviewer, alone=review_status.alone(connection, reviewer)).limit(most).subquery()
            return connection.scalar(select(func.count()).select_from(counted)) or 0

    def review(self, answer: str) -> Review | None:
        """One answer as it lies on the desk."""
        with reading(self._engine) as connection:
            row = connection.execute(_reviews().where(schema.answers.c.id == answer)).first()
        return Review(*row) if row else None

    def alone(self, reviewer: str) -> bool:
        """Whether nobody else may judge: no other reviewer or admin is active, as where there are no accounts. Only
        then somebody reviews the answers to their own questions."""
        with reading(self._engine) as connection:
            return review_status.alone(connection, reviewer)

    def ask_second(self, answer: str, wanted: bool, *, by: str, where: str = "") -> None:
        """Want, or no longer want, two reviewers for an answer. Raises StoreError when it is gone."""
        with writing(self._engine) as connection:
            number, _ = review_status.hold(connection, answer)
            connection.execute(update(schema.reviews).where(schema.reviews.c.number == number).values(second=wanted))
            review_status.settle(connection, answer)
            audit.note(
                connection, by, "second review wanted" if wanted else "second review taken back", answer, where=where
            )

    def counts(self, by: By, *, since: date | None = None, hidden: Collection[str] = ()) -> tuple[Count, ...]:
        """How many answers stand how, of each week, model, document or unit; those of `hidden` documents are left out
        where documents are told. `since` is the Monday of the first week that counts."""
        tallies, topics = schema.tallies.c, schema.topics.c
        answers: ColumnElement[int] = func.sum(tallies.answers)
        value, stands, chosen = tallies.value, tallies.standing, tallies.kind == by
        if since is not None and by == "week":
            chosen &= value >= since.isoformat()
        elif since is not None:
            week = (topics.kind == "week") & (topics.value >= since.isoformat())
            # The first in an index, not the least: that would be looked for among all answers.
            first = select(topics.number).where(week).order_by(topics.value, topics.number).limit(1).scalar_subquery()
            value, stands, answers = topics.value, topics.standing, func.count()
            chosen = (topics.kind == by) & (topics.number >= first)
        query = select(value, stands, answers).where(chosen).group_by(value, stands).having(answers > 0)
        left_out = {*hidden} if by == "document" else set()
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(value, stands))
            return tuple(Count(*row) for row in rows if row[0] not in left_out)

    def values(self, by: By) -> tuple[str, ...]:
        """Every week, model, document or unit that some answer is of, also those that are gone."""
        tallies = schema.tallies.c
        found = select(tallies.value).where(tallies.kind == by, tallies.answers > 0).distinct().order_by(tallies.value)
        with reading(self._engine) as connection:
            return tuple(connection.scalars(found))

    def agreement(self) -> tuple[Agreement, ...]:
        """How the first two reviewers of an answer judged it, each on their own: what kappa is made of."""
        reviews = schema.reviews.c
        both = (reviews.first_opinion, reviews.second_opinion)
        query = select(*both, func.count()).where(reviews.second_opinion > "").group_by(*both)
        with reading(self._engine) as connection:
            return tuple(Agreement(*row) for row in sorted(map(tuple, connection.execute(query))))


def _reviews() -> Select[Any]:
    reviews, answers = schema.reviews.c, schema.answers.c
    return select(
        answers.id, answers.question, answers.answer, answers.created,
        reviews.asker, reviews.status, reviews.model, reviews.adapter, reviews.support, reviews.flag, reviews.standing,
        reviews.second,
    ).join_from(schema.reviews, schema.answers, reviews.number == answers.number)  # fmt: skip


def _ordered(query: Select[Any], queue: Queue, number: ColumnElement[int]) -> Select[Any]:
    weakest = [schema.reviews.c.support] if queue.choice == "weak" else []
    return query.order_by(*weakest, number.desc())


def _chosen(queue: Queue, reviewer: str, *, alone: bool) -> Select[Any]:
    """The numbers of the answers in a queue and their support, in no order."""
    reviews, topics = schema.reviews.c, schema.topics.c
    stands = _STANDINGS.get(queue.choice, ("open",))
    # No index has the answers of several standings in one order, so they are gone through from the newest on.
    stood = reviews.standing if len(stands) == 1 else reviews.standing.concat("")
    asked = [(kind, value) for kind, value in (("document", queue.document), ("unit", queue.unit)) if value]
    about = [(schema.topics.alias(), kind, value) for kind, value in asked]
    # An answer's number is that of its topics: SQLite takes the order from an index only where it is told which.
    number = about[0][0].c.number if about else reviews.number
    query = select(number, reviews.support).select_from(schema.reviews).where(stood.in_(stands))
    for table, kind, value in about:
        chosen = (table.c.kind == kind) & (table.c.value == value) & table.c.standing.in_(stands)
        query = query.join(table, chosen & (table.c.number == reviews.number))
    if queue.choice != "judged" and not alone:
        query = query.where(reviews.asker != reviewer)
    if queue.choice == "second":
        labels, answers = schema.labels.c, schema.answers.c
        mine = (answers.number == reviews.number) & (labels.answer == answers.id) & (labels.reviewer == reviewer)
        query = query.where(~exists().where(mine, ~labels.asker, labels.number > reviews.since))
    if queue.choice == "flagged":
        query = query.where(reviews.flag.in_(_WANTING))
    elif stands == ("open",):
        # An approved answer was judged when it was pinned: given again, it waits only once somebody has doubts.
        query = query.where(or_(reviews.status != "approved", reviews.flag.in_(_WANTING), reviews.since > 0))
    if queue.choice == "weak":
        query = query.where(reviews.support < WEAK)
    if queue.choice == "sample":
        query = query.where(_in_sample(queue.seed, queue.share))
    if queue.hidden:
        # Not the bare column: an index would be asked for every hidden document of every answer, which has but a few.
        named = topics.value.concat("")
        unread = (topics.number == reviews.number) & (topics.kind == "document") & named.in_(queue.hidden)
        # Counted, not asked for by EXISTS, which PostgreSQL would answer by reading the topics of all answers first.
        query = query.where(select(func.count()).where(unread).correlate(schema.reviews).scalar_subquery() == 0)
    return query


def _in_sample(seed: int, share: float) -> ColumnElement[bool]:
    """Lots lie evenly on a ring; a sample is an arc of it that begins where the seed says."""
    place = schema.reviews.c.lot
    begin = lot(f"sample {seed}")
    end = begin + int(LOTS * min(max(share, 0.0), 1.0))
    if end <= LOTS:
        return (place >= begin) & (place < end)
    return or_(place >= begin, place < end - LOTS)
