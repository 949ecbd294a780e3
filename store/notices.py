"""Notices to people and units in the program itself: what a workflow tells them, and what it asks of them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, func, insert, or_, select, update

from store import StoreError, audit, schema
from store.database import reading, writing

NoticeState = Literal["told", "open", "done", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A text to one `person`, or to all of a `unit`, each by its id, "" for the other. One that is "open" asks for
    something: it is done when somebody fills in what `gives` names, each one of its choices where there are some;
    `answer` has it then. `run` is the run of a workflow that says it, "" for none, and `place` that of the action among
    those that it did."""

    text: str
    person: str = ""
    unit: str = ""
    run: str = ""
    place: int = 0
    gives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    state: NoticeState = "told"
    done_by: str = ""
    done: datetime | None = None
    answer: Mapping[str, object] | None = None
    id: str = ""
    at: datetime = datetime.min


class Notices:
    """The notices of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, notice: Notice) -> Notice:
        """Keep a new notice, under an id of its own."""
        with writing(self._engine) as connection:
            return put_notice(connection, notice)

    def of(self, person: str, units: Collection[str], *, most: int = 100) -> tuple[Notice, ...]:
        """The notices to somebody and to the units that they are in: first those that are open, then the newest."""
        table = schema.notices.c
        return self._notices(_to(person, units), table.state != "withdrawn", most=most)

    def find(self, id: str, person: str, units: Collection[str]) -> Notice | None:
        """A notice to somebody, or to a unit that they are in."""
        return next(iter(self._notices(schema.notices.c.id == id, _to(person, units), most=1)), None)

    def asked(self, run: str, place: int) -> Notice | None:
        """What a run asked for at a place."""
        table = schema.notices.c
        return next(iter(self._notices(table.run == run, table.place == place, table.state != "told", most=1)), None)

    def count_open(self, person: str, units: Collection[str]) -> int:
        """How many ask for something of somebody, or of the units that they are in."""
        query = select(func.count()).where(_to(person, units), schema.notices.c.state == "open")
        with reading(self._engine) as connection:
            return connection.scalar(query) or 0

    def finish(
        self, id: str, answer: Mapping[str, object], *, person: str, units: Collection[str], by: str, where: str = ""
    ) -> None:
        """Keep what somebody filled in, and let the run go on that asked. Raises StoreError where it is not, or no
        longer, asked of them."""
        table, runs = schema.notices, schema.workflow_runs
        with writing(self._engine) as connection:
            chosen = (table.c.id == id) & (table.c.state == "open") & _to(person, units)
            found = connection.execute(select(table).where(chosen)).mappings().first()
            values = {"state": "done", "done_by": by, "done": datetime.now(UTC)}
            values["answer_json"] = json.dumps(answer, ensure_ascii=False)
            if found is None or connection.execute(update(table).where(chosen).values(values)).rowcount == 0:
                raise StoreError("This is no longer asked of you.", "Somebody else did it, or it was taken back.")
            waiting = update(runs).where(runs.c.id == found["run"], runs.c.state == "waiting")
            connection.execute(waiting.values(state="due"))
            audit.note(connection, by, "task done", found["text"].partition("\n")[0], where=where, result=found["run"])

    def _notices(self, *chosen: ColumnElement[bool], most: int) -> tuple[Notice, ...]:
        table = schema.notices
        query = select(table).where(*chosen).order_by(table.c.state != "open", table.c.number.desc()).limit(most)
        with reading(self._engine) as connection:
            return tuple(_notice({**row}) for row in connection.execute(query).mappings())


def put_notice(connection: Connection, notice: Notice) -> Notice:
    """Keep a new notice in the transaction of what it is about."""
    row: dict[str, Any] = {"id": uuid.uuid4().hex, "at": datetime.now(UTC)}
    row |= {name: getattr(notice, name) for name in ("text", "person", "unit", "run", "place", "state")}
    row |= {"gives": json.dumps(notice.gives), "done_by": "", "answer_json": ""}
    connection.execute(insert(schema.notices), row)
    return _notice(row)


def _to(person: str, units: Collection[str]) -> ColumnElement[bool]:
    table = schema.notices.c
    return or_((table.person == person) & (table.person != ""), table.unit.in_([each for each in units if each]))


def _notice(row: Mapping[str, Any]) -> Notice:
    values = {name: value for name, value in row.items() if name not in ("number", "gives", "answer_json")}
    answer = json.loads(row["answer_json"]) if row["answer_json"] else None
    gives = {name: tuple(choices) for name, choices in json.loads(row["gives"]).items()}
    return Notice(**values, gives=gives, answer=answer)
