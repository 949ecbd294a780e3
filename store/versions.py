"""Which chart and procedures are in use and which adapter answers: by whom each was put in use, and when.

Every activation and promotion is a row and none is overwritten; the last one counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, insert, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing
from store.workflows import Workflows


@dataclass(frozen=True, slots=True)
class Activation:
    """Who made a version the one in use, and when. `by` is "" where that was not written down."""

    at: datetime
    by: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A chart or a book of procedures that was activated, last at `activated` and `by` whom; one at most is `active`.

    `sha256` finds its file, `original` the one that it was given in, "" where that was not written down; `size` is how
    many units or procedures it has, 0 where that was not. `activations` are all there were, the oldest first.
    """

    version: str
    name: str
    sha256: str
    activated: datetime
    active: bool
    by: str = ""
    size: int = 0
    original: str = ""
    activations: tuple[Activation, ...] = ()

    def in_use(self, moment: datetime) -> Activation | None:
        """The last activation up to a moment, None where there was none."""
        return next((each for each in reversed(self.activations) if each.at <= moment), None)


class Versions:
    """What one home had in use of a kind: each activation is a row of `table`, what it activated is `called` so.
    `workflows` are what an activation sets off, None where it sets nothing off."""

    def __init__(self, engine: Engine, table: Table, called: str, workflows: Workflows | None = None) -> None:
        self._engine = engine
        self._workflows = workflows
        self._table = table
        self._called = called

    def all(self) -> tuple[Version, ...]:
        """Every version by its last activation, newest first; so the first one is in use."""
        with reading(self._engine) as connection:
            return self._versions(connection)

    def active(self) -> Version | None:
        """The version in use, None before the first."""
        return next(iter(self.all()), None)

    def activate(
        self,
        version: str,
        name: str,
        sha256: str,
        *,
        by: str,
        size: int = 0,
        original: str = "",
        instead_of: str | None = None,
    ) -> Version:
        """Make a version the one in use. Activating an older version again is the way back to it.

        `sha256` is that of its file, `original` that of the file called `name` that it was given in, "" where nobody
        knows. `instead_of` is the version that whoever decided saw in use, "" for none: when it is another by now,
        nothing changes and StoreError is raised. None asks for no such check.
        """
        with writing(self._engine) as connection:
            lock_table(connection, self._table)
            found = self._versions(connection)
            active = found[0].version if found else ""
            if instead_of is not None and active != instead_of:
                raise StoreError(
                    f"Another {self._called} was activated meanwhile: {found[0].name} ({active})."
                    if found
                    else f"The {self._called} that you saw in use is gone.",
                    "Look at what changes against it, and activate again if that is what you want.",
                )
            row = {"version": version, "name": name, "sha256": sha256, "original": original, "size": size}
            connection.execute(insert(self._table), row | {"activated": datetime.now(UTC), "activated_by": by})
            if self._workflows:
                told = {"version": version, "name": name, "by": by}
                self._workflows.happened_in(connection, f"{self._called}_activated", told, by=by)
            audit.note(connection, by, f"{self._called} activated", name, result=version)
            return self._versions(connection)[0]

    def _versions(self, connection: Connection) -> tuple[Version, ...]:
        table = self._table.c
        by_version: dict[str, list[Row[*tuple[Any, ...]]]] = {}
        for row in connection.execute(select(self._table).order_by(table.number)):
            rows = by_version.pop(row.version, [])  # so that the one activated last is the last
            rows.append(row)
            by_version[row.version] = rows
        return tuple(
            Version(
                version,
                rows[-1].name,
                rows[-1].sha256,
                rows[-1].activated,
                active=position == 0,
                by=rows[-1].activated_by,
                size=rows[-1].size,
                original=rows[-1].original,
                activations=tuple(Activation(row.activated, row.activated_by) for row in rows),
            )
            for position, (version, rows) in enumerate(reversed(by_version.items()))
        )


@dataclass(frozen=True, slots=True)
class Promotion:
    """`adapter` answers from `at` on, because `by` decided it; "" is the one that ships with the program."""

    adapter: str
    at: datetime
    by: str


class Promotions:
    """The promotions of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[Promotion, ...]:
        """Every promotion, the newest first."""
        with reading(self._engine) as connection:
            return _promotions(connection)

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
            current = next((each.adapter for each in _promotions(connection)), "")
            if instead_of is not None and current != instead_of:
                raise StoreError(
                    f"Another adapter was promoted meanwhile: {current or 'the one that ships'}.",
                    "Look at its figures, and promote again if that is what you want.",
                )
            row = {"adapter": adapter, "promoted": promotion.at, "promoted_by": by}
            connection.execute(insert(schema.promotions), row)
            audit.note(connection, by, "adapter promoted", adapter or "shipped")
        return promotion


def _promotions(connection: Connection) -> tuple[Promotion, ...]:
    table = schema.promotions.c
    query = select(table.adapter, table.promoted, table.promoted_by).order_by(table.number.desc())
    return tuple(Promotion(*row) for row in connection.execute(query))
