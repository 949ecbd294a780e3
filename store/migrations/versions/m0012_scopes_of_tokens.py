"""What a token of a program may do. Those of before could ask, and read what an answer stands on."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("tokens", sa.Column("scope", sa.Text, nullable=False, server_default="read"))
