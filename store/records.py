"""What is remembered of charts, conversations, answers and labels; and the doors to the library, the jobs
and the example questions.

Every write is on the disk when its call returns. Knows nothing about vectors, or about what a record says inside.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from store import StoreError, schema
from store.database import open_database, reading, writing
from store.examples import Examples
from store.jobs import Jobs
from store.library import Library

VERDICTS = ("Correct", "Correct-Verbose", "Incorrect")


@dataclass(frozen=True, slots=True)
class ChartVersion:
    """A chart that was activated, last at `activated` and `by` whom; one at most is `active`.

    `sha256` finds its file; `units` is how many it has, 0 where that was not written down.
    """

    version: str
    name: str
    sha256: str
    activated: datetime
    active: bool
    by: str = ""
    units: int = 0


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
    """A reviewer's verdict on an answer, with a comment and a corrected answer, both empty when there is none."""

    answer: str
    reviewer: str
    verdict: str
    comment: str
    corrected: str
    at: datetime


class Records:
    """The records of one home. Any thread may call any method, and any may raise StoreError for a failing database."""

    def __init__(self, url: str) -> None:
        """Open the database at `sqlite:///...` or `postgresql+psycopg://...`, and bring it up to date."""
        self._engine = open_database(url)
        self.library = Library(self._engine)
        self.jobs = Jobs(self._engine)
        self.examples = Examples(self._engine)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    # Charts

    def activate_chart(
        self, version: str, name: str, sha256: str, *, by: str = "", units: int = 0, instead_of: str | None = None
    ) -> ChartVersion:
        """Make a chart the one in use. Activating an older version again is the way back to it.

        `instead_of` is the version that whoever decided saw in use, "" for none: when it is another by now, nothing
        changes and StoreError is raised. None asks for no such check.
        """
        now = _now()
        row = {"version": version, "name": name, "sha256": sha256, "activated": now, "activated_by": by, "units": units}
        with writing(self._engine) as connection:
            if connection.dialect.name == "postgresql":  # SQLite's writers are alone already
                connection.execute(text("LOCK TABLE activations IN SHARE ROW EXCLUSIVE MODE"))
            found = self._charts(connection)
            active = found[0].version if found else ""
            if instead_of is not None and active != instead_of:
                raise StoreError(
                    f"Another chart was activated meanwhile: {found[0].name} ({active})."
                    if found
                    else "The chart that you saw in use is gone.",
                    "Look at what changes against it, and activate again if that is what you want.",
                )
            connection.execute(insert(schema.activations), row)
        return ChartVersion(version, name, sha256, now, active=True, by=by, units=units)

    def active_chart(self) -> ChartVersion | None:
        """The chart in use, None before the first."""
        return next(iter(self.charts()), None)

    def charts(self) -> tuple[ChartVersion, ...]:
        """Every chart version by its last activation, newest first; so the first one is in use."""
        with reading(self._engine) as connection:
            return self._charts(connection)

    def _charts(self, connection: Connection) -> tuple[ChartVersion, ...]:
        table = schema.activations.c
        last = select(func.max(table.number)).group_by(table.version)
        columns = (table.version, table.name, table.sha256, table.activated, table.activated_by, table.units)
        query = select(*columns).where(table.number.in_(last)).order_by(table.number.desc())
        return tuple(
            ChartVersion(version, name, sha256, activated, active=position == 0, by=by, units=units)
            for position, (version, name, sha256, activated, by, units) in enumerate(connection.execute(query))
        )

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
        conversations, answers = schema.conversations.c, schema.answers.c
        owned = (conversations.id == id, conversations.owner == owner)
        labelled = select(schema.labels.c.answer)
        with writing(self._engine) as connection:
            inside = answers.conversation.in_(select(conversations.id).where(*owned))
            connection.execute(delete(schema.answers).where(inside, answers.id.not_in(labelled)))
            if connection.execute(delete(schema.conversations).where(*owned)).rowcount == 0:
                raise _no_conversation()

    # Answers

    def save_answer(self, id: str, conversation: str | None, question: str, answer: str, record_json: str) -> None:
        """Keep a new answer. Raises StoreError when the conversation is gone."""
        now = _now()
        table = schema.conversations
        with writing(self._engine) as connection:
            if conversation is not None:
                answered = update(table).where(table.c.id == conversation).values(updated=now)
                if connection.execute(answered).rowcount == 0:
                    raise _no_conversation()
            row = {"id": id, "conversation": conversation, "question": question, "answer": answer}
            connection.execute(insert(schema.answers), row | {"record_json": record_json, "created": now})

    def update_answer(self, id: str, answer: str, record_json: str) -> None:
        """Keep a saved answer as it stands now. Raises StoreError when it is gone."""
        table = schema.answers
        with writing(self._engine) as connection:
            changed = update(table).where(table.c.id == id).values(answer=answer, record_json=record_json)
            if connection.execute(changed).rowcount == 0:
                raise _no_answer()

    def answer(self, id: str) -> StoredAnswer | None:
        """The answer with that id."""
        return next(iter(self._answers(schema.answers.c.id == id)), None)

    def answers(self, conversation: str) -> tuple[StoredAnswer, ...]:
        """The answers of a conversation, in the order in which they were given."""
        return self._answers(schema.answers.c.conversation == conversation)

    def _answers(self, condition: ColumnElement[bool]) -> tuple[StoredAnswer, ...]:
        table = schema.answers.c
        columns = (table.id, table.conversation, table.question, table.answer, table.record_json, table.created)
        with reading(self._engine) as connection:
            rows = connection.execute(select(*columns).where(condition).order_by(table.number)).all()
        return tuple(StoredAnswer(*row) for row in rows)

    # Labels

    def put_label(self, answer: str, reviewer: str, verdict: str, comment: str, corrected: str) -> Label:
        """Keep a reviewer's verdict on an answer; an earlier one of the same reviewer stays as history.

        Raises StoreError for another verdict than the three, and when the answer is gone.
        """
        if verdict not in VERDICTS:
            raise StoreError(f"{verdict!r} is no verdict.", f"Use one of {', '.join(VERDICTS)}.")
        label = Label(answer, reviewer, verdict, comment, corrected, _now())
        row = {"answer": answer, "reviewer": reviewer, "verdict": verdict, "comment": comment, "corrected": corrected}
        with writing(self._engine) as connection:
            try:
                connection.execute(insert(schema.labels), row | {"at": label.at})
            except IntegrityError as error:
                raise _no_answer() from error
        return label

    def label(self, answer: str, reviewer: str) -> Label | None:
        """The verdict that counts, a reviewer's last one on an answer."""
        return next(iter(self.label_history(answer, reviewer)[-1:]), None)

    def label_history(self, answer: str, reviewer: str) -> tuple[Label, ...]:
        """Every verdict of a reviewer on an answer, the oldest first."""
        table = schema.labels.c
        return self._labels(table.answer == answer, table.reviewer == reviewer)

    def labels(self) -> tuple[Label, ...]:
        """Every verdict that counts, the oldest first."""
        table = schema.labels.c
        return self._labels(table.number.in_(select(func.max(table.number)).group_by(table.answer, table.reviewer)))

    def _labels(self, *conditions: ColumnElement[bool]) -> tuple[Label, ...]:
        table = schema.labels.c
        columns = (table.answer, table.reviewer, table.verdict, table.comment, table.corrected, table.at)
        with reading(self._engine) as connection:
            rows = connection.execute(select(*columns).where(*conditions).order_by(table.number)).all()
        return tuple(Label(*row) for row in rows)


def _now() -> datetime:
    return datetime.now(UTC)


def _no_conversation() -> StoreError:
    return StoreError("There is no such conversation.", "It may have been deleted in another window: reload the page.")


def _no_answer() -> StoreError:
    return StoreError("There is no such answer.", "It may have been deleted with its conversation: reload the page.")
