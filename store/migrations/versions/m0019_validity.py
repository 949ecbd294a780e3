"""When documents are valid, whose they are, and what they take the place of."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "validity",
        sa.Column("document", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("valid_from", "valid_to", "review")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("unit", "person", "language", "found_json", "set_by")),
    )
    op.create_table(
        "supersessions",
        sa.Column("document", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("superseded", sa.Text, sa.ForeignKey("documents.name", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("supersessions_of_document", "supersessions", ["superseded"])
