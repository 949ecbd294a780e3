"""The audit log: who did what, when, from where, and what came of it. Rows are only ever added.

Each row carries a hash over itself and the row before, so that a row changed, removed or slipped in afterwards shows.
Whoever may write the database can write the whole log anew: an export kept elsewhere, or the last row's `chain`, is
what shows that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, Engine, func, insert, select

from store import schema, storable
from store.database import lock_table, reading, rows, writing

_AT_A_TIME = 1_000


@dataclass(frozen=True, slots=True)
class Event:
    """`who` did `what` `about` something, from `where` (an address, "" at the terminal); `result` says what came of it.

    `chain` is the sha256 over this row and the one before, in hex.
    """

    number: int
    at: datetime
    who: str
    what: str
    about: str
    where: str
    result: str
    chain: str


class Audit:
    """The log of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, who: str, what: str, about: str = "", *, where: str = "", result: str = "") -> Event:
        """Write down what is no change of the records: a sign-in, a refusal, an export."""
        with writing(self._engine) as connection:
            return note(connection, who, what, about, where=where, result=result)

    def page(
        self, *, before: int | None = None, most: int = 100, who: str = "", what: str = "", about: str = ""
    ) -> tuple[Event, ...]:
        """The newest `most` events, of those before number `before`; `who`, `what` and `about` choose by the whole
        word."""
        table = schema.audit.c
        chosen: list[ColumnElement[bool]] = [] if before is None else [table.number < before]
        chosen += [table[name] == value for name, value in (("who", who), ("what", what), ("about", about)) if value]
        query = select(schema.audit).where(*chosen).order_by(table.number.desc()).limit(most)
        return tuple(Event(*row) for row in rows(self._engine, query))

    def count(self, *, who: str = "") -> int:
        """How many events there are, or of what `who` did."""
        query = select(func.count()).select_from(schema.audit)
        with reading(self._engine) as connection:
            return connection.scalar(query.where(schema.audit.c.who == who) if who else query) or 0

    def verify(self) -> int | None:
        """The number of the first row that does not follow from the row before, None when the whole log holds."""
        chain, expected = "", 1
        for event in self.all():
            if (event.number, event.chain) != (expected, _chain(chain, event)):
                return event.number
            chain, expected = event.chain, expected + 1
        return None

    def all(self) -> Iterator[Event]:
        """Every event, the oldest first; a batch at a time, so that nobody who writes has to wait for the end."""
        last = 0
        table = schema.audit
        while True:
            query = select(table).where(table.c.number > last).order_by(table.c.number).limit(_AT_A_TIME)
            events = [Event(*row) for row in rows(self._engine, query)]
            yield from events
            if len(events) < _AT_A_TIME:
                return
            last = events[-1].number


def note(connection: Connection, who: str, what: str, about: str = "", *, where: str = "", result: str = "") -> Event:
    """Add an event in the transaction of the change that it is about.

    Call it last: from here to the end of the transaction everybody else who writes to the log waits.
    """
    lock_table(connection, schema.audit)
    table = schema.audit
    last = connection.execute(select(table.c.number, table.c.chain).order_by(table.c.number.desc()).limit(1)).first()
    number, before = last if last else (0, "")
    who, what, about, where, result = map(storable, (who, what, about, where, result))
    unchained = Event(number + 1, datetime.now(UTC), who, what, about, where, result, chain="")
    event = replace(unchained, chain=_chain(before, unchained))
    connection.execute(insert(table), asdict(event))
    return event


def _chain(before: str, event: Event) -> str:
    """The sha256 over a row and the chain before it."""
    at = event.at.astimezone(UTC).isoformat(timespec="microseconds")
    row = [before, event.number, at, event.who, event.what, event.about, event.where, event.result]
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()
