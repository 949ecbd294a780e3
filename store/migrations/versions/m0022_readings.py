"""Which way of reading files made a document's passages."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("documents", sa.Column("reading", sa.Integer, nullable=False, server_default="0"))
