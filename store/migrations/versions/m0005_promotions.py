"""Which adapter answers: who promoted it, and when."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "promotions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("adapter", sa.Text, nullable=False),
        sa.Column("promoted", sa.DateTime(timezone=True), nullable=False),
        sa.Column("promoted_by", sa.Text, nullable=False),
    )
