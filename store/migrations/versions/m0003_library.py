"""Pairs as records of their own, who may read a document, what was odd in it, and the line of uploads."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "pairs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("document", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("section", sa.Text, nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("searched", sa.Boolean, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
    )
    op.create_index("pairs_of_document", "pairs", ["document", "position"])
    op.execute(
        "INSERT INTO pairs (id, document, position, section, page, question, answer, type, origin, state, searched,"
        " source, changed_by) SELECT id, document, position, section, page, question, text, 'short answer', 'given',"
        " 'approved', TRUE, '', '' FROM passages WHERE kind = 'qa'"
    )
    op.execute("DELETE FROM passages WHERE kind = 'qa'")
    op.drop_column("passages", "question")
    op.add_column("documents", sa.Column("audience", sa.Text, nullable=False, server_default="everyone"))
    op.add_column("documents", sa.Column("notes", sa.Text, nullable=False, server_default="[]"))
    op.add_column("documents", sa.Column("given_by", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "jobs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("given_by", sa.Text, nullable=False),
        sa.Column("added", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
    )
