"""Who may read what an upload brings; uploads before this were for everyone."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("audience", sa.Text, nullable=False, server_default="everyone"))
