"""Where the right answer stands, as a reviewer says; and how much speaks against an answer, by which they are put in
order."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
_BATCH = 500


def upgrade() -> None:
    for name in ("right_document", "right_section"):
        op.add_column("labels", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("reviews", sa.Column("doubt", sa.Float, nullable=False, server_default="0"))
    op.drop_index("reviews_by_support", "reviews")
    op.create_index("reviews_by_doubt", "reviews", ["standing", "doubt", "number"])
    _read_again()


def _read_again() -> None:
    """What is to be judged still, read from its records: what speaks against it, and whether it was stopped."""
    from store.review_topics import doubt, read_record

    reviews = sa.table("reviews", *(sa.column(name) for name in ("number", "standing", "flag", "status", "doubt")))
    answers = sa.table("answers", sa.column("number"), sa.column("record_json"))
    query = sa.select(reviews.c.number, reviews.c.flag, answers.c.record_json).join_from(
        reviews, answers, answers.c.number == reviews.c.number
    )
    waiting = query.where(reviews.c.standing.in_(("open", "second", "disputed"))).order_by(reviews.c.number)
    connection, done = op.get_bind(), 0
    while found := connection.execute(waiting.where(reviews.c.number > done).limit(_BATCH)).all():
        for number, flag, record_json in found:
            columns, _ = read_record(record_json)
            values = {"status": columns["status"], "doubt": doubt(columns, flag)}
            connection.execute(sa.update(reviews).where(reviews.c.number == number).values(values))
        done = found[-1].number
