"""What is remembered of conversations, answers and labels; and the doors to all else: charts, documents, jobs, example
questions, promotions, people and their keys, the audit log, the review, approved answers.

Every write is on the disk when its call returns. Knows nothing about vectors, or about what a record says inside.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from store import StoreError, audit, review_status, schema
from store.approved import ApprovedAnswers
from store.audit import Audit
from store.chart_versions import Activations
from store.database import open_database, reading, writing
from store.examples import Examples
from store.forgetting import Forgotten, asked_by, forget
from store.jobs import Jobs
from store.keys import Links, Sessions, Tokens
from store.library import Library
from store.people import People
from store.person import called
from store.promotions import Promotions
from store.reviewing import Reviewing

VERDICTS = ("Correct", "Correct-Verbose", "Incorrect")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one owner; `updated` is when its last answer came."""

    id: str
    owner: str
    title: str
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer with its whole record as JSON; `conversation` is None outside of one."""

    id: str
    conversation: str | None
    question: str
    answer: str
    record_json: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Label:
    """A reviewer's verdict on an answer, with a comment and a corrected answer, both empty when there is none.

    `asker` says that it is a remark of who asked, and no review; `wrong_source` is the id of a source of the answer
    that was wrong; `settles` says that it holds though others judged otherwise.
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


