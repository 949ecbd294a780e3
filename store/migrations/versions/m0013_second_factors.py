"""Second factors of people who sign in with a password, and their recovery codes."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("person", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True)),
        sa.Column("last_step", sa.Integer, nullable=False),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("person", sa.Text, sa.ForeignKey("second_factors.person", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
