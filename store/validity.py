"""The validity of documents as the database keeps it. Every write is one transaction, on the disk when its call
returns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, or_, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing
from store.standing import Found, Period, Standing, Validity, problems, standing


class Validities:
    """The validity of the documents of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._latest: tuple[object, dict[str, Standing]] = (None, {})

    def all(self) -> dict[str, Validity]:
        """Of each document that something is known of, by name."""
        with reading(self._engine) as connection:
            return _all(connection)

    def of(self, name: str) -> Validity:
        """Of one document."""
        with reading(self._engine) as connection:
            return _all(connection, [name]).get(name, Validity())

    def put(
        self, changes: Mapping[str, Validity], *, by: str, instead_of: Mapping[str, Validity] | None = None
    ) -> None:
        """Make these the validity of documents, all of them or none. Raises StoreError for what cannot be, and where
        one is no longer as `instead_of` says."""
        table, links = schema.validity, schema.supersessions
        with writing(self._engine) as connection:
            lock_table(connection, table)
            before = _all(connection)
            if any(before.get(name, Validity()) != seen for name, seen in (instead_of or {}).items()):
                raise StoreError(
                    "Somebody changed it meanwhile, so nothing was saved.", "Look at what is there now, and save again."
                )
            known = set(connection.scalars(select(schema.documents.c.name)))
            if wrong := tuple(problems(changes, before, known)):
                name, message = wrong[0]
                raise StoreError(f"{name}: {message}", "Nothing was saved. Correct it, and save again.")
            for name, one in changes.items():
                if one == before.get(name):
                    continue
                row = asdict(one) | {"document": name, "set_by": one.by, "found_json": _found_json(one.found)}
                connection.execute(delete(table).where(table.c.document == name))
                connection.execute(insert(table), {column.name: row[column.name] for column in table.columns})
                connection.execute(delete(links).where(links.c.document == name))
                if one.supersedes:
                    rows = [{"document": name, "superseded": other} for other in dict.fromkeys(one.supersedes)]
                    connection.execute(insert(links), rows)
                audit.note(connection, by, "validity set", name, result=_told(one))

    def any(self) -> bool:
        """Whether there is a document that is not in force at all times, as far as anybody knows."""
        table = schema.validity.c
        known = or_(table.status != "in force", table.valid_from.is_not(None), table.valid_to.is_not(None))
        with reading(self._engine) as connection:
            first = connection.scalar(select(table.document).where(known).limit(1))
            return first is not None or connection.scalar(select(schema.supersessions.c.document).limit(1)) is not None

    def outside(self, period: Period) -> dict[str, Standing]:
        """The documents that are not in force on any day of a period, by name. It takes 1 ms; after a change of any
        kind 30 µs for each of them once."""
        table, links = schema.validity.c, schema.supersessions.c
        maybe = or_(table.status != "in force", table.valid_from > period.last, table.valid_to < period.first)
        with reading(self._engine) as connection:
            # Whatever changes them is in the log, whichever process did it.
            key = (period, date.today(), connection.scalar(select(func.max(schema.audit.c.number))))
            if self._latest[0] == key:
                return self._latest[1]
            replaced = set(connection.scalars(select(links.superseded)))
            found = {row.document: _validity(row) for row in connection.execute(select(schema.validity).where(maybe))}
            names = {*found, *replaced}
            successors = _successors(connection, names)
            missing = [name for name in replaced if name not in found]
            found |= _all(connection, missing)
        standings = {name: standing(found.get(name, Validity()), successors.get(name, {}), period) for name in names}
        outside = {name: one for name, one in standings.items() if one.state != "in force"}
        self._latest = key, outside
        return outside

    def owned(self, unit: str, person: str) -> frozenset[str]:
        """The documents of a unit, "" for none, or of a person, as somebody has set it."""
        table = schema.validity.c
        whose = or_(table.unit == unit, table.person == person) if unit else table.person == person
        with reading(self._engine) as connection:
            return frozenset(connection.scalars(select(table.document).where(whose, table.set_by != "")))

    def standings(self, names: Collection[str], period: Period) -> dict[str, Standing]:
        """How these documents stand in a period; those that nothing is known of are left out."""
        with reading(self._engine) as connection:
            found, successors = _all(connection, names), _successors(connection, names)
        return {
            name: standing(found.get(name, Validity()), successors.get(name, {}), period)
            for name in names
            if name in found or name in successors
        }


def _all(connection: Connection, names: Collection[str] | None = None) -> dict[str, Validity]:
    table, links = schema.validity, schema.supersessions
    query, linked = select(table), select(links).order_by(links.c.superseded)
    if names is not None:
        query, linked = query.where(table.c.document.in_(names)), linked.where(links.c.document.in_(names))
    supersedes: dict[str, list[str]] = {}
    for document, superseded in connection.execute(linked):
        supersedes.setdefault(document, []).append(superseded)
    return {row.document: _validity(row, supersedes.get(row.document, ())) for row in connection.execute(query)}


def _successors(connection: Connection, names: Collection[str]) -> dict[str, dict[str, Validity]]:
    """Of those documents that are superseded, by name, what takes the place of each."""
    table, links = schema.validity, schema.supersessions
    joined = select(links.c.superseded, table).join(table, table.c.document == links.c.document)
    found: dict[str, dict[str, Validity]] = {}
    for superseded, *values in connection.execute(joined):
        if superseded in names:
            row = dict(zip(table.columns.keys(), values, strict=True))
            one = Validity(status=row["status"], valid_from=row["valid_from"], valid_to=row["valid_to"])
            found.setdefault(superseded, {})[row["document"]] = one
    return found


def _validity(row: Any, supersedes: Iterable[str] = ()) -> Validity:
    found = tuple(Found(**one) for one in json.loads(row.found_json))
    days = (row.valid_from, row.valid_to, row.review)
    return Validity(row.status, *days, row.unit, row.person, row.language, tuple(supersedes), found, row.set_by)


def _found_json(found: Iterable[Found]) -> str:
    return json.dumps([asdict(one) for one in found], ensure_ascii=False)


def _told(one: Validity) -> str:
    """A validity in one line of the log."""
    days = (("from", one.valid_from), ("to", one.valid_to), ("review", one.review))
    told = [one.status, *(f"{word} {day}" for word, day in days if day), one.unit or one.person]
    told += [f"supersedes {other}" for other in one.supersedes]
    return "; ".join(filter(None, told))
