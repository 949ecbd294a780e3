"""The tables of the records, as the newest migration leaves them.

To change them: change them here, add a migration beside the last one, and raise `HEAD` in database.py.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import (
    BigInteger,
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


class Day(TypeDecorator[date]):
    """A day of the calendar, kept as 2026-11-30: texts in the order of the days, in any database and any dump."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> date | None:
        return None if value is None else date.fromisoformat(value)


def _words(*names: str) -> list[Column[str]]:
    return [Column(name, Words, nullable=False) for name in names]


def _moments(*names: str) -> list[Column[datetime]]:
    return [Column(name, Moment, nullable=False) for name in names]


def _numbers(*names: str) -> list[Column[int]]:
    return [Column(name, Integer, nullable=False) for name in names]


metadata = MetaData()

documents = Table(
    "documents",
    metadata,
    Column("name", Words, primary_key=True),
    *_words("sha256"),
    Column("pages", Integer),
    *_moments("added"),
    Column("audience", Words, nullable=False, server_default="everyone"),
    Column("notes", Words, nullable=False, server_default="[]"),
    Column("given_by", Words, nullable=False, server_default=""),
    Column("reading", Integer, nullable=False, server_default="0"),
    Column("title", Words, nullable=False, server_default=""),
)

passages = Table(
    "passages",
    metadata,
    Column("id", Words, primary_key=True),
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    *_numbers("position"),
    *_words("kind", "section"),
    Column("page", Integer),
    *_words("text"),
    Index("passages_of_document", "document", "position"),
)

pairs = Table(
    "pairs",
    metadata,
    Column("id", Words, primary_key=True),
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    *_numbers("position"),
    *_words("section"),
    Column("page", Integer),
    *_words("question", "answer", "type", "origin", "state"),
    Column("searched", Boolean, nullable=False),
    *_words("source", "changed_by"),
    Index("pairs_of_document", "document", "position"),
)

# When a document is valid, and whose it is; one without a row is in force, as far as anybody knows.
validity = Table(
    "validity",
    metadata,
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
    *_words("status"),
    *(Column(name, Day) for name in ("valid_from", "valid_to", "review")),
    *_words("unit", "person", "language", "found_json", "set_by"),
)

