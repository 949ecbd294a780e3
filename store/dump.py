"""All of the records as lines of JSON, a table at a time, and back again: from either kind of database to either kind,
and from an older version of the tables to today's.

Sessions, one-time links and failed sign-ins are left out: what ended after a dump was made must not come back with it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Boolean, Connection, DateTime, MetaData, Table, func, insert, inspect, make_url, select, text

from store import StoreError
from store.database import BRINGS_TO_FIRST, FIRST, HEAD, connect, migrate, reading, sqlite_address, version_of, writing
from store.files import UNFINISHED, lock

_LEFT_OUT = frozenset({"alembic_version", "sessions", "links", "failures"})
_BATCH = 500


class Dump:
    """One state of the records, whatever is written meanwhile."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        version = version_of(connection)
        if version is None:
            raise StoreError("There are no records in this home.", "Check TRAG_HOME and TRAG_DATABASE_URL.")
        self.version = version
        self._tables = _tables(connection)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, each after those that it refers to."""
        return tuple(self._tables)

    def lines(self, name: str) -> Iterator[str]:
        """A table: the names of its columns, then a row each."""
        table = self._tables[name]
        yield json.dumps(list(table.columns.keys())) + "\n"
        for row in self._connection.execute(select(table).execution_options(yield_per=_BATCH)):
            yield json.dumps([*row], ensure_ascii=False, default=_moment) + "\n"

    def hashes(self) -> dict[str, str]:
        """The files that the records speak of: the sha256 of each, and what it is called."""
        found: dict[str, str] = {}
        activations = product(("activations", "procedure_activations"), ("sha256", "original"))
        for name, hash in (("documents", "sha256"), *activations):
            if name in self._tables:  # an older version has no procedures
                table = self._tables[name].c
                named = select(table[hash], table.name).where(table[hash] != "")
                found |= dict(map(tuple, self._connection.execute(named)))
        return found


@contextmanager
def dump(url: str, folder: Path) -> Iterator[Dump]:
    """The records at an address as they are now. A copy of a SQLite file is made in `folder` on the way.

    Raises StoreError when there are none, or they were made by a newer version.
    """
    with ExitStack() as ending:
        if url.startswith("sqlite"):
            copy = ending.enter_context(_copy(Path(make_url(url).database or ""), folder))
            engine = connect(sqlite_address(copy))
        else:
            engine = connect(url).execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        ending.callback(engine.dispose)
        yield Dump(ending.enter_context(reading(engine)))


def load(url: str, version: str, tables: Iterable[tuple[str, Iterable[str]]]) -> dict[str, int]:
    """Put what a dump of that version gave, in its order, into an empty database, and bring it up to date; how many
    rows each table has. All of it is there when this returns, and nothing when it raises.

    Raises StoreError for a database that is not empty, and for a dump of a newer or much older version.
    """
    if version > HEAD:
        raise StoreError(
            f"The records were made by a newer version (they are at {version}, this version knows {HEAD}).",
            "Restore them with the newer version.",
        )
    if version < FIRST:
        raise StoreError(
            f"The records were made by an older version (they are at {version}, this version goes back to {FIRST}).",
            f"Restore them with {BRINGS_TO_FIRST}, and open the home with this one.",
        )
    engine = connect(url)
    try:
        with writing(engine) as connection:
            if inspect(connection).get_table_names():
                place = engine.url.render_as_string(hide_password=True)
                raise StoreError(f"The database {place} is not empty.", "Restore into an empty one.")
            migrate(connection, version)
            found = _tables(connection)
            counts = {}
            for name, lines in tables:
                counts[name] = _fill(connection, found[name], iter(lines))
            migrate(connection, HEAD)
        return counts
    finally:
        engine.dispose()


@contextmanager
def _copy(source: Path, folder: Path) -> Iterator[Path]:
    """A copy of a SQLite database that others may be writing to, until the block ends."""
    if not source.is_file():
        raise StoreError(f"There is no database {source}.", "Check TRAG_HOME.")
    # In a folder of its own that this process owns: who opens the home meanwhile removes what killed processes left.
    with TemporaryDirectory(dir=folder, prefix=".records.", suffix=UNFINISHED) as own, lock(Path(own)):
        copy = Path(own) / "copy.db"
        try:
            # Not read-only: what a killed process left half done is rolled back first.
            with (
                closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=30)) as old,
                closing(sqlite3.connect(copy)) as new,
            ):
                new.execute("PRAGMA journal_mode = OFF")  # nobody wants a copy that is not whole
                old.backup(new)
            yield copy
        except sqlite3.Error as error:
            raise StoreError(f"{source} cannot be copied: {error}.", "Check the disk, and try again.") from error


def _tables(connection: Connection) -> dict[str, Table]:
    """The tables as they are in the database, each after those that it refers to."""
    found = MetaData()
    found.reflect(connection)
    return {table.name: table for table in found.sorted_tables if table.name not in _LEFT_OUT}


def _fill(connection: Connection, table: Table, lines: Iterator[str]) -> int:
    names = json.loads(next(lines))
    columns = [table.columns[name] for name in names]
    sqlite = connection.dialect.name == "sqlite"
    rows = 0
    while batch := list(islice(lines, _BATCH)):
        values = [
            {
                column.name: _in(value, column.type, sqlite)
                for column, value in zip(columns, json.loads(line), strict=True)
            }
            for line in batch
        ]
        connection.execute(insert(table), values)
        rows += len(values)
    if not sqlite and rows and "number" in table.columns:
        # PostgreSQL is to number the next row after those that brought their numbers along.
        sequence = connection.scalar(text("SELECT pg_get_serial_sequence(:table, 'number')"), {"table": table.name})
        highest = connection.scalar(select(func.max(table.c.number)))
        if sequence:
            connection.execute(text("SELECT setval(:sequence, :highest)"), {"sequence": sequence, "highest": highest})
    return rows


def _moment(value: datetime) -> str:
    """A moment as JSON has it: in UTC, which is how SQLite keeps it."""
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def _in(value: Any, kind: Any, sqlite: bool) -> Any:
    if isinstance(kind, DateTime) and value is not None:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=None) if sqlite else moment
    return bool(value) if isinstance(kind, Boolean) and value is not None else value
