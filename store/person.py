"""A person who may sign in, as the records know them, and what is forgotten of one.

Answers that a reviewer has judged stay, outside of any conversation and with nobody named as their asker: what was
learned from them rests on them.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, or_, select, update

from store import schema, storable
from store.reviews import lock_reviews, tally

Role = Literal["employee", "reviewer", "admin"]
State = Literal["pending", "active", "disabled"]
How = Literal["password", "sso", "proxy"]


@dataclass(frozen=True, slots=True)
class Person:
    """`name` is what is typed at sign-in, `shown` what others see; `unit` is the id of a unit of the chart or "";
    `how` says what the person signs in by."""

    id: str
    name: str
    shown: str
    role: Role
    state: State
    unit: str
    created: datetime
    how: How


_TABLE = schema.people.c
COLUMNS = (
    _TABLE.id, _TABLE.name, _TABLE.shown, _TABLE.role, _TABLE.state, _TABLE.unit, _TABLE.created, _TABLE.how
)  # fmt: skip
"""The columns of a Person, in the order of its fields."""


_COMPARED = 1_000
"""Characters of a name that are compared."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody to be added; `secret` is the hash of a password, "" where none was set."""

    name: str
    shown: str = ""
    role: Role = "employee"
    state: State = "pending"
    unit: str = ""
    how: How = "password"
    secret: str = ""


def display_name(connection: Connection, person: str) -> str:
    """The name of a person; where nobody has that id, as in a home without accounts, the id itself."""
    return connection.scalar(select(_TABLE.name).where(_TABLE.id == person)) or person


def folded(name: str) -> str:
    """A name as it is compared: without capitals, compatibility forms, or white space that nobody sees. Of one
    that is longer than any that is kept, its beginning: the time that marks take to be composed grows with the square
    of their number."""
    return " ".join(unicodedata.normalize("NFKC", storable(name[:_COMPARED])).casefold().split())


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
    lock_reviews(connection)
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
    connection.execute(delete(schema.shares).where(schema.shares.c.answer.in_(ids)))
    leaving = select(answers.c.number).where(inside, answers.c.id.not_in(judged))
    tally(connection, schema.topics.c.number.in_(leaving), -1)
    gone = connection.execute(delete(answers).where(inside, answers.c.id.not_in(judged))).rowcount
    return Forgotten(connection.execute(delete(conversations).where(chosen)).rowcount, gone, stay)
