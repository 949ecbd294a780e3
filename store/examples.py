"""The example questions of an expert: what people here ask, in whose manner a model writes pairs.

Knows nothing about what makes a good question, or about pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, delete, insert, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing


class Examples:
    """The example questions of one home. Any thread may call any method, and any may raise StoreError for a failing
    database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[str, ...]:
        """The questions, in the order in which they were written."""
        with reading(self._engine) as connection:
            return _all(connection)

    def put(self, questions: Sequence[str], *, instead_of: Sequence[str] | None = None, by: str = "") -> None:
        """Make these the example questions.

        `instead_of` are those that whoever writes has seen: when they are others by now, nothing changes and StoreError
        is raised. None asks for no such check.
        """
        rows = [{"position": position, "question": question} for position, question in enumerate(questions, 1)]
        with writing(self._engine) as connection:
            lock_table(connection, schema.examples)
            if instead_of is not None and _all(connection) != tuple(instead_of):
                raise StoreError(
                    "The example questions were changed meanwhile, so nothing was saved.",
                    "Look at what they are now, and save again.",
                )
            connection.execute(delete(schema.examples))
            if rows:
                connection.execute(insert(schema.examples), rows)
            audit.note(connection, by, "example questions set", result=str(len(rows)))


def _all(connection: Connection) -> tuple[str, ...]:
    table = schema.examples.c
    return tuple(connection.scalars(select(table.question).order_by(table.position)))
