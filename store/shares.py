"""With whom what somebody was given is shared."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from store import schema
from store.database import rows, writing

if TYPE_CHECKING:
    from sqlalchemy import Engine


class Shares:
    """Who may see which answers of others. Any thread may call any method, and any may raise StoreError."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def people(self, answer: str) -> tuple[str, ...]:
        """The ids of those with whom an answer is shared."""
        table = schema.shares.c
        return tuple(person for (person,) in rows(self._engine, select(table.person).where(table.answer == answer)))

    def answers(self, person: str) -> tuple[str, ...]:
        """The ids of what is shared with somebody, the latest first."""
        table = schema.shares.c
        query = select(table.answer).where(table.person == person).order_by(table.at.desc())
        return tuple(answer for (answer,) in rows(self._engine, query))

    def put(self, answer: str, person: str) -> None:
        """Share an answer with somebody; nothing changes where it is already."""
        with writing(self._engine) as connection:
            table = schema.shares
            same = (table.c.answer == answer) & (table.c.person == person)
            if connection.execute(select(table.c.answer).where(same)).first() is None:
                row = {"answer": answer, "person": person, "at": datetime.now(UTC)}
                connection.execute(insert(table), row)

    def end(self, answer: str, person: str) -> None:
        """Share it with them no more."""
        with writing(self._engine) as connection:
            table = schema.shares
            connection.execute(delete(table).where(table.c.answer == answer, table.c.person == person))
