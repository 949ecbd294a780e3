"""A foreign database, to be read only: its tables, and the rows of a SELECT, within limits of time and number.

SQLite opens the file for reading and lets a statement do nothing but select; PostgreSQL runs a read-only transaction
behind a cursor, which takes one SELECT and no more; others are rolled back and never committed to, so give those an
account that can only read. `make` is the one thing that writes: a SQLite file of its own.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import URL, Inspector, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, ProgrammingError, SAWarning, SQLAlchemyError
from sqlalchemy.pool import NullPool

from store import StoreError
from store.files import UNFINISHED

SECONDS = 30.0
"""A statement may take this long."""
BATCH = 1_000
"""Rows held at once while many are read."""
_STEPS = 10_000
"""Instructions of SQLite between two looks at the clock."""
_FUNCTIONS = {"count", "sum", "min", "max", "lower", "upper", "like", "coalesce"}
"""What a statement may call in SQLite."""
_UNUSABLE = "The database that was to be read cannot be."
_CANCELED = "57014"
"""PostgreSQL's word for a statement that it stopped."""
_MAY = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
_FAULTS = {getattr(sqlite3, f"SQLITE_{fault}") for fault in ("ERROR", "AUTH", "TOOBIG", "READONLY", "SCHEMA")}
"""What SQLite says where a statement is at fault, and not the database."""


class Unrunnable(StoreError):
    """A statement that this database refuses or does not finish; the next one may do better."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `type` in the database's own words, upper case ("VARCHAR(20)"), "" where it has none."""

    name: str
    type: str = "TEXT"
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key of one column: `column` holds the `other_column` of `other_table`."""

    column: str
    other_table: str
    other_column: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table, its columns in order and its links to others."""

    name: str
    columns: tuple[Column, ...]
    links: tuple[Link, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column of that name, whatever its case."""
        return next((column for column in self.columns if column.name.casefold() == name.casefold()), None)


class Source:
    """An open foreign database. `dialect` is SQLAlchemy's word for its kind; `place` its address without a password."""

    def __init__(self, url: str, *, seconds: float = SECONDS) -> None:
        """Raises StoreError for an address that cannot be used or reached, and for a database without tables."""
        self._seconds = seconds
        try:
            address = make_url(url)
            self.place = address.render_as_string(hide_password=True)
            # No pool: a connection that was bound to reading is thrown away, and a server that is back is found.
            self._engine = create_engine(address, poolclass=NullPool, **_arguments(address))
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError) as error:
            raise StoreError(
                "That is no address of a database that can be read here.",
                "Use sqlite:///path/to/file.db or postgresql+psycopg://user:password@host/name; others need a driver.",
            ) from error
        self.dialect: str = self._engine.dialect.name
        event.listen(self._engine, "handle_error", _close)
        with self._explained(), self._engine.connect() as connection, warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # a type that SQLAlchemy does not know is no fault of ours
            found = inspect(connection)
            self.tables = tuple(_table(name, found) for name in found.get_table_names())
        if not self.tables:
            raise StoreError(
                f"The database {self.place} has no tables.", "Check that the address names the right one.", _UNUSABLE
            )

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def rows(self, select: str, values: Mapping[str, Any] | None = None, *, most: int) -> tuple[tuple[Any, ...], ...]:
        """The first `most` rows of a SELECT with `:name` for each of the `values`. Raises what `stream` raises."""
        with closing(self.stream(select, values)) as rows:
            return tuple(islice(rows, most))

    def stream(self, select: str, values: Mapping[str, Any] | None = None) -> Generator[tuple[Any, ...], None, None]:
        """All rows of a SELECT, few of them in memory at once.

        Raises Unrunnable when the database refuses the statement or it takes too long, StoreError when the database
        is gone.
        """
        with self._explained(), self._engine.connect() as connection:
            if self.dialect == "sqlite":
                driver: Any = connection.connection.driver_connection
                deadline = monotonic() + self._seconds
                driver.set_progress_handler(lambda: monotonic() > deadline, _STEPS)
                driver.set_authorizer(_authorize)
            elif self.dialect == "postgresql":
                connection.execute(text("SET TRANSACTION READ ONLY"))
                connection.execute(text(f"SET LOCAL statement_timeout = {int(self._seconds * 1000)}"))
            reading = connection.execution_options(yield_per=BATCH)
            with closing(reading.execute(text(select), dict(values or {}))) as result:
                for row in result:
                    yield tuple(row)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            code, state = (getattr(error.orig, name, None) for name in ("sqlite_errorcode", "sqlstate"))
            if code == sqlite3.SQLITE_INTERRUPT or state == _CANCELED:
                raise Unrunnable(
                    f"takes longer than the {self._seconds:g} seconds that a statement may take.", "Ask for less."
                ) from error
            reason = " ".join(str(error.orig).split())[:300]
            if _is_of_the_statement(error):
                raise Unrunnable(f"does not run: {reason}", "Correct the statement.") from error
            raise StoreError(
                f"The database {self.place} cannot be read: {reason}",
                "Check that it is there, then try again.",
                _UNUSABLE,
            ) from error
        except SQLAlchemyError as error:  # values without a name, and the like
            reason = " ".join(str(error).split())[:300]
            raise Unrunnable(f"does not run: {reason}", "Correct the statement.") from error


