"""How an answer stands with the reviewers: kept in line with its labels, and counted, as they change.

"open" (no reviewer has judged it), "second" (one has, and another is wanted), "disputed" (two judged differently and
nobody has settled it), or the verdict that holds. Nobody reviews an answer to a question of their own while somebody
else may; and an approved answer is given no more once its verdict is another. Of a record it reads only what answers
are chosen by, and which approved answer it tells. Knows nothing about roles but that reviewers and admins judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from store import StoreError, audit, schema
from store.database import lock_table

UNDECIDED = ("open", "second", "disputed")
"""Where an answer stands that has no verdict that holds."""
_WHY = {
    "open": "its verdict was taken back",
    "second": "a second reviewer was asked for",
    "disputed": "two reviewers judged it differently",
}
"""Why an approved answer is given no more whose verdict holds no more."""
LOTS = 2**31
"""How many lots there are; answers lie on them evenly, by the hash of their ids."""


def take_desk(connection: Connection) -> None:
    """Let nobody else put answers on the desk, judge or forget them until this transaction ends.

    To be called before the transaction changes a conversation, an answer or a label: two that each held a row which the
    other needs would wait for each other for ever.
    """
    lock_table(connection, schema.tallies)


def enter(connection: Connection, number: int, id: str, asker: str, created: datetime, record_json: str) -> None:
    """Put a new answer on the desk, which the transaction has taken."""
    told, topics = _told(record_json)
    monday = (created - timedelta(days=created.weekday())).date().isoformat()
    row = {"number": number, "asker": asker, "lot": lot(id), "flag": "", "standing": "open"}
    connection.execute(insert(schema.reviews), row | told | {"second": False, "since": 0})
    about = [("week", monday), *topics]
    rows = [{"kind": kind, "value": value, "number": number, "standing": "open"} for kind, value in about]
    connection.execute(insert(schema.topics), rows)
    tally(connection, schema.topics.c.number == number, 1)


def hold(connection: Connection, answer: str) -> tuple[int, int]:
    """The number of an answer, and up to which label verdicts no longer count; takes the desk.

    Raises StoreError when there is no such answer.
    """
    take_desk(connection)
    reviews, answers = schema.reviews, schema.answers
    query = select(reviews.c.number, reviews.c.since).join(answers, reviews.c.number == answers.c.number)
    row = connection.execute(query.where(answers.c.id == answer)).first()
    if row is None:
        raise StoreError("There is no such answer.", "It may have been deleted with its conversation: reload the page.")
    return row.number, row.since


def settle(connection: Connection, answer: str) -> None:
    """Bring an answer's standing in line with its labels, and what was approved in line with that.

    To be called before the transaction writes to the audit log.
    """
    number, since = hold(connection, answer)
    labels, reviews, topics = schema.labels.c, schema.reviews, schema.topics
    told = (reviews.c.second, reviews.c.standing, reviews.c.asker, reviews.c.status)
    before = connection.execute(select(*told).where(reviews.c.number == number)).one()
    if before.asker and not alone(connection, before.asker):
        own = (labels.answer == answer, labels.reviewer == before.asker, ~labels.asker)
        connection.execute(update(schema.labels).where(*own).values(asker=True, settles=False))
    last = select(func.max(labels.number)).where(labels.answer == answer).group_by(labels.reviewer, labels.asker)
    query = select(labels.number, labels.verdict, labels.asker, labels.settles).where(labels.number.in_(last))
    given = connection.execute(query.order_by(labels.number)).all()
    standing = _standing([row for row in given if not row.asker and row.number > since], before.second)
    flag = next((row.verdict for row in reversed(given) if row.asker), "")
    first, second = _opinions(connection, answer)
    values = {"standing": standing, "flag": flag, "first_opinion": first, "second_opinion": second}
    connection.execute(update(reviews).where(reviews.c.number == number).values(values))
    if standing != before.standing:
        about = topics.c.number == number
        tally(connection, about, -1)
        connection.execute(update(topics).where(about).values(standing=standing))
        tally(connection, about, 1)
        wrong = standing == "Incorrect" and before.status == "approved"
        _withdraw(connection, answer, _approved(connection, answer, wrong=wrong), standing)


def alone(connection: Connection, reviewer: str) -> bool:
    """Whether nobody else may judge: no other reviewer or admin is active, as where there are no accounts."""
    people = schema.people.c
    others = (people.role.in_(("reviewer", "admin")), people.state == "active", people.id != reviewer)
    return connection.execute(select(people.id).where(*others).limit(1)).first() is None


def reopen(connection: Connection, answer: str) -> None:
    """Let the verdicts on an answer so far no longer count. Raises StoreError when there is no such answer."""
    number, _ = hold(connection, answer)
    newest = select(func.max(schema.labels.c.number)).where(schema.labels.c.answer == answer)
    since = connection.scalar(newest) or 0
    connection.execute(update(schema.reviews).where(schema.reviews.c.number == number).values(since=since))
    settle(connection, answer)


def tally(connection: Connection, chosen: ColumnElement[bool], sign: int) -> None:
    """Count the topics that are chosen in (1) or out (-1)."""
    topics, table = schema.topics.c, schema.tallies
    key = (topics.kind, topics.value, topics.standing)
    rows = connection.execute(select(*key, func.count()).where(chosen).group_by(*key)).all()
    counts = [
        {"kind": kind, "value": value, "standing": standing, "answers": sign * answers}
        for kind, value, standing, answers in rows
    ]
    if not counts:
        return
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    one: postgresql.Insert | sqlite.Insert = dialect.insert(table)
    more = {"answers": table.c.answers + one.excluded.answers}
    connection.execute(one.on_conflict_do_update(index_elements=["kind", "value", "standing"], set_=more), counts)


def lot(text: str) -> int:
    """The lot of an id, from 0 to LOTS."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") >> 1


