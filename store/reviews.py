"""The rows that reviewers work on: verdicts, the review status of each answer, and how many answers have which.

A change of them is a transaction (`Reviews.changing`), in which nobody else changes any; what follows from what is
decided in trag/review.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from store import StoreError, approved, audit, schema
from store.approved import Approved, Kind, Present
from store.database import lock_table, reading, rows, writing
from store.review_queues import Queue, chosen, ordered, sampling_hash
from store.review_topics import By, doubt, read_record


@dataclass(frozen=True, slots=True)
class Label:
    """A reviewer's verdict on an answer, with a comment and a corrected answer, both empty when there is none.

    `asker` says that it is a remark of who asked, and no review; `wrong_source` is the id of a source of the answer
    that was wrong; `settles` says that it holds though others judged otherwise; `right_document` and `right_section`
    say where the right answer stands, "" where nobody says it.
    """

    answer: str
    reviewer: str
    verdict: str
    comment: str
    corrected: str
    at: datetime
    asker: bool = False
    wrong_source: str = ""
    settles: bool = False
    right_document: str = ""
    right_section: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """What a reviewer says of where an answer stands: the id of a source of it that was wrong, and the document and the
    section in which the right answer stands; each "" for nothing."""

    wrong_source: str = ""
    right_document: str = ""
    right_section: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """An answer as reviewers see it. `support` is the share of its sentences that sources bear out, None where none
    were checked; `flag` is the verdict of who asked, "" for none; `second` says that two reviewers are wanted.
    Of a plan `question` is the request."""

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
    review_status: str
    second: bool
    kind: Kind = "answer"


@dataclass(frozen=True, slots=True)
class Count:
    """How many answers of one `value` (a week's Monday, a document, a unit, a model, a procedure, an action, a part of
    a workflow) have one review status."""

    value: str
    review_status: str
    answers: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many answers the first reviewer judged `first` and the second, on their own, `second`."""

    first: str
    second: str
    answers: int


