"""Documents and their passages, chart activations, conversations, answers, labels."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer),
        sa.Column("added", _TIME, nullable=False),
    )
    op.create_table(
        "passages",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("document", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("section", sa.Text, nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
    )
    op.create_index("passages_of_document", "passages", ["document", "position"])
    op.create_table(
        "activations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("activated", _TIME, nullable=False),
    )
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created", _TIME, nullable=False),
        sa.Column("updated", _TIME, nullable=False),
    )
    op.create_index("conversations_of_owner", "conversations", ["owner", "updated"])
    op.create_table(
        "answers",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversations.id", ondelete="SET NULL")),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("record_json", sa.Text, nullable=False),
        sa.Column("created", _TIME, nullable=False),
    )
    op.create_index("answers_of_conversation", "answers", ["conversation", "number"])
    op.create_table(
        "labels",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id"), nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("corrected", sa.Text, nullable=False),
        sa.Column("at", _TIME, nullable=False),
    )
    op.create_index("labels_of_answer", "labels", ["answer", "reviewer", "number"])
