"""The runs of workflows: who set each off, on what, what it did, and how it ended.

A run is kept before anything is done in it. It is "due", then "running"; it may come to be "waiting" for somebody or
for a time, then due again; and it ends as "done", "ended" (by an END), "failed", "refused" (for what was found before
its first step), "stopped" (its workflow was switched off) or "broken off" (the program ended meanwhile).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, select, update

from store import StoreError, audit, schema
from store.database import lock_table, reading, rows, writing

RunState = Literal["due", "running", "waiting", "done", "ended", "failed", "refused", "stopped", "broken off"]
OVER: tuple[RunState, ...] = ("done", "ended", "failed", "refused", "stopped", "broken off")
DEEPEST = 5
"""Runs that were set off one by the other, the first among them."""
MOST_OF_ROOT = 1_000
"""Runs that one may set off, with all that these set off."""
_TOO_DEEP = f"It was set off by a run that was set off by another, {DEEPEST} deep."
_BROKEN_OFF = "The program ended while this was running. What is said below was done; it is not done again by itself."


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One run of a version of a workflow. It has the rights of `activator`, the id of who put it in use, as far as
    `person`, the id of whose doing it is, has them too. `cause` is the id of the run that set it off, "" for none, and
    `root` that of the first of these; `depth` counts them from 1.

    `record_json` is what its trigger gave, `trace_json` what is known of its steps, and `message` why it ended, or what
    it waits for: until a moment, where it is `until` one.
    """

    id: str
    workflow: str
    version: str
    activator: str
    trigger: str
    person: str
    by: str
    record_json: str
    at: datetime
    state: RunState = "due"
    begun: datetime | None = None
    ended: datetime | None = None
    until: datetime | None = None
    message: str = ""
    trace_json: str = ""
    cause: str = ""
    root: str = ""
    depth: int = 1

    @classmethod
    def of(
        cls,
        workflow: str,
        version: str,
        activator: str,
        trigger: str,
        record: Mapping[str, object],
        *,
        person: str = "",
        by: str = "",
    ) -> WorkflowRun:
        """A new run that nothing else set off."""
        id, text = uuid.uuid4().hex, json.dumps(record, ensure_ascii=False)
        return cls(id, workflow, version, activator, trigger, person, by, text, datetime.now(UTC), root=id)

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it by itself."""
        return self.state in OVER


@dataclass(frozen=True, slots=True)
class Effect:
    """An action that a run did, in its order: what it gave as JSON, None where its end is not known; or why it
    `failed`, "" where it did not."""

    place: int
    step: int
    name: str
    begun: datetime
    outputs_json: str | None = None
    failed: str = ""


class WorkflowRuns:
    """The runs of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, run: WorkflowRun) -> None:
        """Let a workflow run as soon as it is its turn."""
        with writing(self._engine) as connection:
            enter_run(connection, run)

    def find(self, id: str) -> WorkflowRun | None:
        """The run of that id."""
        return next(iter(self._runs(schema.workflow_runs.c.id == id)), None)

    def page(self, workflow: str = "", *, most: int = 50, first: int = 0) -> tuple[WorkflowRun, ...]:
        """The newest runs from the `first` one on, of one workflow or of all."""
        chosen = [schema.workflow_runs.c.workflow == workflow] if workflow else []
        return self._runs(*chosen, most=most, first=first)

    def of_trigger(self, workflow: str, trigger: str) -> WorkflowRun | None:
        """The last run of a workflow that this trigger set off."""
        table = schema.workflow_runs.c
        return next(iter(self._runs(table.workflow == workflow, table.trigger == trigger, most=1)), None)

    def failures_in_a_row(self, workflow: str, since: datetime) -> int:
        """How many runs of a workflow that ended failed without one between that did not, of those since a moment."""
        table = schema.workflow_runs.c
        query = select(table.state).where(
            table.workflow == workflow, table.ended >= since, table.state.in_(("done", "ended", "failed"))
        )
        states = [row.state for row in rows(self._engine, query.order_by(table.ended.desc()).limit(100))]
        return next((place for place, state in enumerate(states) if state != "failed"), len(states))

    # How a run goes on

    def take(self) -> WorkflowRun | None:
        """The oldest that is due, which is running from now on; None when none is."""
        table, now = schema.workflow_runs, datetime.now(UTC)
        query = select(table).where(table.c.state == "due").order_by(table.c.number).limit(1)
        if not rows(self._engine, query):  # who looks again and again holds nobody up
            return None
        with writing(self._engine) as connection:
            lock_table(connection, table)
            found = connection.execute(query).mappings().first()
            if found is None:
                return None
            begun = found["begun"] or now
            values = {"state": "running", "begun": begun, "until": None, "message": ""}
            connection.execute(update(table).where(table.c.id == found["id"]).values(values))
            run = _run({**found} | values)
            if found["begun"] is None:
                audit.note(connection, run.by, "workflow run begun", run.workflow, result=run.id)
        return run

    def pause(self, id: str, message: str, trace_json: str, until: datetime | None = None) -> None:
        """Let a run wait, for a moment or for somebody. What it waits for may be there already: then it is due."""
        table, notices = schema.workflow_runs, schema.notices.c
        with writing(self._engine) as connection:
            asked = select(notices.number).where(notices.run == id, notices.state == "open")
            waits = until is not None or connection.execute(asked).first() is not None
            values = {"state": "waiting" if waits else "due", "message": message, "trace_json": trace_json}
            running = update(table).where(table.c.id == id, table.c.state == "running")
            connection.execute(running.values(values | {"until": until}))

    def end(self, id: str, state: RunState, message: str, trace_json: str) -> None:
        """Write down how a run ended."""
        table = schema.workflow_runs
        with writing(self._engine) as connection:
            values = {"state": state, "message": message, "trace_json": trace_json, "ended": datetime.now(UTC)}
            going_on = update(table).where(table.c.id == id, table.c.state.not_in(OVER))
            if connection.execute(going_on.values(values)).rowcount == 0:
                return
            _withdraw(connection, table.c.id == id)
            run = _run({**connection.execute(select(table).where(table.c.id == id)).mappings().one()})
            audit.note(connection, run.by, "workflow run ended", run.workflow, result=f"{id} {run.state}")

    def break_off(self) -> None:
        """Say of runs that were running when the last process ended that they were broken off."""
        table = schema.workflow_runs
        with writing(self._engine) as connection:
            left = connection.execute(select(table).where(table.c.state == "running")).mappings().all()
            if not left:
                return
            values = {"state": "broken off", "message": _BROKEN_OFF, "ended": datetime.now(UTC)}
            connection.execute(update(table).where(table.c.state == "running").values(values))
            for each in left:
                _withdraw(connection, table.c.id == each["id"])
            for each in left:
                audit.note(connection, each["by"], "workflow run broken off", each["workflow"], result=each["id"])

    def due_again(self, now: datetime) -> None:
        """Let runs go on whose time has come."""
        table = schema.workflow_runs
        come = (table.c.state == "waiting") & (table.c.until <= now)
        if rows(self._engine, select(table.c.number).where(come)):
            with writing(self._engine) as connection:
                connection.execute(update(table).where(come).values(state="due"))

    # What a run does

    def begin_effect(self, run: str, effect: Effect) -> None:
        """Keep that an action is about to be done."""
        row = {name: getattr(effect, name) for name in ("place", "step", "name", "begun", "failed")}
        with writing(self._engine) as connection:
            connection.execute(insert(schema.workflow_effects), {"run": run, **row})

    def end_effect(self, run: str, place: int, outputs: Mapping[str, object], failed: str = "") -> None:
        """Keep what came of it."""
        table = schema.workflow_effects
        values = {"outputs_json": json.dumps(outputs, ensure_ascii=False), "failed": failed}
        with writing(self._engine) as connection:
            connection.execute(update(table).where(table.c.run == run, table.c.place == place).values(values))

    def drop_effect(self, run: str, place: int) -> None:
        """Forget an action that was not done after all."""
        table = schema.workflow_effects
        with writing(self._engine) as connection:
            connection.execute(delete(table).where(table.c.run == run, table.c.place == place))

    def put_off(self, id: str) -> None:
        """Let a run that was not broken off go on later."""
        table = schema.workflow_runs
        with writing(self._engine) as connection:
            running = update(table).where(table.c.id == id, table.c.state == "running")
            connection.execute(running.values(state="due"))

    def effects(self, run: str) -> tuple[Effect, ...]:
        """What a run did, in order."""
        table = schema.workflow_effects.c
        columns = (table.place, table.step, table.name, table.begun, table.outputs_json, table.failed)
        return tuple(
            Effect(*row) for row in rows(self._engine, select(*columns).where(table.run == run).order_by(table.place))
        )

    def _runs(self, *chosen: ColumnElement[bool], most: int = 1, first: int = 0) -> tuple[WorkflowRun, ...]:
        table = schema.workflow_runs
        query = select(table).where(*chosen).order_by(table.c.number.desc()).limit(most).offset(first)
        with reading(self._engine) as connection:
            return tuple(_run({**row}) for row in connection.execute(query).mappings())


