"""What the organization calls itself and shows of itself in one home, and how long conversations are kept there: every
saving is a version, the newest counts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from store import StoreError, audit, schema
from store.database import lock_table, reading, writing

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Engine


@dataclass(frozen=True, slots=True)
class Appearance:
    """Whatever nobody chose is empty. `accent` is a colour, "#0e5f54"; `contact` is who helps where there is no
    answer, and `contact_at` their mail address or a link; `days_kept` is how many days conversations are kept that
    nobody goes on with, 0 for ever; `logo` is whether there is one. `version` counts savings: at 0 there was none."""

    organization: str = ""
    accent: str = ""
    welcome: str = ""
    examples: tuple[str, ...] = ()
    contact: str = ""
    contact_at: str = ""
    days_kept: int = 0
    logo: bool = False
    version: int = 0
    by: str = ""
    at: datetime | None = None


_TABLE = schema.appearances.c
_QUERY = select(
    *(column for column in schema.appearances.columns if column is not _TABLE.logo), (_TABLE.logo != "").label("logo")
)


class Appearances:
    """The versions of one home. Any thread may call any method, and any may raise StoreError."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def current(self) -> Appearance:
        """What counts now."""
        with reading(self._engine) as connection:
            return _newest(connection)

    def version(self, version: int) -> Appearance:
        """What counted at a version; an empty one for none."""
        with reading(self._engine) as connection:
            return _newest(connection, _TABLE.version == version)

    def logo(self) -> str:
        """The logo that counts now: a PNG in base64, "" for none."""
        with reading(self._engine) as connection:
            return _logo(connection)

    def put(self, wanted: Appearance, *, logo: str | None = None, by: str, where: str = "") -> Appearance:
        """Make this count from now on, with another `logo`, with none for "", or with the one before for None.

        Raises StoreError, and keeps nothing, where `wanted.version` is not the version that counts.
        """
        with writing(self._engine) as connection:
            lock_table(connection, schema.appearances)
            before, logo_before = _newest(connection), _logo(connection)
            if before.version != wanted.version:
                raise StoreError(
                    "Somebody else saved meanwhile, so nothing was kept.", "Look at what is there now, and save again."
                )
            logo = logo_before if logo is None else logo
            now = replace(wanted, logo=bool(logo), version=before.version + 1, by=by, at=datetime.now(UTC))
            row = asdict(now) | {"logo": logo, "examples_json": json.dumps(now.examples, ensure_ascii=False)}
            connection.execute(insert(schema.appearances), {column.name: row[column.name] for column in _TABLE})
            changed = [*differing(before, now), *(["logo"] if logo != logo_before else [])]
            audit.note(
                connection, by, "appearance set", f"version {now.version}", where=where, result=", ".join(changed)
            )
        return now


def differing(one: Appearance, other: Appearance) -> tuple[str, ...]:
    """The names of what people choose and is not the same in both; whether there is a logo is left out."""
    chosen = ("organization", "accent", "welcome", "examples", "contact", "contact_at", "days_kept")
    return tuple(name for name in chosen if getattr(one, name) != getattr(other, name))


def _newest(connection: Connection, *chosen: ColumnElement[bool]) -> Appearance:
    found = connection.execute(_QUERY.where(*chosen).order_by(_TABLE.version.desc()).limit(1)).mappings().first()
    if found is None:
        return Appearance()
    values = {name: value for name, value in found.items() if name != "examples_json"}
    return Appearance(**values, examples=tuple(json.loads(found["examples_json"])))


def _logo(connection: Connection) -> str:
    return connection.scalar(select(_TABLE.logo).order_by(_TABLE.version.desc()).limit(1)) or ""
