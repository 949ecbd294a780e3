"""Workflows in use and those that wait, their runs, what these did, notices, and the records of registers."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def _words(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _moments(*names: str, needed: bool = True) -> list[sa.Column[datetime]]:
    return [sa.Column(name, sa.DateTime(timezone=True), nullable=not needed) for name in names]


def upgrade() -> None:
    op.create_table(
        "workflow_changes",
        sa.Column("number", sa.Integer, primary_key=True),
        *_words("workflow", "version", "state"),
        *_moments("at"),
        *_words("person", "by", "remark", "title", "trigger", "register", "workflow_json"),
    )
    op.create_index("changes_of_workflow", "workflow_changes", ["workflow", "number"])
    op.create_table(
        "workflow_runs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_words("workflow", "version", "activator", "trigger", "person", "by", "record_json"),
        *_moments("at"),
        *_words("state"),
        *_moments("begun", "ended", "until", needed=False),
        *_words("message", "trace_json", "cause", "root"),
        sa.Column("depth", sa.Integer, nullable=False),
    )
    op.create_index("runs_of_workflow", "workflow_runs", ["workflow", "number"])
    op.create_index("runs_in_state", "workflow_runs", ["state", "number"])
    op.create_index("runs_of_root", "workflow_runs", ["root"])
    op.create_table(
        "workflow_effects",
        sa.Column("run", sa.Text, sa.ForeignKey("workflow_runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("step", sa.Integer, nullable=False),
        *_words("name"),
        *_moments("begun"),
        sa.Column("outputs_json", sa.Text),
        *_words("failed"),
    )
    op.create_table(
        "notices",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_words("person", "unit", "text"),
        *_moments("at"),
        *_words("run"),
        sa.Column("place", sa.Integer, nullable=False),
        *_words("gives", "state", "done_by"),
        *_moments("done", needed=False),
        *_words("answer_json"),
    )
    op.create_index("notices_of_person", "notices", ["person", "number"])
    op.create_index("notices_of_unit", "notices", ["unit", "number"])
    op.create_index("notices_of_run", "notices", ["run"])
    op.create_table(
        "register_records",
        sa.Column("number", sa.Integer, primary_key=True),
        *_words("register", "fields_json"),
        *_moments("created"),
        *_words("created_by"),
        *_moments("changed"),
        *_words("changed_by"),
    )
    op.create_index("records_of_register", "register_records", ["register", "number"])
