"""Every table of the records. It has the number of the last migration that it stands for, so a database that those have
brought there is up to date.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = None


def _texts(*names: str, default: str | None = None) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=False, server_default=default) for name in names]


def _numbers(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


def _moments(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in names]


def _flags(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()) for name in names]


def _key(name: str = "number", kind: Any = sa.Integer) -> sa.Column[Any]:
    return sa.Column(name, kind, primary_key=True)


def _refers(name: str, kind: Any, to: str, on_delete: str = "CASCADE", **options: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, sa.ForeignKey(to, ondelete=on_delete), **options)


def upgrade() -> None:
    op.create_table(
        "documents",
        _key("name", sa.Text),
        *_texts("sha256"),
        sa.Column("pages", sa.Integer),
        *_moments("added"),
        *_texts("audience", default="everyone"),
        *_texts("notes", default="[]"),
        *_texts("given_by", default=""),
    )
    op.create_table(
        "passages",
        _key("id", sa.Text),
        _refers("document", sa.Text, "documents.name", nullable=False),
        *_numbers("position"),
        *_texts("kind", "section"),
        sa.Column("page", sa.Integer),
        *_texts("text"),
    )
    op.create_index("passages_of_document", "passages", ["document", "position"])
    op.create_table(
        "pairs",
        _key("id", sa.Text),
        _refers("document", sa.Text, "documents.name", nullable=False),
        *_numbers("position"),
        *_texts("section"),
        sa.Column("page", sa.Integer),
        *_texts("question", "answer", "type", "origin", "state"),
        sa.Column("searched", sa.Boolean, nullable=False),
        *_texts("source", "changed_by"),
    )
    op.create_index("pairs_of_document", "pairs", ["document", "position"])
    op.create_table(
        "leaving", _key("name", sa.Text), *_texts("sha256"), *_numbers("passages", "pairs"), *_texts("forgotten_by")
    )
    op.create_table("examples", _key("position"), *_texts("question"))
    op.create_table(
        "jobs",
        _key(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_texts("name", "sha256", "given_by"),
        *_moments("added"),
        *_texts("state", "message", "hint"),
        *_texts("audience", default="everyone"),
    )
    op.create_table(
        "activations",
        _key(),
        *_texts("version", "name", "sha256"),
        *_moments("activated"),
        *_texts("activated_by", default=""),
        sa.Column("units", sa.Integer, nullable=False, server_default="0"),
        *_texts("original", default=""),
    )
    op.create_table("promotions", _key(), *_texts("adapter"), *_moments("promoted"), *_texts("promoted_by"))
    op.create_table("conversations", _key("id", sa.Text), *_texts("owner", "title"), *_moments("created", "updated"))
    op.create_index("conversations_of_owner", "conversations", ["owner", "updated"])
    op.create_table(
        "answers",
        _key(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        _refers("conversation", sa.Text, "conversations.id", "SET NULL"),
        *_texts("question", "answer", "record_json"),
        *_moments("created"),
    )
    op.create_index("answers_of_conversation", "answers", ["conversation", "number"])
    op.create_table(
        "labels",
        _key(),
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id"), nullable=False),
        *_texts("reviewer", "verdict", "comment", "corrected"),
        *_moments("at"),
        *_flags("asker"),
        *_texts("wrong_source", default=""),
        *_flags("settles"),
    )
    op.create_table(
        "reviews",
        _refers("number", sa.Integer, "answers.number", primary_key=True),
        *_texts("asker", "status", "model", "adapter"),
        sa.Column("support", sa.Float),
        *_numbers("lot"),
        *_texts("flag", "standing"),
        sa.Column("second", sa.Boolean, nullable=False),
        *_numbers("since"),
        *_texts("first_opinion", "second_opinion", default=""),
    )
    op.create_table(
        "topics",
        _key("kind", sa.Text),
        _key("value", sa.Text),
        _refers("number", sa.Integer, "answers.number", primary_key=True),
        *_texts("standing"),
    )
    op.create_table("tallies", *(_key(name, sa.Text) for name in ("kind", "value", "standing")), *_numbers("answers"))
    op.create_table(
        "approved",
        _key("id", sa.Text),
        _refers("answer", sa.Text, "answers.id", "SET NULL"),
        *_texts("question", "normal", "reply", "sources", "chart", "by"),
        *_moments("at"),
        *_texts("state", "why"),
    )
    for name, table, columns in (
        ("labels_of_answer", "labels", ["answer", "reviewer", "number"]),
        ("reviews_by_standing", "reviews", ["standing", "number"]),
        ("reviews_by_flag", "reviews", ["standing", "flag", "number"]),
        ("reviews_by_support", "reviews", ["standing", "support", "number"]),
        ("reviews_by_lot", "reviews", ["standing", "lot", "number"]),
        ("reviews_by_opinions", "reviews", ["second_opinion", "first_opinion"]),
        ("reviews_of_asker", "reviews", ["asker"]),
        ("topics_by_standing", "topics", ["kind", "value", "standing", "number"]),
        ("topics_of_answer", "topics", ["number", "kind", "value", "standing"]),
        ("approved_of_question", "approved", ["normal", "state"]),
        ("approved_of_answer", "approved", ["answer"]),
    ):
        op.create_index(name, table, columns)
    op.create_table(
        "people",
        _key("id", sa.Text),
        *_texts("name"),
        sa.Column("folded", sa.Text, nullable=False, unique=True),
        *_texts("shown", "found_by", "role", "state", "unit"),
        *_moments("created"),
        *_texts("how"),
    )
    op.create_table("secrets", _refers("person", sa.Text, "people.id", primary_key=True), *_texts("hash"))
    op.create_table(
        "sessions",
        _key("id", sa.Text),
        _refers("person", sa.Text, "people.id", nullable=False),
        *_moments("begun", "seen", "ends"),
    )
    op.create_index("sessions_of_person", "sessions", ["person"])
    op.create_table(
        "tokens",
        _key("id", sa.Text),
        _refers("person", sa.Text, "people.id", nullable=False),
        *_texts("name"),
        *_moments("created"),
        sa.Column("last_used", sa.DateTime(timezone=True)),
        *_moments("ends"),
    )
    op.create_index("tokens_of_person", "tokens", ["person"])
    op.create_table(
        "links", _key("id", sa.Text), *_texts("kind"), _refers("person", sa.Text, "people.id"), *_moments("ends")
    )
    op.create_table("failures", _key("key", sa.Text), *_numbers("count"), *_moments("last"))
    # The audit log refuses to change a row.
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *_moments("at"),
        *_texts("who", "what", "about", "where", "result", "chain"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_to_change() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'rows of this table are only ever added'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change()"
        )
    else:
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_stays_on_{act.lower()} BEFORE {act} ON audit"
                " BEGIN SELECT RAISE(ABORT, 'rows of this table are only ever added'); END"
            )
