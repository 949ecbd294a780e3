"""Folders that are mirrored into the documents, their files, and the runs that did it."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def _words(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "folders",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        *_words("address", "audience", "rights_json", "person"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("every", "most_gone", "share_gone")),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("watched", "paused")),
        *_words("added_by"),
        sa.Column("added", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "folder_files",
        sa.Column("folder", sa.Text, sa.ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("path", sa.Text, primary_key=True),
        *_words("stamp", "sha256", "document", "audience", "problem"),
        sa.Column("size", sa.BigInteger, nullable=False),
    )
    op.create_index("folder_files_of_document", "folder_files", ["document"])
    op.create_table(
        "folder_runs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("folder", sa.Text, sa.ForeignKey("folders.id", ondelete="CASCADE"), nullable=False),
        sa.Column("begun", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True)),
        *_words("cause", "state", "message", "hint", "record_json"),
    )
    op.create_index("runs_of_folder", "folder_runs", ["folder", "number"])
