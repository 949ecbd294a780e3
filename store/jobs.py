"""What people have uploaded and what has become of it: a queue of background jobs that survives a restart."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection, Engine, delete, func, insert, or_, select, update

from store import schema
from store.database import reading, rows, writing
from store.passage import OPEN, Audience, audience_field, read_audience

State = Literal["waiting", "working", "done", "failed", "cancelled"]
_OVER: tuple[State, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Job:
    """One uploaded file, found by its `sha256`, and who may read it where its document is new. `message` and `hint` say
    how it ended; `step`, `done` and `total` are how far the one that is worked on has come, which is not kept."""

    id: str
    name: str
    sha256: str
    by: str
    added: datetime
    state: State = "waiting"
    message: str = ""
    hint: str = ""
    audience: Audience = OPEN
    step: str = ""
    done: int = 0
    total: int = 0


class Jobs:
    """The queue of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, name: str, sha256: str, by: str, audience: Audience = OPEN) -> Job:
        """A new job at the end of the queue."""
        job = Job(uuid.uuid4().hex, name, sha256, by, datetime.now(UTC), audience=audience)
        row = {"id": job.id, "name": name, "sha256": sha256, "given_by": by, "added": job.added}
        row |= {"state": job.state, "message": "", "hint": "", "audience": audience_field(audience)}
        with writing(self._engine) as connection:
            connection.execute(insert(schema.jobs), row)
        return job

    def all(self) -> tuple[Job, ...]:
        """Every job, the oldest first."""
        with reading(self._engine) as connection:
            return _jobs(connection)

    def counts(self) -> dict[State, int]:
        """How many jobs there are in each state, without those that have none."""
        state = schema.jobs.c.state
        return dict(map(tuple, rows(self._engine, select(state, func.count()).group_by(state))))

    def take(self) -> Job | None:
        """The oldest that waits, which is worked on from now on; None when nothing waits."""
        with writing(self._engine) as connection:
            job = next((each for each in _jobs(connection) if each.state == "waiting"), None)
            if job is not None:
                _set(connection, job.id, "working")
        return job

    def end(self, id: str, state: State, message: str, hint: str = "") -> None:
        """Write down what became of a job; one that is gone stays so."""
        with writing(self._engine) as connection:
            _set(connection, id, state, message, hint)

    def wait_again(self, id: str | None = None) -> None:
        """Put an ended job back in the queue; without `id`, those that were worked on when the last process ended."""
        table = schema.jobs
        chosen = table.c.state == "working" if id is None else table.c.id == id
        with writing(self._engine) as connection:
            connection.execute(update(table).where(chosen).values(state="waiting", message="", hint=""))

    def forget_ended(self) -> None:
        """Forget the jobs that are over."""
        table = schema.jobs
        with writing(self._engine) as connection:
            connection.execute(delete(table).where(table.c.state.in_(_OVER)))

    def forget_document(self, name: str, sha256: str) -> None:
        """Forget the jobs that are over, of a document of that name or content."""
        table = schema.jobs.c
        of_document = or_(table.name == name, table.sha256 == sha256)
        with writing(self._engine) as connection:
            connection.execute(delete(schema.jobs).where(table.state.in_(_OVER), of_document))


def _jobs(connection: Connection) -> tuple[Job, ...]:
    rows = connection.execute(select(schema.jobs).order_by(schema.jobs.c.number))
    return tuple(
        Job(id, name, sha256, by, added, state, message, hint, read_audience(audience))
        for _, id, name, sha256, by, added, state, message, hint, audience in rows
    )


def _set(connection: Connection, id: str, state: State, message: str = "", hint: str = "") -> None:
    table = schema.jobs
    connection.execute(update(table).where(table.c.id == id).values(state=state, message=message, hint=hint))
