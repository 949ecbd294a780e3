"""Which written procedures are in use, and were."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "procedure_activations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("activated", sa.DateTime(timezone=True), nullable=False),
        sa.Column("activated_by", sa.Text, nullable=False, server_default=""),
        sa.Column("procedures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("original", sa.Text, nullable=False, server_default=""),
    )
