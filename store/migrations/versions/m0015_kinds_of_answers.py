"""What kind of thing an answer is: those of before are answers, and no plans."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("answers", sa.Column("kind", sa.Text, nullable=False, server_default="answer"))
