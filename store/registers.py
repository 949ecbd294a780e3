"""The registers of a home: the records of each table of its catalogue, kept as they were filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select, update

from store import StoreError, audit, schema
from store.database import reading, rows, writing
from store.workflow_runs import WorkflowRun
from store.workflows import Workflows

KEY = "@id"
"""The name under which a workflow knows which record it has."""
LARGEST = 64 * 2**10
"""Bytes of the fields of a record."""
_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a register, by its number; who made it and who changed it last."""

    register: str
    number: int
    fields: Mapping[str, object]
    created: datetime
    created_by: str
    changed: datetime
    changed_by: str

    @property
    def id(self) -> str:
        """What it is known by: its register and its number."""
        return f"{self.register}/{self.number}"

    def values(self) -> dict[str, object]:
        """The record as a workflow is given it: its fields, and which it is."""
        return {KEY: self.id, **self.fields}


class Registers:
    """The registers of one home. What happens to a record sets workflows off."""

    def __init__(self, engine: Engine, workflows: Workflows) -> None:
        self._engine = engine
        self._workflows = workflows

    def create(
        self,
        register: str,
        fields: Mapping[str, object],
        *,
        person: str = "",
        by: str = "",
        where: str = "",
        cause: WorkflowRun | None = None,
    ) -> Record:
        """Keep a new record. `person` and `by` are whose doing it is, `cause` the run of a workflow that does it.

        Raises StoreError for one that is too large.
        """
        text, table, now = _json(fields), schema.register_records, datetime.now(UTC)
        with writing(self._engine) as connection:
            row = {"register": register, "fields_json": text, "created": now, "created_by": by}
            kept = connection.execute(insert(table), row | {"changed": now, "changed_by": by})
            number = kept.inserted_primary_key.number  # type: ignore[union-attr]
            record = Record(register, number, {**fields}, now, by, now, by)
            how: Any = {"register": register, "person": person, "by": by, "cause": cause}
            self._workflows.happened_in(connection, "record_created", record.values(), **how)
            audit.note(connection, by, "record created", record.id, where=where, result=cause.id if cause else "")
        return record

    def update(
        self,
        id: str,
        fields: Mapping[str, object],
        *,
        person: str = "",
        by: str = "",
        where: str = "",
        cause: WorkflowRun | None = None,
    ) -> Record:
        """Give some fields of a record other values; nothing happens where they have them already. Raises StoreError
        where there is no such record, or it would be too large."""
        table = schema.register_records
        with writing(self._engine) as connection:
            before = _find(connection, id)
            if before is None:
                raise StoreError(f"There is no record {id}.", "Look for it in its register.")
            if all(name in before.fields and before.fields[name] == value for name, value in fields.items()):
                return before
            new, now = {**before.fields, **fields}, datetime.now(UTC)
            changed = update(table).where(table.c.number == before.number)
            connection.execute(changed.values(fields_json=_json(new), changed=now, changed_by=by))
            record = Record(before.register, before.number, new, before.created, before.created_by, now, by)
            how: Any = {"register": before.register, "person": person, "by": by, "cause": cause}
            self._workflows.happened_in(connection, "record_updated", record.values(), **how)
            audit.note(connection, by, "record changed", id, where=where, result=", ".join(sorted(fields)))
        return record

    def find(self, id: str) -> Record | None:
        """The record of that id."""
        with reading(self._engine) as connection:
            return _find(connection, id)

    def each(self, register: str) -> Iterator[Record]:
        """Every record of a register, the oldest first; some at a time, so that nobody who writes has to wait."""
        table, last = schema.register_records, 0
        while True:
            query = select(table).where(table.c.register == register, table.c.number > last)
            found = rows(self._engine, query.order_by(table.c.number).limit(_AT_A_TIME))
            yield from map(_record, found)
            if len(found) < _AT_A_TIME:
                return
            last = found[-1].number

    def newest(self, register: str, most: int) -> tuple[Record, ...]:
        """The last records of a register, the newest first."""
        table = schema.register_records
        query = select(table).where(table.c.register == register).order_by(table.c.number.desc()).limit(most)
        return tuple(map(_record, rows(self._engine, query)))

    def count(self, register: str) -> int:
        """How many records a register has."""
        table = schema.register_records.c
        with reading(self._engine) as connection:
            return connection.scalar(select(func.count()).where(table.register == register)) or 0


def _json(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False)
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise StoreError("The record is too large.", f"Its fields may have {LARGEST // 2**10} KB at most.")
    return text


def _find(connection: Connection, id: str) -> Record | None:
    register, _, number = id.rpartition("/")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None
    table = schema.register_records
    query = select(table).where(table.c.number == int(number), table.c.register == register)
    found = connection.execute(query).first()
    return _record(found) if found else None


def _record(row: Any) -> Record:
    return Record(
        row.register, row.number, json.loads(row.fields_json), row.created, row.created_by, row.changed, row.changed_by
    )