class Reviews:
    """The reviews of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def changing(self) -> Iterator[ReviewTransaction]:
        """A transaction that is durable when the block ends, and never happened if the block raises."""
        with writing(self._engine) as connection:
            yield ReviewTransaction(connection)

    def queue(self, queue: Queue, *, reviewer: str, page: int = 1, most: int = 20) -> tuple[Review, ...]:
        """A page of a queue: the likeliest to be wrong first where they are doubtful, else the newest. A reviewer does
        not meet again what they have judged and another is to judge, nor what they asked themselves and another may
        judge."""
        number = schema.reviews.c.number
        with reading(self._engine) as connection:
            wanted = chosen(queue, reviewer, alone=alone(connection, reviewer))
            # The page is chosen from the narrow tables alone, and then only its answers are read.
            first = ordered(wanted, queue, wanted.selected_columns.number)
            here = first.limit(most).offset(most * (max(page, 1) - 1)).subquery()
            found = connection.execute(ordered(_reviews().where(number.in_(select(here.c.number))), queue, number))
            return tuple(Review(*row) for row in found)

    def size(self, queue: Queue, *, reviewer: str, most: int = 1_000) -> int:
        """How many answers a queue has on all its pages; beyond `most` nobody counts."""
        with reading(self._engine) as connection:
            counted = chosen(queue, reviewer, alone=alone(connection, reviewer)).limit(most).subquery()
            return connection.scalar(select(func.count()).select_from(counted)) or 0

    def review(self, answer: str) -> Review | None:
        """One answer as reviewers see it."""
        found = rows(self._engine, _reviews().where(schema.answers.c.id == answer))
        return next((Review(*row) for row in found), None)

    def alone(self, reviewer: str) -> bool:
        """Whether nobody else may judge: no other reviewer or admin is active, as where there are no accounts."""
        with reading(self._engine) as connection:
            return alone(connection, reviewer)

    def counts(self, by: By, *, since: date | None = None, hidden: Collection[str] = ()) -> tuple[Count, ...]:
        """How many answers have which review status, of each week, model, document or unit; `hidden` documents are left
        out. `since` is the Monday of the first week that counts."""
        tallies, topics = schema.tallies.c, schema.topics.c
        answers: ColumnElement[int] = func.sum(tallies.answers)
        value, status, some = tallies.value, tallies.review_status, tallies.kind == by
        if since is not None and by == "week":
            some &= value >= since.isoformat()
        elif since is not None:
            week = (topics.kind == "week") & (topics.value >= since.isoformat())
            # The first in an index, not the least: that would be looked for among all answers.
            first = select(topics.number).where(week).order_by(topics.value, topics.number).limit(1).scalar_subquery()
            value, status, answers = topics.value, topics.review_status, func.count()
            some = (topics.kind == by) & (topics.number >= first)
        query = select(value, status, answers).where(some).group_by(value, status).having(answers > 0)
        left_out = {*hidden} if by == "document" else set()
        found = rows(self._engine, query.order_by(value, status))
        return tuple(Count(*row) for row in found if row[0] not in left_out)

    def values(self, by: By) -> tuple[str, ...]:
        """Every week, model, document or unit that some answer is of, also those that are gone."""
        tallies = schema.tallies.c
        found = select(tallies.value).where(tallies.kind == by, tallies.answers > 0).distinct().order_by(tallies.value)
        return tuple(row[0] for row in rows(self._engine, found))

    def judged(self, verdict: str, since: date, most: int) -> tuple[tuple[Review, ...], int]:
        """The newest `most` answers to questions on which a verdict holds, the newest first, and how many there are;
        `since` is the Monday of the first week that counts."""
        topics, reviews = schema.topics.c, schema.reviews.c
        week = (topics.kind == "week") & (topics.value >= since.isoformat()) & (topics.review_status == verdict)
        some = reviews.number.in_(select(topics.number).where(week)) & (schema.answers.c.kind == "answer")
        with reading(self._engine) as connection:
            counted = select(func.count()).join_from(schema.reviews, schema.answers).where(some)
            found = connection.execute(_reviews().where(some).order_by(reviews.number.desc()).limit(most))
            return tuple(Review(*row) for row in found), connection.scalar(counted) or 0

    def documents_of(self, answer: str) -> tuple[str, ...]:
        """The names of the documents that an answer stands on."""
        topics, answers = schema.topics.c, schema.answers.c
        query = select(topics.value).join_from(schema.topics, schema.answers, answers.number == topics.number)
        named = rows(self._engine, query.where(answers.id == answer, topics.kind == "document"))
        return tuple(name for (name,) in named)

    def agreement(self) -> tuple[Agreement, ...]:
        """How the first two reviewers of an answer judged it, each on their own: what kappa is made of."""
        reviews = schema.reviews.c
        both = (reviews.first_opinion, reviews.second_opinion)
        query = select(*both, func.count()).where(reviews.second_opinion > "").group_by(*both)
        return tuple(Agreement(*row) for row in sorted(map(tuple, rows(self._engine, query))))


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The row of an answer under review: its words, and up to which label its verdicts no longer count (`since`)."""

    number: int
    asker: str
    status: str
    review_status: str
    second: bool
    since: int
    answer: str
    record_json: str


