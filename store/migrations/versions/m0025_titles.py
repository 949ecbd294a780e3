"""What documents call themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("documents", sa.Column("title", sa.Text, nullable=False, server_default=""))
