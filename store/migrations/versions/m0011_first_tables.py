"""Every table of the records. It has the number of the last migration that it stands for, so a database that those have
brought there is up to date.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = None

_TIME = sa.DateTime(timezone=True)
_EMPTY = {"server_default": ""}


def upgrade() -> None:
    _library()
    _charts_and_adapters()
    _answers()
    _reviews()
    _people()
    _audit()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _key(type_: type[sa.types.TypeEngine[object]] = sa.Integer, name: str = "number") -> sa.Column[object]:
    return sa.Column(name, type_, primary_key=True)


def _library() -> None:
    def of_document() -> sa.Column[str]:
        return sa.Column("document", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), nullable=False)

    op.create_table(
        "documents",
        _key(sa.Text, "name"),
        *_texts("sha256"),
        sa.Column("pages", sa.Integer),
        sa.Column("added", _TIME, nullable=False),
        sa.Column("audience", sa.Text, nullable=False, server_default="everyone"),
        sa.Column("notes", sa.Text, nullable=False, server_default="[]"),
        sa.Column("given_by", sa.Text, nullable=False, **_EMPTY),
    )
    op.create_table(
        "passages",
        _key(sa.Text, "id"),
        of_document(),
        sa.Column("position", sa.Integer, nullable=False),
        *_texts("kind", "section"),
        sa.Column("page", sa.Integer),
        *_texts("text"),
    )
    op.create_index("passages_of_document", "passages", ["document", "position"])
    op.create_table(
        "pairs",
        _key(sa.Text, "id"),
        of_document(),
        sa.Column("position", sa.Integer, nullable=False),
        *_texts("section"),
        sa.Column("page", sa.Integer),
        *_texts("question", "answer", "type", "origin", "state"),
        sa.Column("searched", sa.Boolean, nullable=False),
        *_texts("source", "changed_by"),
    )
    op.create_index("pairs_of_document", "pairs", ["document", "position"])
    op.create_table(
        "leaving",
        _key(sa.Text, "name"),
        *_texts("sha256"),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("pairs", sa.Integer, nullable=False),
        *_texts("forgotten_by"),
    )
    op.create_table("examples", _key(name="position"), *_texts("question"))
    op.create_table(
        "jobs",
        _key(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_texts("name", "sha256", "given_by"),
        sa.Column("added", _TIME, nullable=False),
        *_texts("state", "message", "hint"),
        sa.Column("audience", sa.Text, nullable=False, server_default="everyone"),
    )


def _charts_and_adapters() -> None:
    op.create_table(
        "activations",
        _key(),
        *_texts("version", "name", "sha256"),
        sa.Column("activated", _TIME, nullable=False),
        sa.Column("activated_by", sa.Text, nullable=False, **_EMPTY),
        sa.Column("units", sa.Integer, nullable=False, server_default="0"),
        sa.Column("original", sa.Text, nullable=False, **_EMPTY),
    )
    op.create_table(
        "promotions", _key(), *_texts("adapter"), sa.Column("promoted", _TIME, nullable=False), *_texts("promoted_by")
    )


def _answers() -> None:
    op.create_table(
        "conversations",
        _key(sa.Text, "id"),
        *_texts("owner", "title"),
        sa.Column("created", _TIME, nullable=False),
        sa.Column("updated", _TIME, nullable=False),
    )
    op.create_index("conversations_of_owner", "conversations", ["owner", "updated"])
    op.create_table(
        "answers",
        _key(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversations.id", ondelete="SET NULL")),
        *_texts("question", "answer", "record_json"),
        sa.Column("created", _TIME, nullable=False),
    )
    op.create_index("answers_of_conversation", "answers", ["conversation", "number"])


def _reviews() -> None:
    def of_answer() -> sa.Column[int]:
        return sa.Column("number", sa.Integer, sa.ForeignKey("answers.number", ondelete="CASCADE"), primary_key=True)

    op.create_table(
        "labels",
        _key(),
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id"), nullable=False),
        *_texts("reviewer", "verdict", "comment", "corrected"),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("asker", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("wrong_source", sa.Text, nullable=False, **_EMPTY),
        sa.Column("settles", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "reviews",
        of_answer(),
        *_texts("asker", "status", "model", "adapter"),
        sa.Column("support", sa.Float),
        sa.Column("lot", sa.Integer, nullable=False),
        *_texts("flag", "standing"),
        sa.Column("second", sa.Boolean, nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
        sa.Column("first_opinion", sa.Text, nullable=False, **_EMPTY),
        sa.Column("second_opinion", sa.Text, nullable=False, **_EMPTY),
    )
    op.create_table("topics", _key(sa.Text, "kind"), _key(sa.Text, "value"), of_answer(), *_texts("standing"))
    op.create_table(
        "tallies",
        *(_key(sa.Text, name) for name in ("kind", "value", "standing")),
        sa.Column("answers", sa.Integer, nullable=False),
    )
    op.create_table(
        "approved",
        _key(sa.Text, "id"),
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id", ondelete="SET NULL")),
        *_texts("question", "normal", "reply", "sources", "chart", "by"),
        sa.Column("at", _TIME, nullable=False),
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


def _people() -> None:
    def of_person(**options: bool) -> sa.Column[str]:
        return sa.Column("person", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), **options)

    op.create_table(
        "people",
        _key(sa.Text, "id"),
        *_texts("name"),
        sa.Column("folded", sa.Text, nullable=False, unique=True),
        *_texts("shown", "found_by", "role", "state", "unit"),
        sa.Column("created", _TIME, nullable=False),
        *_texts("how"),
    )
    op.create_table("secrets", of_person(primary_key=True), *_texts("hash"))
    op.create_table(
        "sessions",
        _key(sa.Text, "id"),
        of_person(nullable=False),
        *(sa.Column(name, _TIME, nullable=False) for name in ("begun", "seen", "ends")),
    )
    op.create_index("sessions_of_person", "sessions", ["person"])
    op.create_table(
        "tokens",
        _key(sa.Text, "id"),
        of_person(nullable=False),
        *_texts("name"),
        sa.Column("created", _TIME, nullable=False),
        sa.Column("last_used", _TIME),
        sa.Column("ends", _TIME, nullable=False),
    )
    op.create_index("tokens_of_person", "tokens", ["person"])
    op.create_table(
        "links", _key(sa.Text, "id"), *_texts("kind"), of_person(), sa.Column("ends", _TIME, nullable=False)
    )
    op.create_table(
        "failures",
        _key(sa.Text, "key"),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("last", _TIME, nullable=False),
    )


def _audit() -> None:
    """The audit log, which refuses to change a row."""
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", _TIME, nullable=False),
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