class ReviewTransaction:
    """What can be read and changed of the reviews, while nobody else changes any."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, answer: str) -> Reviewed:
        """An answer, from when on nobody else changes it. Raises StoreError when it is gone."""
        lock_reviews(self._connection)
        reviews, answers = schema.reviews.c, schema.answers.c
        query = select(
            reviews.number, reviews.asker, reviews.status, reviews.review_status, reviews.second, reviews.since,
            answers.answer, answers.record_json,
        ).join_from(schema.reviews, schema.answers, reviews.number == answers.number)  # fmt: skip
        row = self._connection.execute(query.where(answers.id == answer)).first()
        if row is None:
            raise StoreError(
                "There is no such answer.", "It may have been deleted with its conversation: reload the page."
            )
        return Reviewed(*row)

    def change_answer(self, id: str, before: str, answer: str, record_json: str) -> bool:
        """Keep a new state of what is kept under an id, a workflow that somebody went on with; False, and nothing is
        kept, unless its record is `before` still."""
        lock_reviews(self._connection)
        table = schema.answers
        same = (table.c.id == id) & (table.c.record_json == before)
        new = {"answer": answer, "record_json": record_json}
        if self._connection.execute(update(table).where(same).values(new)).rowcount == 0:
            return False
        _renew(self._connection, id, record_json)
        return True

    def alone(self, reviewer: str) -> bool:
        """Whether nobody else may judge."""
        return alone(self._connection, reviewer)

    def labels(self, answer: str, *, since: int = 0) -> tuple[Label, ...]:
        """Every verdict on an answer, the oldest first; those after the label of a number alone."""
        labels = schema.labels.c
        return read_labels(self._connection, labels.answer == answer, labels.number > since)

    def counting(self, answer: str) -> tuple[Label, ...]:
        """The verdicts on an answer that count, the oldest first."""
        return read_labels(
            self._connection, schema.labels.c.number.in_(counting_labels(schema.labels.c.answer == answer))
        )

    def add_label(self, label: Label) -> None:
        """Keep a verdict."""
        self._connection.execute(insert(schema.labels), asdict(label))

    def remove_last_label(self, answer: str, reviewer: str, *, since: int) -> Label | None:
        """Forget a reviewer's last verdict on an answer that counts; None where there is none."""
        table = schema.labels
        own = (table.c.answer == answer, table.c.reviewer == reviewer, ~table.c.asker, table.c.number > since)
        last = self._connection.scalar(select(func.max(table.c.number)).where(*own))
        if last is None:
            return None
        (label,) = read_labels(self._connection, table.c.number == last)
        self._connection.execute(delete(table).where(table.c.number == last))
        return label

    def make_remarks(self, answer: str, asker: str) -> None:
        """Let what somebody said of an answer be remarks of who asked, and no verdicts."""
        labels = schema.labels
        own = (labels.c.answer == answer, labels.c.reviewer == asker, ~labels.c.asker)
        self._connection.execute(update(labels).where(*own).values(asker=True, settles=False))

    def want_second(self, number: int, wanted: bool) -> None:
        """Whether two reviewers are wanted for an answer."""
        self._connection.execute(update(schema.reviews).where(schema.reviews.c.number == number).values(second=wanted))

    def count_from_now(self, number: int, answer: str) -> None:
        """Let the verdicts on an answer so far no longer count."""
        newest = select(func.coalesce(func.max(schema.labels.c.number), 0)).where(schema.labels.c.answer == answer)
        reviews = schema.reviews
        self._connection.execute(
            update(reviews).where(reviews.c.number == number).values(since=newest.scalar_subquery())
        )

    def set_status(self, answer: Reviewed, review_status: str, flag: str, first: str, second: str) -> None:
        """The review status of an answer, what its asker says, and the first two verdicts on it, each "" for none."""
        reviews, topics = schema.reviews, schema.topics
        values = {"review_status": review_status, "flag": flag, "first_opinion": first, "second_opinion": second}
        against = {"doubt": doubt(read_record(answer.record_json)[0], flag)}
        self._connection.execute(update(reviews).where(reviews.c.number == answer.number).values(values | against))
        if review_status != answer.review_status:
            about = topics.c.number == answer.number
            tally(self._connection, about, -1)
            self._connection.execute(update(topics).where(about).values(review_status=review_status))
            tally(self._connection, about, 1)

    def approved(self, id: str) -> Approved | None:
        """The approved answer with that id."""
        return next(iter(approved.approved(self._connection, schema.approved.c.id == id)), None)

    def pinned(self, answer: str, given: tuple[Kind, str, str] | None = None) -> tuple[Approved, ...]:
        """What is pinned of an answer, and of a kind to a question in those words, where they are `given`, "" for a
        question with any; by answer."""
        table = schema.approved.c
        some = table.answer == answer
        if given:
            kind, question, reply = given
            same = (table.kind == kind) & (table.question == question)
            some |= same & (table.reply == reply) if reply else same
        found = approved.approved(self._connection, table.state == "pinned", some)
        return tuple(sorted(found, key=lambda each: each.answer or ""))

    def present(self, documents: Collection[str]) -> Present:
        """What there is of these documents, and the chart and the procedures in use."""
        return approved.present(self._connection, [*documents])

    def pin(self, pinned: Approved) -> None:
        """Keep a pinned answer, in place of one that was pinned to the same question before."""
        approved.add(self._connection, pinned)

    def unpin(self, id: str, why: str) -> bool:
        """Give an approved answer no more; False where it was not pinned any more."""
        table = schema.approved
        pinned = (table.c.id == id, table.c.state == "pinned")
        changed = self._connection.execute(update(table).where(*pinned).values(state="returned", why=why))
        return changed.rowcount > 0

    def note(self, who: str, what: str, about: str, *, where: str = "", result: str = "") -> None:
        """Add an event to the audit log. To be called last: everybody else who writes to it waits from here on."""
        audit.note(self._connection, who, what, about, where=where, result=result)


