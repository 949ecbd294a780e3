"""The tables of the records, as the newest migration leaves them.

To change them: change them here, add a migration beside the last one, and raise `HEAD` in database.py.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    false,
)
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

# Documents that are forgotten and of which something may still be found: in the index, in a folder.
leaving = Table(
    "leaving",
    metadata,
    Column("name", Words, primary_key=True),
    Column("sha256", Words, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("pairs", Integer, nullable=False),
    Column("forgotten_by", Words, nullable=False),
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
    Column("audience", Words, nullable=False),
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
    Column("original", Words, nullable=False, server_default=""),
)

# Nor here: each promotion is a row, and the last one says which adapter answers.
promotions = Table(
    "promotions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("adapter", Words, nullable=False),
    Column("promoted", Moment, nullable=False),
    Column("promoted_by", Words, nullable=False),
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
    Column("asker", Boolean, nullable=False, server_default=false()),
    Column("wrong_source", Words, nullable=False, server_default=""),
    Column("settles", Boolean, nullable=False, server_default=false()),
    Index("labels_of_answer", "answer", "reviewer", "number"),
)

# What reviewers choose answers by, one narrow row an answer: the answers themselves are wide, and slow to search.
reviews = Table(
    "reviews",
    metadata,
    Column("number", Integer, ForeignKey("answers.number", ondelete="CASCADE"), primary_key=True),
    Column("asker", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("model", Words, nullable=False),
    Column("adapter", Words, nullable=False),
    Column("support", Float),
    Column("lot", Integer, key="sampling_hash", nullable=False),
    Column("flag", Words, nullable=False),
    Column("standing", Words, key="review_status", nullable=False),
    Column("second", Boolean, nullable=False),
    Column("since", Integer, nullable=False),
    Column("first_opinion", Words, nullable=False, server_default=""),
    Column("second_opinion", Words, nullable=False, server_default=""),
    Index("reviews_by_standing", "review_status", "number"),
    Index("reviews_by_flag", "review_status", "flag", "number"),
    Index("reviews_by_support", "review_status", "support", "number"),
    Index("reviews_by_lot", "review_status", "sampling_hash", "number"),
    Index("reviews_by_opinions", "second_opinion", "first_opinion"),
    Index("reviews_of_asker", "asker"),
)

# An answer's week and model, the documents that it stands on and the units that its question names, with its standing
# once more, so that one index gives the queue of a document.
topics = Table(
    "topics",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("value", Words, primary_key=True),
    Column("number", Integer, ForeignKey("answers.number", ondelete="CASCADE"), primary_key=True),
    Column("standing", Words, key="review_status", nullable=False),
    Index("topics_by_standing", "kind", "value", "review_status", "number"),
    Index("topics_of_answer", "number", "kind", "value", "review_status"),
)

# How many answers of a week, a model, a document or a unit have one standing: counted as they change, for to count a
# hundred thousand when somebody looks takes too long.
tallies = Table(
    "tallies",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("value", Words, primary_key=True),
    Column("standing", Words, key="review_status", primary_key=True),
    Column("answers", Integer, nullable=False),
)

approved = Table(
    "approved",
    metadata,
    Column("id", Words, primary_key=True),
    Column("answer", Words, ForeignKey("answers.id", ondelete="SET NULL")),
    Column("question", Words, nullable=False),
    Column("normal", Words, nullable=False),
    Column("reply", Words, nullable=False),
    Column("sources", Words, nullable=False),
    Column("chart", Words, nullable=False),
    Column("by", Words, nullable=False),
    Column("at", Moment, nullable=False),
    Column("state", Words, nullable=False),
    Column("why", Words, nullable=False),
    Index("approved_of_question", "normal", "state"),
    Index("approved_of_answer", "answer"),
)

people = Table(
    "people",
    metadata,
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("folded", Words, nullable=False, unique=True),
    Column("shown", Words, nullable=False),
    Column("found_by", Words, nullable=False),
    Column("role", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("unit", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("how", Words, nullable=False),
)

# Apart from the people, so that no query for one of them brings it along.
secrets = Table(
    "secrets",
    metadata,
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Words, nullable=False),
)

# The id of a session, a token and a link is the sha256 of what its owner holds.
sessions = Table(
    "sessions",
    metadata,
    Column("id", Words, primary_key=True),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("begun", Moment, nullable=False),
    Column("seen", Moment, nullable=False),
    Column("ends", Moment, nullable=False),
    Index("sessions_of_person", "person"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Words, primary_key=True),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("name", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("last_used", Moment),
    Column("ends", Moment, nullable=False),
    Index("tokens_of_person", "person"),
)

links = Table(
    "links",
    metadata,
    Column("id", Words, primary_key=True),
    Column("kind", Words, nullable=False),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE")),
    Column("ends", Moment, nullable=False),
)

failures = Table(
    "failures",
    metadata,
    Column("key", Words, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("last", Moment, nullable=False),
)

# Rows are only ever added, which the database itself holds to by triggers; `chain` is the sha256 of the row and of the
# chain of the row before.
audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    Column("who", Words, nullable=False),
    Column("what", Words, nullable=False),
    Column("about", Words, nullable=False),
    Column("where", Words, nullable=False),
    Column("result", Words, nullable=False),
    Column("chain", Words, nullable=False),
)
