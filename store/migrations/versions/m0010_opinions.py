"""The first two verdicts on each answer, in place of how many reviewers it had; and which file a chart was given in,
unknown ("") for activations before this.

How a row was filled stays written here, whatever the program does by now.
"""

from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("activations", sa.Column("original", sa.Text, nullable=False, server_default=""))
    for name in ("first_opinion", "second_opinion"):
        op.add_column("reviews", sa.Column(name, sa.Text, nullable=False, server_default=""))
    _fill(op.get_bind())
    op.drop_index("reviews_by_reviewers", "reviews")
    op.drop_column("reviews", "reviewers")
    op.create_index("reviews_by_opinions", "reviews", ["second_opinion", "first_opinion"])


def _fill(connection: sa.Connection) -> None:
    given = sa.text(
        "SELECT answers.number, labels.reviewer, labels.verdict FROM labels JOIN answers ON answers.id = labels.answer"
        " WHERE NOT labels.asker AND NOT labels.settles ORDER BY labels.number"
    )
    verdicts: dict[int, dict[str, str]] = defaultdict(dict)
    for number, reviewer, verdict in connection.execute(given):
        verdicts[number].setdefault(reviewer, verdict)
    rows = []
    for number, firsts in verdicts.items():
        first, second, *_ = *firsts.values(), ""
        rows.append({"number": number, "first": first, "second": second})
    if rows:
        kept = "UPDATE reviews SET first_opinion = :first, second_opinion = :second WHERE number = :number"
        connection.execute(sa.text(kept), rows)
