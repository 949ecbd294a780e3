"""With whom what somebody was given is shared."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "shares",
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("shares_with_person", "shares", ["person"])
