"""The records of one home: conversations, answers and labels, and from here all else that the database keeps.

Every write is on the disk when its call returns. Any thread may call any method, here and of all that hangs on it, and
any may raise StoreError for a failing database.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, insert, select, update

from store import StoreError, audit, schema
from store.appearances import Appearances
from store.approved import ApprovedAnswers, Kind
from store.audit import Audit
from store.conflicts import Conflicts
from store.database import open_database, reading, rows, writing
from store.folders import Folders
from store.jobs import Jobs
from store.keys import Links, Sessions, Tokens
from store.library import Examples, Library
from store.notices import Notices
from store.people import People
from store.person import Forgotten, asked_by, display_name, forget
from store.registers import Registers
from store.reviews import Label, Reviews, counting_labels, enter, lock_reviews, read_labels
from store.second_factors import SecondFactors
from store.shares import Shares
from store.use import Use
from store.validity import Validities
from store.versions import Promotions, Versions
from store.workflow_runs import WorkflowRuns, forget_runs_before
from store.workflows import Workflows

_SOME = 200
"""Answers that are read at once where there may be many."""


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
    """An answer, or what else is of a kind, with its whole record as JSON; `conversation` is None outside of one."""

    id: str
    conversation: str | None
    question: str
    answer: str
    record_json: str
    created: datetime
    kind: Kind = "answer"


class Records:
    """The records of one home."""

    def __init__(self, url: str, *, workflows: bool = False) -> None:
        """Open the database at `sqlite:///...` or `postgresql+psycopg://...`, and bring it up to date. `workflows` is
        whether what happens sets workflows off."""
        self._engine = open_database(url)
        self.workflows = Workflows(self._engine, on=workflows)
        self.chart_versions = Versions(self._engine, schema.activations, "chart", self.workflows)
        self.procedure_versions = Versions(self._engine, schema.procedure_activations, "book of procedures")
        self.library = Library(self._engine, self.workflows)
        self.validity = Validities(self._engine)
        self.conflicts = Conflicts(self._engine)
        self.jobs = Jobs(self._engine)
        self.examples = Examples(self._engine)
        self.promotions = Promotions(self._engine)
        self.people = People(self._engine)
        self.sessions = Sessions(self._engine)
        self.tokens = Tokens(self._engine)
        self.links = Links(self._engine)
        self.second_factors = SecondFactors(self._engine)
        self.audit = Audit(self._engine)
        self.reviews = Reviews(self._engine)
        self.approved = ApprovedAnswers(self._engine)
        self.workflow_runs = WorkflowRuns(self._engine)
        self.notices = Notices(self._engine)
        self.registers = Registers(self._engine, self.workflows)
        self.shares = Shares(self._engine)
        self.use = Use(self._engine)
        self.folders = Folders(self._engine)
        self.appearances = Appearances(self._engine)

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
        query = select(schema.conversations).where(table.owner == owner)
        ordered = query.order_by(table.updated.desc(), table.created.desc())
        return tuple(Conversation(*row) for row in rows(self._engine, ordered))

    def owns(self, owner: str, conversation: str) -> bool:
        """Whether the owner has that conversation."""
        table = schema.conversations.c
        query = select(table.id).where(table.id == conversation, table.owner == owner)
        return bool(rows(self._engine, query))

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
            name = display_name(connection, person)
            audit.note(connection, by, "conversations forgotten", name, where=where, result=str(forgotten))
        return forgotten

    def forget_before(self, moment: datetime, *, by: str) -> Forgotten:
        """Forget the conversations that nobody went on with since a moment, and older answers outside of any; and the
        runs of workflows that ended before, with their notices. The log tells of it where something was forgotten."""
        old, alone = schema.conversations.c.updated < moment, schema.answers.c.created < moment
        with writing(self._engine) as connection:
            forgotten = forget(connection, old, alone=alone)
            forget_runs_before(connection, moment)
            if forgotten.conversations or forgotten.answers:
                about = f"before {moment:%Y-%m-%d}"
                audit.note(connection, by, "old conversations forgotten", about, result=str(forgotten))
        return forgotten

    # Answers

    def save_answer(
        self,
        id: str,
        conversation: str | None,
        question: str,
        answer: str,
        record_json: str,
        *,
        asker: str = "",
        kind: Kind = "answer",
    ) -> None:
        """Keep a new answer, a plan with its order as the answer, or a workflow with its lines. Inside of a
        conversation its owner is the asker, outside `asker`, "" for nobody. Raises StoreError when the conversation is
        gone."""
        now = _now()
        table = schema.conversations
        with writing(self._engine) as connection:
            lock_reviews(connection)
            if conversation is not None:
                answered = update(table).where(table.c.id == conversation).values(updated=now)
                if connection.execute(answered).rowcount == 0:
                    raise _no_conversation()
                asker = connection.scalar(select(table.c.owner).where(table.c.id == conversation)) or ""
            row = {"id": id, "conversation": conversation, "question": question, "answer": answer}
            kept = connection.execute(
                insert(schema.answers), row | {"record_json": record_json, "created": now, "kind": kind}
            )
            number = kept.inserted_primary_key.number  # type: ignore[union-attr]  # None after many rows at once
            enter(connection, number, id, asker, now, record_json)

    def answer(self, id: str) -> StoredAnswer | None:
        """The answer with that id."""
        return next(iter(self._answers(schema.answers.c.id == id)), None)

    def answers(self, conversation: str) -> tuple[StoredAnswer, ...]:
        """The answers of a conversation, in the order in which they were given; no plans."""
        table = schema.answers.c
        return self._answers((table.conversation == conversation) & (table.kind == "answer"))

    def turns(self, conversation: str) -> Iterator[StoredAnswer]:
        """The same, a few at a time in memory; others may write meanwhile."""
        table, last = schema.answers.c, 0
        of = (table.conversation == conversation) & (table.kind == "answer")
        query = select(schema.answers).where(of).order_by(table.number).limit(_SOME)
        while found := rows(self._engine, query.where(table.number > last)):
            yield from (StoredAnswer(*row) for _, *row in found)
            last = found[-1].number

    def newest_answers(self, most: int, kinds: Sequence[Kind] = ("answer",)) -> tuple[StoredAnswer, ...]:
        """The last `most` answers that were given, of every conversation and of none, the oldest of them first."""
        table = schema.answers.c
        newest = select(table.number).where(table.kind.in_(kinds)).order_by(table.number.desc()).limit(most)
        return self._answers(table.number.in_(newest))

    def plans(self, asker: str, most: int, kind: Kind = "plan") -> tuple[StoredAnswer, ...]:
        """The last `most` plans, or what else is of a kind, of somebody ("" for those of nobody), the oldest of them
        first."""
        table = schema.answers.c
        own = (table.kind == kind) & asked_by(schema.reviews.c.asker == asker)
        newest = select(table.number).where(own).order_by(table.number.desc()).limit(most)
        return self._answers(table.number.in_(newest))

    def _answers(self, condition: ColumnElement[bool]) -> tuple[StoredAnswer, ...]:
        table = schema.answers.c
        query = select(schema.answers).where(condition).order_by(table.number)
        return tuple(StoredAnswer(*row) for _, *row in rows(self._engine, query))

    # Labels

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
        return self._labels(schema.labels.c.number.in_(counting_labels()))

    def verdicts(self, answer: str) -> tuple[Label, ...]:
        """Those of `labels` that are on one answer."""
        return self._labels(schema.labels.c.number.in_(counting_labels(schema.labels.c.answer == answer)))

    def _labels(self, *conditions: ColumnElement[bool]) -> tuple[Label, ...]:
        with reading(self._engine) as connection:
            return read_labels(connection, *conditions)


def _now() -> datetime:
    return datetime.now(UTC)


def _no_conversation() -> StoreError:
    return StoreError("There is no such conversation.", "It may have been deleted in another window: reload the page.")
