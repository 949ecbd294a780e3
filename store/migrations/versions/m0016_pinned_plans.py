"""Pinned plans beside pinned answers, and the version of the procedures that one stands on."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("approved", sa.Column("kind", sa.Text, nullable=False, server_default="answer"))
    op.add_column("approved", sa.Column("procedures", sa.Text, nullable=False, server_default=""))
