"""What is forgotten of people: their conversations, on request or when they are old, and the answers in them.

Answers that a reviewer has judged stay, outside of any conversation and with nobody named as their asker: what was
learned from them rests on them. Knows nothing about how long anything must be kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, or_, select, update

from store import review_status, schema


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many conversations and answers are gone, and how many answers stay because a reviewer has judged them."""

    conversations: int
    answers: int
    kept: int


def asked_by(chosen: ColumnElement[bool]) -> ColumnElement[bool]:
    """The answers whose askers are `chosen`, which is on the column of askers of the reviews."""
    return schema.answers.c.number.in_(select(schema.reviews.c.number).where(chosen))


def forget(
    connection: Connection, chosen: ColumnElement[bool], *, alone: ColumnElement[bool] | None = None
) -> Forgotten:
    """Forget the conversations that are `chosen` with their answers; and, of answers outside of any conversation, those
    that are `alone`."""
    review_status.take_desk(connection)
    conversations, answers, labels, reviews = schema.conversations, schema.answers, schema.labels, schema.reviews
    inside: ColumnElement[bool] = answers.c.conversation.in_(select(conversations.c.id).where(chosen))
    if alone is not None:
        inside = or_(inside, and_(answers.c.conversation.is_(None), alone))
    ids = select(answers.c.id).where(inside)
    # The verdict of who asked goes with the conversation. SQLite may give its number to the next verdict, so no answer
    # that stays may say that its verdicts count only from beyond that number on.
    connection.execute(delete(labels).where(labels.c.asker, labels.c.answer.in_(ids)))
    judged = select(labels.c.answer)
    kept = select(answers.c.number).where(inside, answers.c.id.in_(judged))
    left = select(func.max(labels.c.number)).join(answers, answers.c.id == labels.c.answer)
    newest = left.where(answers.c.number == reviews.c.number).correlate(reviews).scalar_subquery()
    since = case((reviews.c.since > newest, newest), else_=reviews.c.since)
    unnamed = update(reviews).where(reviews.c.number.in_(kept)).values(asker="", flag="", since=since)
    stay = connection.execute(unnamed).rowcount
    leaving = select(answers.c.number).where(inside, answers.c.id.not_in(judged))
    review_status.tally(connection, schema.topics.c.number.in_(leaving), -1)
    gone = connection.execute(delete(answers).where(inside, answers.c.id.not_in(judged))).rowcount
    return Forgotten(connection.execute(delete(conversations).where(chosen)).rowcount, gone, stay)