def _standing(rows: Sequence[Row[int, str, bool, bool]], second: bool) -> str:
    """How an answer stands by the last verdict of each reviewer, in the order in which they were given."""
    settled = [row.verdict for row in rows if row.settles]
    verdicts = {row.verdict for row in rows}
    if settled:
        return str(settled[-1])
    if not verdicts:
        return "open"
    if len(verdicts) > 1:
        return "disputed"
    return "second" if second and len(rows) == 1 else str(verdicts.pop())


def _opinions(connection: Connection, answer: str) -> tuple[str, str]:
    """How the first two reviewers of an answer judged it, each for the first time, "" for none. A verdict that settles
    was given with the others in sight, so it is no opinion of its own."""
    labels = schema.labels.c
    own = select(labels.reviewer, labels.verdict).where(labels.answer == answer, ~labels.asker, ~labels.settles)
    firsts: dict[str, str] = {}
    for reviewer, verdict in connection.execute(own.order_by(labels.number)):
        firsts.setdefault(reviewer, verdict)
    first, second, *_ = *firsts.values(), "", ""
    return first, second


def _approved(connection: Connection, answer: str, *, wrong: bool) -> Sequence[Row[str, str | None]]:
    """What is pinned of an answer, and, where that is itself an approved one that was given and found `wrong`, the one
    that was given: their ids and their answers."""
    approved, answers = schema.approved.c, schema.answers.c
    chosen: ColumnElement[bool] = approved.answer == answer
    if wrong:
        given = connection.execute(select(answers.answer, answers.record_json).where(answers.id == answer)).one()
        question = (json.loads(given.record_json).get("approved") or {}).get("question", "")
        chosen = or_(chosen, and_(approved.question == question, approved.reply == given.answer))
    query = select(approved.id, approved.answer).where(approved.state == "pinned", chosen).order_by(approved.answer)
    return connection.execute(query).all()


def _withdraw(connection: Connection, answer: str, pinned: Sequence[Row[str, str | None]], standing: str) -> None:
    """Give no more what is pinned, now that an answer stands otherwise. What is pinned of another one sends that back
    into the queue, since its verdict was on the same words."""
    why = _WHY.get(standing, f"it was judged {standing}")
    table = schema.approved
    for each in pinned:
        connection.execute(update(table).where(table.c.id == each.id).values(state="returned", why=why))
    for other in {each.answer for each in pinned} - {None, answer}:
        reopen(connection, str(other))
    for each in pinned:
        audit.note(connection, "the program", "approved answer returned", each.answer or each.id, result=why)


def _told(record_json: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What answers are chosen by, of what a record says, and its topics; nothing of what is no record."""
    try:
        record = json.loads(record_json)
    except ValueError:
        record = {}
    model = record.get("model", {})
    sentences = record.get("checks", {}).get("sentences", ())
    told = {
        "status": record.get("status", ""),
        "model": model.get("name", ""),
        "adapter": model.get("adapter", ""),
        "support": sum(one["supported"] for one in sentences) / len(sentences) if sentences else None,
    }
    documents = {source["document"] for source in record.get("sources", ()) if source["kind"] != "chart"}
    units = {entity["unit"] for entity in record.get("entities", ())}
    topics = [("model", " + ".join(filter(None, (told["model"], told["adapter"]))))]
    return told, topics + [("document", name) for name in documents] + [("unit", unit) for unit in units]
