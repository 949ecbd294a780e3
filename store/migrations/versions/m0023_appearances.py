"""What the organization calls itself and shows of itself, and how long conversations are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    words = ("organization", "accent", "welcome", "examples_json", "contact", "contact_at", "logo", "by")
    op.create_table(
        "appearances",
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in words),
        sa.Column("days_kept", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
