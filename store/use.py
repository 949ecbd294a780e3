"""How much is asked, and what stayed without an answer, as SQL over the answers and their narrow rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, Engine, and_, case, func, or_, select

from store import schema
from store.approved import Kind
from store.database import reading, rows

ANSWERED = ("answered", "approved")
REFUSED = "cannot_answer"


@dataclass(frozen=True, slots=True)
class Week:
    """The questions of a week that begins on `monday`: how many, by how many people who have an account, how many were
    answered and how many refused; of the rest the answer was stopped."""

    monday: date
    questions: int = 0
    askers: int = 0
    answered: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The record of a question that was refused, or of a briefing, which may have open questions; the unit of whoever
    asked, "" for none that is known. Who that was is not told."""

    kind: Kind
    record_json: str
    at: datetime
    unit: str


class Use:
    """The use of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def weeks(self, since: date) -> tuple[Week, ...]:
        """The weeks with questions, the first first; `since` is the Monday of the first that counts."""
        topics, reviews, answers = schema.topics.c, schema.reviews.c, schema.answers.c

        def number(of: ColumnElement[bool]) -> ColumnElement[int]:
            return func.sum(case((of, 1), else_=0))

        counts = (
            func.count(),
            func.count(func.nullif(reviews.asker, "").distinct()),
            number(reviews.status.in_(ANSWERED)),
            number(reviews.status == REFUSED),
        )
        query = (
            select(topics.value, *counts)
            .join_from(schema.topics, schema.reviews, reviews.number == topics.number)
            .join(schema.answers, answers.number == topics.number)
            .where(topics.kind == "week", topics.value >= since.isoformat(), answers.kind == "answer")
            .group_by(topics.value)
            .order_by(topics.value)
        )
        return tuple(Week(date.fromisoformat(monday), *counted) for monday, *counted in rows(self._engine, query))

    def unanswered(self, since: date, most: int) -> tuple[Unanswered, ...]:
        """The newest `most` refusals and briefings, the newest first; `since` as above."""
        topics, reviews, answers, people = schema.topics.c, schema.reviews.c, schema.answers.c, schema.people.c
        week = (topics.kind == "week") & (topics.value >= since.isoformat())
        # The first in an index, not the least: that would be looked for among all answers.
        first = select(topics.number).where(week).order_by(topics.value, topics.number).limit(1).scalar_subquery()
        wanted = or_(answers.kind == "brief", and_(answers.kind == "answer", reviews.status == REFUSED))
        query = (
            select(answers.kind, answers.record_json, answers.created, func.coalesce(people.unit, ""))
            .join_from(schema.reviews, schema.answers, answers.number == reviews.number)
            .outerjoin(schema.people, people.id == reviews.asker)
            .where(reviews.number >= first, wanted)
            .order_by(reviews.number.desc())
            .limit(most)
        )
        return tuple(Unanswered(*row) for row in rows(self._engine, query))

    def accounts(self) -> dict[str, int]:
        """How many active people are directly of each unit, "" for none."""
        people = schema.people.c
        query = select(people.unit, func.count()).where(people.state == "active").group_by(people.unit)
        with reading(self._engine) as connection:
            return dict(map(tuple, connection.execute(query)))
