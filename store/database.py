"""The database under the records, SQLite or PostgreSQL: open it safely, bring it up to date, run transactions, explain
failures."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Row, Select, Table, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from store import StoreError, disk_full

HEAD = "0025"
"""The newest migration. Kept here so that an up-to-date database opens without Alembic."""
FIRST = "0011"
"""The oldest migration that there is; those before it were made one."""
BRINGS_TO_FIRST = "the version of 26 November 2026 (git commit 4065d11)"

_BUSY = 30.0
"""Seconds to wait for another writer before giving up."""
_MIGRATING = 0x54524147
"""The number of the PostgreSQL lock under which migrations run."""
_HELD = ("is held by another program.", "Close what else has it open, and try again.")
_REFUSED = {
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened.", "Check that its folder exists and may be written to."),
    sqlite3.SQLITE_READONLY: ("cannot be written.", "Let the account that runs this program write to it."),
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
}
"""What SQLite may say of a database, in words, and what to do about it."""
_UNUSABLE = "The assistant's records cannot be used now."
_AWAY = ("08", "28", "3D", "57")
"""How the codes of PostgreSQL begin where nobody is let in."""

log = logging.getLogger(__name__)


def sqlite_address(file: Path) -> str:
    """The address of a database in a file, whatever its path has in it: a bare ? would end it, a %20 be a space."""
    return URL.create("sqlite", database=str(file)).render_as_string(hide_password=False)


def open_database(url: str) -> Engine:
    """An engine on an up-to-date database. Several processes may open the same one at once.

    A commit is on the disk when it returns: SQLite syncs as strictly as it can, PostgreSQL as its server is set to.
    Raises StoreError for an address that cannot be used or reached, and for a database made by a newer version.
    """
    engine = connect(url)
    try:
        with reading(engine) as connection:
            if version_of(connection) == HEAD:
                return engine
        with writing(engine) as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATING})
            if version_of(connection) != HEAD:  # else another process was faster
                migrate(connection, HEAD)
    except BaseException:
        engine.dispose()
        raise
    return engine


def connect(url: str) -> Engine:
    """An engine on a database as it is, also an empty one. Raises StoreError for an address that cannot be used."""
    try:
        address = make_url(url)
        if address.drivername in ("postgres", "postgresql"):  # as other programs write it
            address = address.set(drivername="postgresql+psycopg")
        if address.get_backend_name() not in ("sqlite", "postgresql"):
            raise NoSuchModuleError(address.drivername)
        wait = {"timeout": _BUSY} if address.get_backend_name() == "sqlite" else {}
        # What people typed must not stand in an error, which is logged.
        engine = create_engine(address, pool_pre_ping=True, hide_parameters=True, connect_args=wait)
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreError(
            "That is no address of a database that can be used here.",
            "Use sqlite:///path/to/trag.db or postgresql+psycopg://user:password@host/name.",
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "connect", _set_up_postgresql)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one state of the database."""
    with _explained(engine.url), engine.connect() as connection:
        yield connection


def rows(engine: Engine, query: Select[*tuple[Any, ...]]) -> Sequence[Row[*tuple[Any, ...]]]:
    """What a query finds, in a transaction of its own."""
    with reading(engine) as connection:
        return connection.execute(query).all()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that is durable when the block ends, and never happened if the block raises."""
    with _explained(engine.url), engine.execution_options(write=True).begin() as connection:
        yield connection


def lock_table(connection: Connection, table: Table) -> None:
    """Let nobody else lock or write to a table until this transaction ends; who only reads is not held up."""
    if connection.dialect.name == "postgresql":  # SQLite's writers are alone already
        connection.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))


def wal_is_safe(version: tuple[int, int, int]) -> bool:
    """Whether this SQLite has the fix of the WAL-reset bug, which could lose commits from 3.7.0 to 3.51.2."""
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun below, so that migrations are all or nothing
    wal = wal_is_safe(sqlite3.sqlite_version_info)
    for setting in (
        "foreign_keys = ON",
        "secure_delete = ON",
        f"journal_mode = {'WAL' if wal else 'DELETE'}",
        f"synchronous = {'FULL' if wal else 'EXTRA'}",
    ):
        connection.execute(f"PRAGMA {setting}")


def _set_up_postgresql(connection: Any, _record: object) -> None:
    # It compiles what it believes to take long; here to compile a query of a queue takes far longer than to run it.
    with connection.cursor() as cursor:
        cursor.execute("SET jit = off")
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes its lock at once: two readers that both want to write would refuse each other without waiting.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN")


def version_of(connection: Connection) -> str | None:
    """The migration that the database stands at, None for an empty one. Raises StoreError for one that is newer or much
    older than this program, or another program's."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    place = connection.engine.url.render_as_string(hide_password=True)
    if version is not None and not version.isdecimal():
        raise StoreError(
            f"The database {place} belongs to another program.", "Give this one a database of its own.", _UNUSABLE
        )
    if version is not None and version > HEAD:
        raise StoreError(
            f"The database {place} was made by a newer version (it is at {version}, this version knows {HEAD}).",
            "Run the newer version, or restore a backup made before the update.",
            _UNUSABLE,
        )
    if version is not None and version < FIRST:
        raise StoreError(
            f"The database {place} was made by an older version (it is at {version}, this version goes back to"
            f" {FIRST}).",
            f"Open it once with {BRINGS_TO_FIRST}, then with this one.",
            _UNUSABLE,
        )
    return version


def migrate(connection: Connection, version: str) -> None:
    """Bring the database up to a version, in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    log.info("bringing the database up to %s", version)
    command.upgrade(config, version)


@contextmanager
def _explained(url: URL) -> Iterator[None]:
    """Say in plain words what the machine refused; anything else is a bug and keeps its traceback."""
    try:
        yield
    except DBAPIError as error:
        original: Any = error.orig
        place = url.render_as_string(hide_password=True)
        code: int = getattr(original, "sqlite_errorcode", 0) & 0xFF
        state: str | None = getattr(original, "sqlstate", "")
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR) or state == "53100":
            raise disk_full(place) from error
        what, hint = _REFUSED.get(code, ("", ""))
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            what, hint = f"is damaged or is none: {original}.", "Restore the last backup."
        elif isinstance(error, OperationalError) and not what and (state is None or state[:2] in _AWAY):
            what = f"cannot be reached: {' '.join(str(original).split())}"
            hint = "Check that its server runs and the address is right."
        if not what:
            raise
        raise StoreError(f"The database {place} {what}", hint, _UNUSABLE) from error
