"""Which adapter answers people, by decision: each promotion and each way back is a row, and the last one counts.

Knows nothing about adapters beyond their ids, or about models.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, insert, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing


@dataclass(frozen=True, slots=True)
class Promotion:
    """`adapter` answers from `at` on, because `by` decided it; "" is the one that ships with the program."""

    adapter: str
    at: datetime
    by: str


class Promotions:
    """The promotions of one home. Any thread may call any method, and any may raise StoreError for a failing
    database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[Promotion, ...]:
        """Every promotion, the newest first."""
        with reading(self._engine) as connection:
            return _all(connection)

    def current(self) -> str:
        """The promoted adapter, "" for the one that ships."""
        return next((each.adapter for each in self.all()), "")

    def put(self, adapter: str, *, by: str, instead_of: str | None = None) -> Promotion:
        """Let `adapter` answer from now on.

        `instead_of` is the one that whoever decided saw answering: when it is another by now, nothing changes and
        StoreError is raised. None asks for no such check.
        """
        promotion = Promotion(adapter, datetime.now(UTC), by)
        with writing(self._engine) as connection:
            lock_table(connection, schema.promotions)
            current = next((each.adapter for each in _all(connection)), "")
            if instead_of is not None and current != instead_of:
                raise StoreError(
                    f"Another adapter was promoted meanwhile: {current or 'the one that ships'}.",
                    "Look at its figures, and promote again if that is what you want.",
                )
            row = {"adapter": adapter, "promoted": promotion.at, "promoted_by": by}
            connection.execute(insert(schema.promotions), row)
            audit.note(connection, by, "adapter promoted", adapter or "shipped")
        return promotion


def _all(connection: Connection) -> tuple[Promotion, ...]:
    table = schema.promotions.c
    query = select(table.adapter, table.promoted, table.promoted_by).order_by(table.number.desc())
    return tuple(Promotion(*row) for row in connection.execute(query))
