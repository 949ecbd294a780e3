"""The tables of the records, as the newest migration leaves them. Knows nothing about what is asked of them.

To change them: change them here, add a migration beside the last one, and raise `HEAD` in database.py.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Boolean, Column, DateTime, Dialect, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

from store import storable


class Words(TypeDecorator[str]):
    """Text as people type and paste it: what no database takes is replaced on the way in."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Moment(TypeDecorator[datetime]):
    """A point in time: timezone-aware UTC outside, and inside where the database knows time zones (SQLite does not)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData()

documents = Table(
    "documents",
    metadata,
    Column("name", Words, primary_key=True),
    Column("sha256", Words, nullable=False),
    Column("pages", Integer),
    Column("added", Moment, nullable=False),
    Column("audience", Words, nullable=False, server_default="everyone"),
    Column("notes", Words, nullable=False, server_default="[]"),
    Column("given_by", Words, nullable=False, server_default=""),
)

passages = Table(
    "passages",
    metadata,
    Column("id", Words, primary_key=True),
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", Words, nullable=False),
    Column("section", Words, nullable=False),
    Column("page", Integer),
    Column("text", Words, nullable=False),
    Index("passages_of_document", "document", "position"),
)

pairs = Table(
    "pairs",
    metadata,
    Column("id", Words, primary_key=True),
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("section", Words, nullable=False),
    Column("page", Integer),
    Column("question", Words, nullable=False),
    Column("answer", Words, nullable=False),
    Column("type", Words, nullable=False),
    Column("origin", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("searched", Boolean, nullable=False),
    Column("source", Words, nullable=False),
    Column("changed_by", Words, nullable=False),
    Index("pairs_of_document", "document", "position"),
)

examples = Table(
    "examples",
    metadata,
    Column("position", Integer, primary_key=True),
    Column("question", Words, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    Column("name", Words, nullable=False),
    Column("sha256", Words, nullable=False),
    Column("given_by", Words, nullable=False),
    Column("added", Moment, nullable=False),
    Column("state", Words, nullable=False),
    Column("message", Words, nullable=False),
    Column("hint", Words, nullable=False),
)

# Nothing is overwritten here: each activation is a row, and the last one is the chart in use.
activations = Table(
    "activations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("version", Words, nullable=False),
    Column("name", Words, nullable=False),
    Column("sha256", Words, nullable=False),
    Column("activated", Moment, nullable=False),
    Column("activated_by", Words, nullable=False, server_default=""),
    Column("units", Integer, nullable=False, server_default="0"),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", Words, primary_key=True),
    Column("owner", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("updated", Moment, nullable=False),
    Index("conversations_of_owner", "owner", "updated"),
)

answers = Table(
    "answers",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    Column("conversation", Words, ForeignKey("conversations.id", ondelete="SET NULL")),
    Column("question", Words, nullable=False),
    Column("answer", Words, nullable=False),
    Column("record_json", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Index("answers_of_conversation", "conversation", "number"),
)

# Nor here: each verdict is a row, and a reviewer's last one on an answer counts.
labels = Table(
    "labels",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("answer", Words, ForeignKey("answers.id"), nullable=False),
    Column("reviewer", Words, nullable=False),
    Column("verdict", Words, nullable=False),
    Column("comment", Words, nullable=False),
    Column("corrected", Words, nullable=False),
    Column("at", Moment, nullable=False),
    Index("labels_of_answer", "answer", "reviewer", "number"),
)