supersessions = Table(
    "supersessions",
    metadata,
    Column("document", Words, ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
    Column("superseded", Words, ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
    Index("supersessions_of_document", "superseded"),
)

# Two documents that say different things of the same matter, and what somebody said of that.
conflicts = Table(
    "conflicts",
    metadata,
    Column("id", Words, primary_key=True),
    *_words("answer"),
    Column("document_a", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    *_words("section_a", "words_a"),
    Column("document_b", Words, ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
    *_words("section_b", "words_b"),
    *_moments("found"),
    *_words("state", "set_by"),
)

# Documents that are forgotten and of which something may still be found: in the index, in a folder.
leaving = Table(
    "leaving",
    metadata,
    Column("name", Words, primary_key=True),
    *_words("sha256"),
    *_numbers("passages", "pairs"),
    *_words("forgotten_by"),
)

examples = Table("examples", metadata, Column("position", Integer, primary_key=True), *_words("question"))

jobs = Table(
    "jobs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    *_words("name", "sha256", "given_by"),
    *_moments("added"),
    *_words("state", "message", "hint", "audience"),
)


def _activations(name: str, size: str) -> Table:
    """Nothing is overwritten here: each activation is a row, and the last one is what is in use."""
    return Table(
        name,
        metadata,
        Column("number", Integer, primary_key=True),
        *_words("version", "name", "sha256"),
        *_moments("activated"),
        Column("activated_by", Words, nullable=False, server_default=""),
        Column(size, Integer, key="size", nullable=False, server_default="0"),
        Column("original", Words, nullable=False, server_default=""),
    )


activations = _activations("activations", "units")
procedure_activations = _activations("procedure_activations", "procedures")

# Nor here: each promotion is a row, and the last one says which adapter answers.
promotions = Table(
    "promotions",
    metadata,
    Column("number", Integer, primary_key=True),
    *_words("adapter"),
    *_moments("promoted"),
    *_words("promoted_by"),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", Words, primary_key=True),
    *_words("owner", "title"),
    *_moments("created", "updated"),
    Index("conversations_of_owner", "owner", "updated"),
)

answers = Table(
    "answers",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    Column("conversation", Words, ForeignKey("conversations.id", ondelete="SET NULL")),
    *_words("question", "answer", "record_json"),
    *_moments("created"),
    Column("kind", Words, nullable=False, server_default="answer"),
    Index("answers_of_conversation", "conversation", "number"),
)

# Who may see what somebody was given: a briefing that is shared.
shares = Table(
    "shares",
    metadata,
    Column("answer", Words, ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("person", Words, primary_key=True),
    *_moments("at"),
    Index("shares_with_person", "person"),
)

# Nor here: each verdict is a row, and a reviewer's last one on an answer counts.
labels = Table(
    "labels",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("answer", Words, ForeignKey("answers.id"), nullable=False),
    *_words("reviewer", "verdict", "comment", "corrected"),
    *_moments("at"),
    Column("asker", Boolean, nullable=False, server_default=false()),
    Column("wrong_source", Words, nullable=False, server_default=""),
    Column("settles", Boolean, nullable=False, server_default=false()),
    Column("right_document", Words, nullable=False, server_default=""),
    Column("right_section", Words, nullable=False, server_default=""),
    Index("labels_of_answer", "answer", "reviewer", "number"),
)

# What reviewers choose answers by, one narrow row an answer: the answers themselves are wide, and slow to search.
reviews = Table(
    "reviews",
    metadata,
    Column("number", Integer, ForeignKey("answers.number", ondelete="CASCADE"), primary_key=True),
    *_words("asker", "status", "model", "adapter"),
    Column("support", Float),
    Column("lot", Integer, key="sampling_hash", nullable=False),
    *_words("flag"),
    Column("standing", Words, key="review_status", nullable=False),
    Column("second", Boolean, nullable=False),
    *_numbers("since"),
    Column("first_opinion", Words, nullable=False, server_default=""),
    Column("second_opinion", Words, nullable=False, server_default=""),
    Column("doubt", Float, nullable=False, server_default="0"),
    Index("reviews_by_standing", "review_status", "number"),
    Index("reviews_by_flag", "review_status", "flag", "number"),
    Index("reviews_by_doubt", "review_status", "doubt", "number"),
    Index("reviews_by_lot", "review_status", "sampling_hash", "number"),
    Index("reviews_by_opinions", "second_opinion", "first_opinion"),
    Index("reviews_of_asker", "asker"),
)

# An answer's week and model, the documents that it stands on and the units that its question names, with its review
# status once more, so that one index gives the queue of a document.
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

# How many answers of a week, a model, a document or a unit have one review status: counted as they change, for to count
# a hundred thousand when somebody looks takes too long.
tallies = Table(
    "tallies",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("value", Words, primary_key=True),
    Column("standing", Words, key="review_status", primary_key=True),
    *_numbers("answers"),
)

approved = Table(
    "approved",
    metadata,
    Column("id", Words, primary_key=True),
    Column("answer", Words, ForeignKey("answers.id", ondelete="SET NULL")),
    *_words("question", "normal", "reply", "sources", "chart", "by"),
    *_moments("at"),
    *_words("state", "why"),
    Column("kind", Words, nullable=False, server_default="answer"),
    Column("procedures", Words, nullable=False, server_default=""),
    Index("approved_of_question", "normal", "state"),
    Index("approved_of_answer", "answer"),
)

people = Table(
    "people",
    metadata,
    Column("id", Words, primary_key=True),
    *_words("name"),
    Column("folded", Words, nullable=False, unique=True),
    *_words("shown", "found_by", "role", "state", "unit"),
    *_moments("created"),
    *_words("how"),
)

# Apart from the people, so that no query for one of them brings it along.
secrets = Table(
    "secrets",
    metadata,
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    *_words("hash"),
)

second_factors = Table(
    "second_factors",
    metadata,
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    *_words("key"),
    Column("since", Moment),
    *_numbers("last_step"),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("person", Words, ForeignKey("second_factors.person", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    *_words("hash"),
)

# The id of a session, a token and a link is the sha256 of what its owner holds.
sessions = Table(
    "sessions",
    metadata,
    Column("id", Words, primary_key=True),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    *_moments("begun", "seen", "ends"),
    Index("sessions_of_person", "person"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Words, primary_key=True),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    *_words("name"),
    *_moments("created"),
    Column("last_used", Moment),
    *_moments("ends"),
    Column("scope", Words, nullable=False, server_default="read"),
    Index("tokens_of_person", "person"),
)

links = Table(
    "links",
    metadata,
    Column("id", Words, primary_key=True),
    *_words("kind"),
    Column("person", Words, ForeignKey("people.id", ondelete="CASCADE")),
    *_moments("ends"),
)

failures = Table("failures", metadata, Column("key", Words, primary_key=True), *_numbers("count"), *_moments("last"))

# Rows are only ever added, which the database itself holds to by triggers; `chain` is the sha256 of the row and of the
# chain of the row before.
audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    *_moments("at"),
    *_words("who", "what", "about", "where", "result", "chain"),
)

# Nothing is overwritten here either: each sending, activation, switching off and return of a workflow is a row.
workflow_changes = Table(
    "workflow_changes",
    metadata,
    Column("number", Integer, primary_key=True),
    *_words("workflow", "version", "state"),
    *_moments("at"),
    *_words("person", "by", "remark", "title", "trigger", "register", "workflow_json"),
    Index("changes_of_workflow", "workflow", "number"),
)

workflow_runs = Table(
    "workflow_runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    *_words("workflow", "version", "activator", "trigger", "person", "by", "record_json"),
    *_moments("at"),
    *_words("state"),
    *(Column(name, Moment) for name in ("begun", "ended", "until")),
    *_words("message", "trace_json", "cause", "root"),
    *_numbers("depth"),
    Index("runs_of_workflow", "workflow", "number"),
    Index("runs_in_state", "state", "number"),
    Index("runs_of_root", "root"),
)

# A row before something is done; what came of it is there after.
workflow_effects = Table(
    "workflow_effects",
    metadata,
    Column("run", Words, ForeignKey("workflow_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    *_numbers("step"),
    *_words("name"),
    *_moments("begun"),
    *(Column("outputs_json", Words), *_words("failed")),
)

notices = Table(
    "notices",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    *_words("person", "unit", "text"),
    *_moments("at"),
    *_words("run"),
    *_numbers("place"),
    *_words("gives", "state", "done_by"),
    Column("done", Moment),
    *_words("answer_json"),
    Index("notices_of_person", "person", "number"),
    Index("notices_of_unit", "unit", "number"),
    Index("notices_of_run", "run"),
)

register_records = Table(
    "register_records",
    metadata,
    Column("number", Integer, primary_key=True),
    *_words("register", "fields_json"),
    *_moments("created"),
    *_words("created_by"),
    *_moments("changed"),
    *_words("changed_by"),
    Index("records_of_register", "register", "number"),
)

# Folders that are mirrored into the documents; what a run saw last of each file; and the runs.
folders = Table(
    "folders",
    metadata,
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False, unique=True),
    *_words("address", "audience", "rights_json", "person"),
    *_numbers("every", "most_gone", "share_gone"),
    *(Column(name, Boolean, nullable=False) for name in ("watched", "paused")),
    *_words("added_by"),
    *_moments("added"),
)

folder_files = Table(
    "folder_files",
    metadata,
    Column("folder", Words, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
    Column("path", Words, primary_key=True),
    *_words("stamp", "sha256", "document", "audience", "problem"),
    Column("size", BigInteger, nullable=False),
    Index("folder_files_of_document", "document"),
)

folder_runs = Table(
    "folder_runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("folder", Words, ForeignKey("folders.id", ondelete="CASCADE"), nullable=False),
    *_moments("begun"),
    Column("ended", Moment),
    *_words("cause", "state", "message", "hint", "record_json"),
    Index("runs_of_folder", "folder", "number"),
)

# Nothing is overwritten: each saving is a row, and the newest counts. `logo` is a PNG in base64.
appearances = Table(
    "appearances",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    *_words("organization", "accent", "welcome", "examples_json", "contact", "contact_at", "logo", "by"),
    *_numbers("days_kept"),
    *_moments("at"),
)
