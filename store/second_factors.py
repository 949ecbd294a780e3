"""The second factors of people: the key that makes an app's codes, and the hashes of the codes for when that is lost.

Whatever is used is used once: a step of the clock, a recovery code, and with either the link of a sign-in under way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Delete, Engine, Update, delete, func, insert, select, update

from store import StoreError, audit, schema
from store.database import lock_table, reading, rows, writing
from store.keys import end_keys, use_link
from store.person import display_name


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """`key` is what the app was given, in base32; `since` is None until a first code was right, and nothing is asked
    for before; `left` counts the recovery codes."""

    key: str
    since: datetime | None
    left: int


class SecondFactors:
    """The second factors of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, person: str) -> SecondFactor | None:
        """The one of a person."""
        table, codes = schema.second_factors.c, schema.recovery_codes.c
        left = select(func.count()).where(codes.person == person).scalar_subquery()
        query = select(table.key, table.since, left).where(table.person == person)
        return next((SecondFactor(*row) for row in rows(self._engine, query)), None)

    def begin(self, person: str, key: str) -> None:
        """Keep a key that nothing is asked of yet. Raises StoreError where one is in use."""
        table = schema.second_factors
        with writing(self._engine) as connection:
            lock_table(connection, table)  # two windows could begin at once
            connection.execute(delete(table).where(table.c.person == person, table.c.since.is_(None)))
            if connection.execute(select(table).where(table.c.person == person)).first():
                raise StoreError("There is a second factor already.", "Take it off first.")
            connection.execute(insert(table), {"person": person, "key": key, "last_step": 0})

    def confirm(
        self, person: str, key: str, step: int, codes: Mapping[int, str], *, by: str, where: str = "", session: str = ""
    ) -> None:
        """Ask for it from now on: the code of that `key` and `step` was right. `codes` are the hashes of the recovery
        codes by their numbers. The person's sessions, which a password alone began, end but the one with the id
        `session`. Raises StoreError where that key does not wait for it."""
        table = schema.second_factors
        waits = update(table).where(table.c.person == person, table.c.key == key, table.c.since.is_(None))
        with writing(self._engine) as connection:
            if connection.execute(waits.values(since=datetime.now(UTC), last_step=step)).rowcount == 0:
                raise StoreError("This second factor was begun anew, or is in use already.", "Load the page again.")
            kept = [{"person": person, "number": number, "hash": hash} for number, hash in codes.items()]
            connection.execute(insert(schema.recovery_codes), kept)
            end_keys(connection, person, but=session, tokens=False)
            whose = display_name(connection, person)
            audit.note(connection, by, "second factor set up", whose, where=where, result=f"{len(kept)} recovery codes")

    def recovery_hash(self, person: str, number: int) -> str:
        """The hash of the recovery code with that number, "" where there is none or it was used."""
        table = schema.recovery_codes.c
        with reading(self._engine) as connection:
            return connection.scalar(select(table.hash).where(table.person == person, table.number == number)) or ""

    def use(self, person: str, *, step: int = 0, recovery: int = 0, link: str = "") -> bool:
        """Use up a step of the clock, or the recovery code of that number, together with the link of a sign-in where
        one is given; False for what was used before. Raises StoreError for a link that is used or over."""
        table, codes = schema.second_factors, schema.recovery_codes
        if step:
            newer = (table.c.person == person, table.c.since.is_not(None), table.c.last_step < step)
            used: Update | Delete = update(table).where(*newer).values(last_step=step)
        else:
            used = delete(codes).where(codes.c.person == person, codes.c.number == recovery)
        with writing(self._engine) as connection:
            if connection.execute(used).rowcount == 0:
                return False
            if link:
                use_link(connection, link, "second factor")
        return True

    def end(self, person: str, *, by: str, where: str = "") -> None:
        """Ask for it no more; where there is none, that stays so."""
        table = schema.second_factors
        with writing(self._engine) as connection:
            row = connection.execute(select(table).where(table.c.person == person)).first()
            connection.execute(delete(table).where(table.c.person == person))
            if row is not None and row.since is not None:
                audit.note(connection, by, "second factor taken off", display_name(connection, person), where=where)
