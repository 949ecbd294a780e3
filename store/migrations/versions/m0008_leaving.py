"""Which documents are being forgotten, so that a removal that was interrupted is finished."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "leaving",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("pairs", sa.Integer, nullable=False),
        sa.Column("forgotten_by", sa.Text, nullable=False),
    )
