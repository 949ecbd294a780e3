"""What reviewers choose answers by, filled for the answers that are there; and approved answers.

How a row was filled stays written here, whatever the program does by now.
"""

import hashlib
import json
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_TIME = sa.DateTime(timezone=True)
_BATCH = 500


def _of_answers() -> sa.ForeignKey:
    return sa.ForeignKey("answers.number", ondelete="CASCADE")


def upgrade() -> None:
    op.add_column("labels", sa.Column("asker", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("labels", sa.Column("wrong_source", sa.Text, nullable=False, server_default=""))
    op.add_column("labels", sa.Column("settles", sa.Boolean, nullable=False, server_default=sa.false()))
    reviews = op.create_table(
        "reviews",
        sa.Column("number", sa.Integer, _of_answers(), primary_key=True),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("adapter", sa.Text, nullable=False),
        sa.Column("support", sa.Float),
        sa.Column("lot", sa.Integer, nullable=False),
        sa.Column("flag", sa.Text, nullable=False),
        sa.Column("standing", sa.Text, nullable=False),
        sa.Column("second", sa.Boolean, nullable=False),
        sa.Column("reviewers", sa.Integer, nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
    )
    topics = op.create_table(
        "topics",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, _of_answers(), primary_key=True),
        sa.Column("standing", sa.Text, nullable=False),
    )
    op.create_table(
        "tallies",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        sa.Column("standing", sa.Text, primary_key=True),
        sa.Column("answers", sa.Integer, nullable=False),
    )
    op.create_table(
        "approved",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("answer", sa.Text, sa.ForeignKey("answers.id", ondelete="SET NULL")),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("normal", sa.Text, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("chart", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
    )
    _fill(op.get_bind(), reviews, topics)
    op.execute(
        "INSERT INTO tallies (kind, value, standing, answers)"
        " SELECT kind, value, standing, count(*) FROM topics GROUP BY kind, value, standing"
    )
    for name, table, columns in (
        ("reviews_by_standing", "reviews", ["standing", "number"]),
        ("reviews_by_flag", "reviews", ["standing", "flag", "number"]),
        ("reviews_by_support", "reviews", ["standing", "support", "number"]),
        ("reviews_by_lot", "reviews", ["standing", "lot", "number"]),
        ("reviews_by_reviewers", "reviews", ["reviewers"]),
        ("reviews_of_asker", "reviews", ["asker"]),
        ("topics_by_standing", "topics", ["kind", "value", "standing", "number"]),
        ("topics_of_answer", "topics", ["number", "kind", "value", "standing"]),
        ("approved_of_question", "approved", ["normal", "state"]),
        ("approved_of_answer", "approved", ["answer"]),
    ):
        op.create_index(name, table, columns)


def _fill(connection: sa.Connection, reviews: sa.Table, topics: sa.Table) -> None:
    standings = _standings(connection)
    owned = connection.execute(sa.text("SELECT id, owner FROM conversations"))
    owners: dict[str, str] = dict(map(tuple, owned))
    batch = sa.text(
        "SELECT number, id, conversation, record_json, created FROM answers"
        " WHERE number > :last ORDER BY number LIMIT :most"
    ).columns(created=_TIME)
    last = -1
    while answers := connection.execute(batch, {"last": last, "most": _BATCH}).all():
        rows: list[dict[str, Any]] = []
        about: list[dict[str, Any]] = []
        for number, id, conversation, record_json, created in answers:
            standing, reviewers = standings.get(id, ("open", 0))
            told, documents, units = _told(record_json)
            lot = int.from_bytes(hashlib.sha256(id.encode()).digest()[:4], "big") >> 1
            rows.append(
                told
                | {"number": number, "asker": owners.get(conversation, ""), "lot": lot}
                | {"flag": "", "standing": standing, "second": False, "reviewers": reviewers, "since": 0}
            )
            model = " + ".join(filter(None, (told["model"], told["adapter"])))
            for kind, values in (
                ("week", {_week(created)}),
                ("model", {model}),
                ("document", documents),
                ("unit", units),
            ):
                about += [{"kind": kind, "value": value, "number": number, "standing": standing} for value in values]
        connection.execute(sa.insert(reviews), rows)
        connection.execute(sa.insert(topics), about)
        last = answers[-1].number


def _standings(connection: sa.Connection) -> dict[str, tuple[str, int]]:
    """Of each labelled answer the verdict that its reviewers agree on, or "disputed", and how many they are."""
    verdicts: dict[str, dict[str, str]] = defaultdict(dict)
    for answer, reviewer, verdict in connection.execute(
        sa.text("SELECT answer, reviewer, verdict FROM labels ORDER BY number")
    ):
        verdicts[answer][reviewer] = verdict
    return {
        answer: (next(iter(given.values())) if len(set(given.values())) == 1 else "disputed", len(given))
        for answer, given in verdicts.items()
    }


def _week(created: datetime) -> str:
    return (created - timedelta(days=created.weekday())).date().isoformat()


def _told(record_json: str) -> tuple[dict[str, Any], set[str], set[str]]:
    try:
        record = json.loads(record_json)
    except ValueError:
        record = {}
    model = record.get("model", {})
    sentences = record.get("checks", {}).get("sentences", [])
    told = {
        "status": record.get("status", ""),
        "model": model.get("name", ""),
        "adapter": model.get("adapter", ""),
        "support": sum(one["supported"] for one in sentences) / len(sentences) if sentences else None,
    }
    documents = {source["document"] for source in record.get("sources", []) if source["kind"] != "chart"}
    return told, documents, {entity["unit"] for entity in record.get("entities", [])}
