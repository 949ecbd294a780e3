"""Which workflows were sent in, which are in use, and which were: by whom each was put in use, and when.

Every sending, activation, switching off and return is a row and none is overwritten; the last ones count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Engine, func, insert, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing
from store.person import folded
from store.workflow_runs import WorkflowRun, enter_run, stop_runs

WorkflowState = Literal["sent", "active", "off", "returned"]
_NOTED = {
    "sent": "workflow sent in",
    "active": "workflow activated",
    "off": "workflow switched off",
    "returned": "workflow returned",
}
_STOPPED = "The workflow was switched off."


@dataclass(frozen=True, slots=True)
class WorkflowChange:
    """What became of one version of a workflow: it was sent, is `active` from then on, is off, or was returned.

    `workflow` is the same in all versions of one, `version` the first 12 hex digits of a sha256 over `workflow_json`.
    `person` is the id of whose doing it is, `by` their name; `remark` says why. `trigger` is the id of what sets it
    off and `register` the table whose records it is about, "" for none.
    """

    workflow: str
    version: str
    state: WorkflowState
    person: str
    by: str
    title: str
    trigger: str
    register: str
    workflow_json: str
    remark: str = ""
    at: datetime = datetime.min


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """How one workflow stands: the activation that is in use, what was sent and waits for an admin, None for none; and
    all that became of it, the oldest first."""

    id: str
    in_use: WorkflowChange | None
    waiting: WorkflowChange | None
    changes: tuple[WorkflowChange, ...]

    @property
    def last(self) -> WorkflowChange:
        """What became of it last."""
        return self.changes[-1]

    @property
    def activations(self) -> tuple[WorkflowChange, ...]:
        """Every activation there was, the oldest first."""
        return tuple(each for each in self.changes if each.state == "active")


class Workflows:
    """The workflows of one home. `on` is whether anything sets them off."""

    def __init__(self, engine: Engine, *, on: bool) -> None:
        self._engine = engine
        self.on = on

    def all(self) -> tuple[StoredWorkflow, ...]:
        """Every workflow, the one that something became of last first."""
        with reading(self._engine) as connection:
            return _workflows(connection)

    def find(self, workflow: str) -> StoredWorkflow | None:
        """The workflow of that id."""
        with reading(self._engine) as connection:
            return next(iter(_workflows(connection, workflow)), None)

    def in_use(self) -> tuple[WorkflowChange, ...]:
        """The activation of every workflow that is in use, the oldest first."""
        with reading(self._engine) as connection:
            return active(connection)

    def put(self, change: WorkflowChange, *, instead_of: str | None = None, where: str = "") -> StoredWorkflow:
        """Keep what becomes of a workflow from now on. One that is switched off ends the runs of it that wait.

        `instead_of` is the version that whoever decided saw in use, "" for none: when it is another by now, nothing
        changes and StoreError is raised. None asks for no such check.
        """
        table = schema.workflow_changes
        with writing(self._engine) as connection:
            lock_table(connection, table)
            now = next(iter(_workflows(connection, change.workflow)), None)
            in_use = now.in_use.version if now and now.in_use else ""
            if instead_of is not None and in_use != instead_of:
                raise StoreError(
                    f"Another version of this workflow was put in use meanwhile: {in_use}."
                    if in_use
                    else "This workflow is no longer in use.",
                    "Look at what changes against it, and decide again.",
                )
            connection.execute(insert(table), asdict(replace(change, at=datetime.now(UTC))))
            if change.state == "off":
                stop_runs(connection, change.workflow, _STOPPED)
            about = change.title or change.workflow
            result = " ".join(filter(None, (change.workflow, change.version, change.remark)))
            audit.note(connection, change.by, _NOTED[change.state], about, where=where, result=result)
            return _workflows(connection, change.workflow)[0]

    def happened(self, trigger: str, record: Mapping[str, object], *, person: str, by: str) -> int:
        """As `happened_in`, in a transaction of its own."""
        with writing(self._engine) as connection:
            return self.happened_in(connection, trigger, record, person=person, by=by)

    def happened_in(
        self,
        connection: Connection,
        trigger: str,
        record: Mapping[str, object],
        *,
        register: str = "",
        person: str = "",
        by: str = "",
        cause: WorkflowRun | None = None,
    ) -> int:
        """Let every workflow in use whose trigger this is run on a record as soon as it is its turn; how many they are.

        `person` and `by` are whose doing it is, the id "" where it is whoever has that name, and `cause` the run that
        did it. To be called in the transaction of what
        happened, so that neither is there without the other. Raises StoreError where a run sets off too many.
        """
        found = active(connection, trigger, register) if self.on else ()
        person = person or (_called(connection, by) if found else "")
        for each in found:
            run = WorkflowRun.of(each.workflow, each.version, each.person, trigger, record, person=person, by=by)
            enter_run(connection, run, cause)
        return len(found)


def _called(connection: Connection, name: str) -> str:
    """The id of who signs in by a name, "" for nobody; where nobody has an account, of who sits here."""
    people = schema.people.c
    found = connection.scalar(select(people.id).where(people.folded == folded(name)))
    return found or ("" if connection.execute(select(people.id).limit(1)).first() else "local")


def active(connection: Connection, trigger: str = "", register: str = "") -> tuple[WorkflowChange, ...]:
    """The activations in use, those of one trigger and register where it is given, the oldest first."""
    table = schema.workflow_changes.c
    last = select(func.max(table.number)).where(table.state.in_(("active", "off"))).group_by(table.workflow)
    query = select(schema.workflow_changes).where(table.number.in_(last), table.state == "active")
    if trigger:
        query = query.where(table.trigger == trigger, table.register == register)
    return tuple(_change({**row}) for row in connection.execute(query.order_by(table.number)).mappings())


def _workflows(connection: Connection, workflow: str = "") -> tuple[StoredWorkflow, ...]:
    table = schema.workflow_changes.c
    query = select(schema.workflow_changes).order_by(table.number)
    found: dict[str, list[WorkflowChange]] = {}
    for row in connection.execute(query.where(table.workflow == workflow) if workflow else query).mappings():
        change = _change({**row})
        found[change.workflow] = [*found.pop(change.workflow, []), change]
    return tuple(
        StoredWorkflow(id, _in_use(changes), _waiting(changes), tuple(changes))
        for id, changes in reversed(found.items())
    )


def _change(row: Mapping[str, Any]) -> WorkflowChange:
    return WorkflowChange(**{name: value for name, value in row.items() if name != "number"})


def _in_use(changes: list[WorkflowChange]) -> WorkflowChange | None:
    last = next((each for each in reversed(changes) if each.state in ("active", "off")), None)
    return last if last and last.state == "active" else None


def _waiting(changes: list[WorkflowChange]) -> WorkflowChange | None:
    """What was sent last, unless it was activated or returned since."""
    place = max((place for place, each in enumerate(changes) if each.state == "sent"), default=None)
    if place is None:
        return None
    sent, *since = changes[place:]
    decided = any(each.version == sent.version and each.state in ("active", "returned") for each in since)
    return None if decided else sent