class Records:
    """The records of one home. Any thread may call any method, and any may raise StoreError for a failing database."""

    def __init__(self, url: str) -> None:
        """Open the database at `sqlite:///...` or `postgresql+psycopg://...`, and bring it up to date."""
        self._engine = open_database(url)
        self.activations = Activations(self._engine)
        self.library = Library(self._engine)
        self.jobs = Jobs(self._engine)
        self.examples = Examples(self._engine)
        self.promotions = Promotions(self._engine)
        self.people = People(self._engine)
        self.sessions = Sessions(self._engine)
        self.tokens = Tokens(self._engine)
        self.links = Links(self._engine)
        self.audit = Audit(self._engine)
        self.reviewing = Reviewing(self._engine)
        self.approved = ApprovedAnswers(self._engine)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    # Conversations

    def start_conversation(self, owner: str, title: str) -> Conversation:
        """A new, empty conversation."""
        now = _now()
        id = uuid.uuid4().hex
        with writing(self._engine) as connection:
            row = {"id": id, "owner": owner, "title": title, "created": now, "updated": now}
            connection.execute(insert(schema.conversations), row)
        return Conversation(id, owner, title, now, now)

    def conversations(self, owner: str) -> tuple[Conversation, ...]:
        """The conversations of an owner, the one answered last first."""
        table = schema.conversations.c
        query = select(table.id, table.owner, table.title, table.created, table.updated).where(table.owner == owner)
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(table.updated.desc(), table.created.desc())).all()
        return tuple(Conversation(*row) for row in rows)

    def owns(self, owner: str, conversation: str) -> bool:
        """Whether the owner has that conversation."""
        table = schema.conversations.c
        query = select(table.id).where(table.id == conversation, table.owner == owner)
        with reading(self._engine) as connection:
            return connection.execute(query).first() is not None

    def rename_conversation(self, owner: str, id: str, title: str) -> None:
        """Raises StoreError unless the owner has that conversation."""
        table = schema.conversations
        with writing(self._engine) as connection:
            renamed = update(table).where(table.c.id == id, table.c.owner == owner).values(title=title)
            if connection.execute(renamed).rowcount == 0:
                raise _no_conversation()

    def delete_conversation(self, owner: str, id: str) -> None:
        """Forget a conversation and its answers; those that a reviewer has labelled stay, outside of any conversation.

        Raises StoreError unless the owner has that conversation.
        """
        conversations = schema.conversations.c
        with writing(self._engine) as connection:
            if not forget(connection, (conversations.id == id) & (conversations.owner == owner)).conversations:
                raise _no_conversation()

    def forget_person(self, person: str, *, by: str, where: str = "") -> Forgotten:
        """Forget every conversation of a person, and what they asked outside of any; what they judged of others'
        answers stays."""
        with writing(self._engine) as connection:
            alone = asked_by(schema.reviews.c.asker == person)
            forgotten = forget(connection, schema.conversations.c.owner == person, alone=alone)
            name = called(connection, person)
            audit.note(connection, by, "conversations forgotten", name, where=where, result=str(forgotten))
        return forgotten

    def forget_before(self, moment: datetime, *, by: str, where: str = "") -> Forgotten:
        """Forget the conversations that nobody went on with since a moment, and older answers outside of any."""
        old, alone = schema.conversations.c.updated < moment, schema.answers.c.created < moment
        with writing(self._engine) as connection:
            forgotten = forget(connection, old, alone=alone)
            audit.note(
                connection,
                by,
                "old conversations forgotten",
                f"before {moment:%Y-%m-%d}",
                where=where,
                result=str(forgotten),
            )
        return forgotten

    # Answers

    def save_answer(
        self, id: str, conversation: str | None, question: str, answer: str, record_json: str, *, asker: str = ""
    ) -> None:
        """Keep a new answer. Inside of a conversation its owner is the asker, outside `asker`, "" for nobody. Raises
        StoreError when the conversation is gone."""
        now = _now()
        table = schema.conversations
        with writing(self._engine) as connection:
            review_status.take_desk(connection)
            if conversation is not None:
                answered = update(table).where(table.c.id == conversation).values(updated=now)
                if connection.execute(answered).rowcount == 0:
                    raise _no_conversation()
                asker = connection.scalar(select(table.c.owner).where(table.c.id == conversation)) or ""
            row = {"id": id, "conversation": conversation, "question": question, "answer": answer}
            kept = connection.execute(insert(schema.answers), row | {"record_json": record_json, "created": now})
            number = kept.inserted_primary_key.number  # type: ignore[union-attr]  # None after many rows at once
            review_status.enter(connection, number, id, asker, now, record_json)

    def answer(self, id: str) -> StoredAnswer | None:
        """The answer with that id."""
        return next(iter(self._answers(schema.answers.c.id == id)), None)

    def answers(self, conversation: str) -> tuple[StoredAnswer, ...]:
        """The answers of a conversation, in the order in which they were given."""
        return self._answers(schema.answers.c.conversation == conversation)

    def newest_answers(self, most: int) -> tuple[StoredAnswer, ...]:
        """The last `most` answers that were given, of every conversation and of none, the oldest of them first."""
        table = schema.answers.c
        newest = select(table.number).order_by(table.number.desc()).limit(most)
        return self._answers(table.number.in_(newest))

    def _answers(self, condition: ColumnElement[bool]) -> tuple[StoredAnswer, ...]:
        table = schema.answers.c
        columns = (table.id, table.conversation, table.question, table.answer, table.record_json, table.created)
        with reading(self._engine) as connection:
            rows = connection.execute(select(*columns).where(condition).order_by(table.number)).all()
        return tuple(StoredAnswer(*row) for row in rows)

    # Labels

    def put_label(
        self,
        answer: str,
        reviewer: str,
        verdict: str,
        comment: str,
        corrected: str,
        *,
        asker: bool = False,
        wrong_source: str = "",
        settles: bool = False,
        instead_of: str | None = None,
        by: str = "",
        where: str = "",
    ) -> Label:
        """Keep a reviewer's verdict on an answer; an earlier one of the same reviewer stays as history.

        With `asker` it is a remark of who asked, and no review; while somebody else may judge, what one says of the
        answer to a question of one's own is kept as that, as the label that is returned says. With `settles` it holds
        though others judged otherwise. `instead_of` is how the answer stood when it was decided that this reviewer may
        judge it; None asks for no such check. `by` is what the log calls the reviewer, by their id otherwise. Raises
        StoreError for another verdict than the three, when the answer is gone, and when it stands otherwise by now.
        """
        if verdict not in VERDICTS:
            raise StoreError(f"{verdict!r} is no verdict.", f"Use one of {', '.join(VERDICTS)}.")
        with writing(self._engine) as connection:
            reviews, table = schema.reviews.c, schema.labels.c
            number, _ = review_status.hold(connection, answer)  # so that of two at once each sees the other's
            stands = connection.scalar(select(reviews.standing).where(reviews.number == number))
            if instead_of is not None and stands != instead_of:
                raise StoreError("This answer stands otherwise by now, so nothing was kept.", "Look at it again.")
            given = Label(answer, reviewer, verdict, comment, corrected, _now(), asker, wrong_source, settles)
            kept = connection.execute(insert(schema.labels), asdict(given)).inserted_primary_key
            review_status.settle(connection, answer)
            (label,) = _labels(connection, table.number == kept.number)  # type: ignore[union-attr]  # None after many
            what = "remarked" if label.asker else "judged"
            audit.note(connection, by or reviewer, what, answer, where=where, result=verdict)
        return label

    def label(self, answer: str, reviewer: str) -> Label | None:
        """What somebody said last of an answer, a review or a remark of who asked, also where it counts no more; None
        where they said nothing."""
        return next(iter(self.label_history(answer, reviewer)[-1:]), None)

    def labels_of(self, answer: str) -> tuple[Label, ...]:
        """Every verdict on an answer, the oldest first."""
        return self._labels(schema.labels.c.answer == answer)

    def label_history(self, answer: str, reviewer: str) -> tuple[Label, ...]:
        """Every verdict of a reviewer on an answer, the oldest first."""
        table = schema.labels.c
        return self._labels(table.answer == answer, table.reviewer == reviewer)

    def labels(self) -> tuple[Label, ...]:
        """Every verdict that counts, the oldest first: each reviewer's last on an answer, and none from before it was
        put back into the queue; not the remarks of those who asked."""
        return self._labels(schema.labels.c.number.in_(_counting()))

    def verdicts(self, answer: str) -> tuple[Label, ...]:
        """Those of `labels` that are on one answer."""
        return self._labels(schema.labels.c.number.in_(_counting(schema.labels.c.answer == answer)))

    def take_back_label(self, answer: str, reviewer: str, *, by: str = "", where: str = "") -> Label:
        """Forget a reviewer's last verdict on an answer, a slip of the finger; the one before it counts again.

        `by` as in `put_label`. Raises StoreError when there is none that counts.
        """
        table = schema.labels
        with writing(self._engine) as connection:
            _, since = review_status.hold(connection, answer)
            own = (table.c.answer == answer, table.c.reviewer == reviewer, ~table.c.asker, table.c.number > since)
            last = connection.scalar(select(func.max(table.c.number)).where(*own))
            if last is None:
                raise StoreError("There is no verdict of yours to take back.", "It was taken back already.")
            (label,) = _labels(connection, table.c.number == last)
            connection.execute(delete(table).where(table.c.number == last))
            review_status.settle(connection, answer)
            audit.note(connection, by or reviewer, "verdict taken back", answer, where=where, result=label.verdict)
        return label

    def _labels(self, *conditions: ColumnElement[bool]) -> tuple[Label, ...]:
        with reading(self._engine) as connection:
            return _labels(connection, *conditions)


def _labels(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Label, ...]:
    table = schema.labels.c
    columns = (
        table.answer, table.reviewer, table.verdict, table.comment, table.corrected, table.at, table.asker,
        table.wrong_source, table.settles,
    )  # fmt: skip
    rows = connection.execute(select(*columns).where(*conditions).order_by(table.number)).all()
    return tuple(Label(*row) for row in rows)


def _counting(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The numbers of the verdicts that count."""
    labels, answers, reviews = schema.labels.c, schema.answers.c, schema.reviews.c
    query = select(func.max(labels.number)).join(schema.answers, answers.id == labels.answer)
    query = query.join(schema.reviews, reviews.number == answers.number)
    query = query.where(~labels.asker, labels.number > reviews.since, *conditions)
    return query.group_by(labels.answer, labels.reviewer)


def _now() -> datetime:
    return datetime.now(UTC)


def _no_conversation() -> StoreError:
    return StoreError("There is no such conversation.", "It may have been deleted in another window: reload the page.")
