"""Approved answers are given no more whose verdict is another by now than when they were approved.

Since then a verdict that changes withdraws them by itself; these were overruled before that. How it was done stays
written here, whatever the program does by now.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_TIME = sa.DateTime(timezone=True)
_WHY = {
    "open": "its verdict was taken back",
    "second": "a second reviewer was asked for",
    "disputed": "two reviewers judged it differently",
}
_AUDIT = sa.table(
    "audit",
    sa.column("number", sa.Integer),
    sa.column("at", _TIME),
    *(sa.column(name, sa.Text) for name in ("who", "what", "about", "where", "result", "chain")),
)


def upgrade() -> None:
    connection = op.get_bind()
    pinned = sa.text(
        "SELECT approved.id, approved.answer, approved.question, approved.reply, approved.at, answers.number,"
        " answers.answer AS words, reviews.standing, reviews.since FROM approved"
        " LEFT JOIN answers ON answers.id = approved.answer LEFT JOIN reviews ON reviews.number = answers.number"
        " WHERE approved.state = 'pinned' ORDER BY approved.at, approved.id"
    ).columns(at=_TIME)
    withdrawn: list[tuple[str, str]] = []
    reopened = False
    for pin in connection.execute(pinned).all():
        if pin.number is not None and (why := _overruled(connection, pin)):
            withdrawn.append((pin.answer, why))
        elif _was_wrong_where_given(connection, pin):
            why = "it was judged Incorrect"
            withdrawn.append((pin.answer or pin.id, why))
            if pin.number is not None:
                _reopen(connection, pin.answer, pin.number)
                reopened = True
        else:
            continue
        taken = sa.text("UPDATE approved SET state = 'returned', why = :why WHERE id = :id")
        connection.execute(taken, {"why": why, "id": pin.id})
    if reopened:
        connection.execute(sa.text("DELETE FROM tallies"))
        connection.execute(
            sa.text(
                "INSERT INTO tallies (kind, value, standing, answers)"
                " SELECT kind, value, standing, count(*) FROM topics GROUP BY kind, value, standing"
            )
        )
    _note(connection, withdrawn)


def _overruled(connection: sa.Connection, pin: sa.Row[Any]) -> str:
    """Why an answer is approved no more, "" where its verdict is what it was when that was done: Correct, where nobody
    can tell by now."""
    if pin.standing in _WHY:
        return _WHY[pin.standing]
    labels = sa.text(
        "SELECT reviewer, verdict, settles, at FROM labels WHERE answer = :answer AND NOT asker AND number > :since"
        " ORDER BY number"
    ).columns(at=_TIME, settles=sa.Boolean)
    given = connection.execute(labels, {"answer": pin.answer, "since": pin.since}).all()
    last = {label.reviewer: label for label in given if label.at <= pin.at}
    verdicts = {label.verdict for label in last.values()}
    settled = [label.verdict for label in given if label.settles and last.get(label.reviewer) is label]
    then = settled[-1] if settled else verdicts.pop() if len(verdicts) == 1 else "Correct"
    wrong = pin.standing == "Incorrect" and pin.reply.strip() == pin.words.strip()
    return f"it was judged {pin.standing}" if wrong or pin.standing != then else ""


def _was_wrong_where_given(connection: sa.Connection, pin: sa.Row[Any]) -> bool:
    """Whether a reviewer found an approved answer Incorrect where somebody had been given it."""
    found = sa.text(
        "SELECT answers.record_json, answers.created FROM answers JOIN reviews ON reviews.number = answers.number"
        " WHERE reviews.status = 'approved' AND reviews.standing = 'Incorrect' AND answers.answer = :reply"
    ).columns(created=_TIME)
    return any(
        created >= pin.at and (json.loads(record_json).get("approved") or {}).get("question") == pin.question
        for record_json, created in connection.execute(found, {"reply": pin.reply})
    )


def _reopen(connection: sa.Connection, answer: str, number: int) -> None:
    """Let the verdicts on an answer so far no longer count: they were on the words that were found wrong."""
    newest = sa.text("SELECT max(number) FROM labels WHERE answer = :answer")
    since = connection.scalar(newest, {"answer": answer}) or 0
    about = {"number": number}
    again = sa.text("UPDATE reviews SET since = :since, standing = 'open' WHERE number = :number")
    connection.execute(again, about | {"since": since})
    connection.execute(sa.text("UPDATE topics SET standing = 'open' WHERE number = :number"), about)


def _note(connection: sa.Connection, withdrawn: Sequence[tuple[str, str]]) -> None:
    """A row of the audit log for each, chained to the row before."""
    if not withdrawn:
        return
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("LOCK TABLE audit IN SHARE ROW EXCLUSIVE MODE"))
    newest = sa.select(_AUDIT.c.number, _AUDIT.c.chain).order_by(_AUDIT.c.number.desc()).limit(1)
    number, chain = connection.execute(newest).first() or (0, "")
    now = datetime.now(UTC)
    for about, why in withdrawn:
        number += 1
        told = ("the program", "approved answer returned", about, "", why)
        row = [chain, number, now.isoformat(timespec="microseconds"), *told]
        chain = hashlib.sha256(json.dumps(row).encode()).hexdigest()
        at = now.replace(tzinfo=None) if connection.dialect.name == "sqlite" else now
        values = dict(zip(("who", "what", "about", "where", "result"), told, strict=True))
        connection.execute(sa.insert(_AUDIT), {"number": number, "at": at, "chain": chain} | values)