def enter_run(connection: Connection, run: WorkflowRun, cause: WorkflowRun | None = None) -> None:
    """Keep a run that is due. One that others set off too deep is refused; StoreError is raised for one too many."""
    row: dict[str, Any] = {field.name: getattr(run, field.name) for field in fields(WorkflowRun)}
    if cause:
        row |= {"cause": cause.id, "root": cause.root, "depth": cause.depth + 1}
        if row["depth"] > DEEPEST:
            row |= {"state": "refused", "message": _TOO_DEEP, "ended": run.at}
        table = schema.workflow_runs.c
        count = connection.scalar(select(func.count()).where(table.root == cause.root)) or 0
        if count >= MOST_OF_ROOT:
            raise StoreError(
                f"One run has set off {count:,} others, with all that these set off.",
                "Look for workflows that set each other off.",
            )
    connection.execute(insert(schema.workflow_runs), row)


def stop_runs(connection: Connection, workflow: str, message: str) -> None:
    """End the runs of a workflow that are due or wait, and take back what they ask of people."""
    table = schema.workflow_runs
    chosen = (table.c.workflow == workflow) & table.c.state.in_(("due", "waiting"))
    _withdraw(connection, chosen)
    values = {"state": "stopped", "message": message, "ended": datetime.now(UTC)}
    connection.execute(update(table).where(chosen).values(values))


def forget_runs_before(connection: Connection, moment: datetime) -> None:
    """Forget the runs that ended before a moment, what they did, and older notices that ask for nothing."""
    runs, notices = schema.workflow_runs, schema.notices
    connection.execute(delete(runs).where(runs.c.ended < moment))
    connection.execute(delete(notices).where(notices.c.at < moment, notices.c.state != "open"))


def _withdraw(connection: Connection, chosen: ColumnElement[bool]) -> None:
    """Ask nothing more of people for these runs."""
    table = schema.notices
    of_runs = table.c.run.in_(select(schema.workflow_runs.c.id).where(chosen))
    connection.execute(update(table).where(of_runs, table.c.state == "open").values(state="withdrawn"))


def _run(row: Mapping[str, Any]) -> WorkflowRun:
    return WorkflowRun(**{name: value for name, value in row.items() if name != "number"})
