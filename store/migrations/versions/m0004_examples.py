"""The example questions of an expert, in whose manner a model writes pairs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "examples",
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("question", sa.Text, nullable=False),
    )