def make(path: Path, tables: Sequence[Table], rows: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """Write `tables` to a SQLite file in place of what was there, the `rows` of each in the order of its columns."""
    unfinished = path.with_name(f".{path.name}{UNFINISHED}")
    unfinished.unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished)
    try:
        for table in tables:
            parts = [f"{_quoted(one.name)} {one.type}{' PRIMARY KEY' * one.is_key}" for one in table.columns]
            parts += [
                f"FOREIGN KEY ({_quoted(link.column)}) REFERENCES {_quoted(link.other_table)} "
                f"({_quoted(link.other_column)})"
                for link in table.links
            ]
            connection.execute(f"CREATE TABLE {_quoted(table.name)} ({', '.join(parts)})")
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(
                f"INSERT INTO {_quoted(table.name)} VALUES ({marks})",  # noqa: S608 - the name is quoted
                rows.get(table.name, ()),
            )
        connection.commit()
    finally:
        connection.close()
    unfinished.replace(path)


def _arguments(url: URL) -> dict[str, Any]:
    if url.get_backend_name() != "sqlite":
        return {}
    file = Path(url.database or "")

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=SECONDS, check_same_thread=False
        )
        connection.text_factory = lambda content: content.decode("utf-8", "replace")
        return connection

    return {"creator": connect}


def _table(name: str, found: Inspector) -> Table:
    keys = found.get_pk_constraint(name)["constrained_columns"]

    def word(type_: object) -> str:
        try:
            return "" if str(type_) == "NULL" else str(type_).upper()
        except SQLAlchemyError:  # a type that has no name outside its database
            return type(type_).__name__.upper()

    return Table(
        name,
        tuple(Column(one["name"], word(one["type"]), one["name"] in keys) for one in found.get_columns(name)),
        tuple(
            Link(key["constrained_columns"][0], key["referred_table"], key["referred_columns"][0])
            for key in found.get_foreign_keys(name)
            if len(key["constrained_columns"]) == 1 and key["referred_columns"]
        ),
    )


def _authorize(action: int, name: str | None, function: str | None, *_: str | None) -> int:
    """SQLite asks about each thing a statement would do; `function` is the one it would call."""
    allowed = action in _MAY or (action == sqlite3.SQLITE_FUNCTION and (function or "").lower() in _FUNCTIONS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _close(failure: ExceptionContext) -> None:
    """Let go of the cursor of a failed statement, which psycopg would else complain of."""
    cursor: Any = getattr(failure.execution_context, "cursor", None)
    if cursor is not None:
        cursor.close()


def _is_of_the_statement(error: DBAPIError) -> bool:
    """Whether the statement is at fault, and not the database."""
    original: Any = error.orig
    if isinstance(original, sqlite3.Error):
        code: int | None = getattr(original, "sqlite_errorcode", None)  # None: sqlite3 itself refused the statement
        return code is None or code & 0xFF in _FAULTS
    state: str | None = getattr(original, "sqlstate", None)
    if state is None:
        return isinstance(error, ProgrammingError)
    return state[:2] in ("0A", "22", "25", "42")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
