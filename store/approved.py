"""The rows of approved answers and plans: what a reviewer has pinned to a question or a request, for everybody who asks
it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, insert, select, update

from store import schema
from store.database import reading

Kind = Literal["answer", "plan", "workflow", "brief"]
State = Literal["pinned", "returned"]


@dataclass(frozen=True, slots=True)
class Ground:
    """A document that an approved answer stands on, as it was then, and the section, "" for no certain one."""

    document: str
    sha256: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Approved:
    """`reply` is the answer to `question` (and to `normal`, the question without what makes no difference) while it is
    pinned. `answer` is the id of the answer that was pinned, None once that is gone; `chart` the version of the chart
    that it stands on, "" for none; `why` says why it returned, "" while it is pinned. Of a plan `reply` has the id of
    its procedure and those of its actions, one a line, and `procedures` is the version of the book that they are of."""

    id: str
    answer: str | None
    question: str
    normal: str
    reply: str
    sources: tuple[Ground, ...]
    chart: str
    by: str
    at: datetime
    state: State
    why: str
    kind: Kind = "answer"
    procedures: str = ""


@dataclass(frozen=True, slots=True)
class Present:
    """What answers can stand on now: the sha256 of documents by name, and the versions of the chart and the procedures,
    None for none."""

    documents: dict[str, str]
    chart: str | None
    procedures: str | None


class ApprovedAnswers:
    """The approved answers of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, id: str) -> Approved | None:
        """The approved answer with that id, also one that has returned."""
        with reading(self._engine) as connection:
            return next(iter(approved(connection, schema.approved.c.id == id)), None)

    def all(self, state: State | None = None) -> tuple[Approved, ...]:
        """The approved answers, in one state or in both, the newest first."""
        with reading(self._engine) as connection:
            return approved(connection, *([schema.approved.c.state == state] if state else []))

    def pinned_to(self, normal: str, kind: Kind) -> Approved | None:
        """What is pinned of a kind to a question, without what makes no difference."""
        table = schema.approved.c
        pinned = (table.normal == normal, table.state == "pinned", table.kind == kind)
        with reading(self._engine) as connection:
            return next(iter(approved(connection, *pinned)), None)

    def present(self, documents: Sequence[str]) -> Present:
        """What there is now of these documents, and the chart and the procedures in use."""
        with reading(self._engine) as connection:
            return present(connection, documents)


def approved(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Approved, ...]:
    """The approved answers that meet the conditions, the newest first."""
    table = schema.approved
    return tuple(
        Approved(**(dict(row) | {"sources": tuple(Ground(*source) for source in json.loads(row["sources"]))}))
        for row in connection.execute(select(table).where(*conditions).order_by(table.c.at.desc())).mappings()
    )


def present(connection: Connection, documents: Sequence[str]) -> Present:
    """What there is of these documents, and the chart and the procedures in use."""
    table = schema.documents.c
    rows = connection.execute(select(table.name, table.sha256).where(table.name.in_(documents)))
    chart, procedures = (
        connection.scalar(select(each.version).order_by(each.number.desc()).limit(1))
        for each in (schema.activations.c, schema.procedure_activations.c)
    )
    return Present(dict(map(tuple, rows)), chart, procedures)


def add(connection: Connection, pinned: Approved) -> None:
    """Keep a pinned answer, in place of one that was pinned to the same question before."""
    table = schema.approved
    same = (table.c.normal == pinned.normal, table.c.state == "pinned", table.c.kind == pinned.kind)
    connection.execute(update(table).where(*same).values(state="returned", why="another was pinned"))
    row: dict[str, Any] = {column.name: getattr(pinned, column.name) for column in table.columns}
    sources = json.dumps([[source.document, source.sha256, source.section] for source in pinned.sources])
    connection.execute(insert(table), row | {"sources": sources})
