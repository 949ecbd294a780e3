"""People, what lets them in, and the audit log, which refuses to change a row."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TIME = sa.DateTime(timezone=True)


def _of_people() -> sa.ForeignKey:
    return sa.ForeignKey("people.id", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False, unique=True),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("found_by", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("created", _TIME, nullable=False),
        sa.Column("how", sa.Text, nullable=False),
    )
    op.create_table(
        "secrets",
        sa.Column("person", sa.Text, _of_people(), primary_key=True),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, _of_people(), nullable=False),
        sa.Column("begun", _TIME, nullable=False),
        sa.Column("seen", _TIME, nullable=False),
        sa.Column("ends", _TIME, nullable=False),
    )
    op.create_index("sessions_of_person", "sessions", ["person"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, _of_people(), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created", _TIME, nullable=False),
        sa.Column("last_used", _TIME),
        sa.Column("ends", _TIME, nullable=False),
    )
    op.create_index("tokens_of_person", "tokens", ["person"])
    op.create_table(
        "links",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("person", sa.Text, _of_people()),
        sa.Column("ends", _TIME, nullable=False),
    )
    op.create_table(
        "failures",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("last", _TIME, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("where", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("chain", sa.Text, nullable=False),
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
