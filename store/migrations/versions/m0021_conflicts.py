"""Documents that say different things of the same matter."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def _words(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _document(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "conflicts",
        sa.Column("id", sa.Text, primary_key=True),
        *_words("answer"),
        _document("document_a"),
        *_words("section_a", "words_a"),
        _document("document_b"),
        *_words("section_b", "words_b"),
        sa.Column("found", sa.DateTime(timezone=True), nullable=False),
        *_words("state", "set_by"),
    )
