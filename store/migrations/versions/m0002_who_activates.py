"""Who activated a chart, and how many units it has; unknown ("" and 0) for activations before this."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("activations", sa.Column("activated_by", sa.Text, nullable=False, server_default=""))
    op.add_column("activations", sa.Column("units", sa.Integer, nullable=False, server_default="0"))