def lock_reviews(connection: Connection) -> None:
    """Let nobody else add answers, judge or forget them until this transaction ends.

    To be called before the transaction changes a conversation, an answer or a label: two that each held a row which the
    other needs would wait for each other for ever.
    """
    lock_table(connection, schema.tallies)


def enter(connection: Connection, number: int, id: str, asker: str, created: datetime, record_json: str) -> None:
    """Put a new answer before the reviewers, whose tables the transaction has locked."""
    columns, topics = read_record(record_json)
    monday = (created - timedelta(days=created.weekday())).date().isoformat()
    row = {"number": number, "asker": asker, "sampling_hash": sampling_hash(id), "flag": "", "review_status": "open"}
    connection.execute(insert(schema.reviews), row | columns | {"second": False, "since": 0})
    rows = [
        {"kind": kind, "value": value, "number": number, "review_status": "open"}
        for kind, value in [("week", monday), *topics]
    ]
    connection.execute(insert(schema.topics), rows)
    tally(connection, schema.topics.c.number == number, 1)


def _renew(connection: Connection, id: str, record_json: str) -> None:
    """Have the reviews say what the record of an answer says by now."""
    answers, reviews, topics = schema.answers.c, schema.reviews, schema.topics
    found = select(reviews.c.number, reviews.c.review_status).join(schema.answers, answers.number == reviews.c.number)
    number, status = connection.execute(found.where(answers.id == id)).one()
    columns, told = read_record(record_json)
    some = (topics.c.number == number) & (topics.c.kind != "week")
    tally(connection, some, -1)
    connection.execute(delete(topics).where(some))
    rows = [{"kind": kind, "value": value, "number": number, "review_status": status} for kind, value in told]
    if rows:
        connection.execute(insert(topics), rows)
    tally(connection, some, 1)
    connection.execute(update(reviews).where(reviews.c.number == number).values(columns))


def tally(connection: Connection, some: ColumnElement[bool], sign: int) -> None:
    """Count the topics that are chosen in (1) or out (-1)."""
    topics, table = schema.topics.c, schema.tallies
    key = (topics.kind, topics.value, topics.review_status)
    rows = connection.execute(select(*key, func.count()).where(some).group_by(*key)).all()
    counts = [
        {"kind": kind, "value": value, "review_status": status, "answers": sign * answers}
        for kind, value, status, answers in rows
    ]
    if not counts:
        return
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    one: postgresql.Insert | sqlite.Insert = dialect.insert(table)
    more = {"answers": table.c.answers + one.excluded.answers}
    connection.execute(one.on_conflict_do_update(index_elements=[*table.primary_key], set_=more), counts)


def alone(connection: Connection, reviewer: str) -> bool:
    """Whether nobody else may judge: no other reviewer or admin is active, as where there are no accounts."""
    people = schema.people.c
    others = (people.role.in_(("reviewer", "admin")), people.state == "active", people.id != reviewer)
    return connection.execute(select(people.id).where(*others).limit(1)).first() is None


def read_labels(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Label, ...]:
    """The labels that meet the conditions, the oldest first."""
    table = schema.labels
    rows = connection.execute(select(table).where(*conditions).order_by(table.c.number))
    return tuple(Label(*row) for _, *row in rows)


def counting_labels(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The numbers of the labels that count: each reviewer's last on an answer, and none from before its review was
    opened again; not the remarks of those who asked."""
    labels, answers, reviews = schema.labels.c, schema.answers.c, schema.reviews.c
    query = select(func.max(labels.number)).join(schema.answers, answers.id == labels.answer)
    query = query.join(schema.reviews, reviews.number == answers.number)
    query = query.where(~labels.asker, labels.number > reviews.since, *conditions)
    return query.group_by(labels.answer, labels.reviewer)


def _reviews() -> Select[Any]:
    reviews, answers = schema.reviews.c, schema.answers.c
    return select(
        answers.id, answers.question, answers.answer, answers.created,
        reviews.asker, reviews.status, reviews.model, reviews.adapter, reviews.support, reviews.flag,
        reviews.review_status, reviews.second, answers.kind,
    ).join_from(schema.reviews, schema.answers, reviews.number == answers.number)  # fmt: skip
