"""A foreign database is read within limits, and never written."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import StoreError
from store.source import Column, Link, Source, Table, Unrunnable, make

CLIENT = Table("Client", (Column("Id", "INTEGER", is_key=True), Column("Full name", "TEXT")))
PROJECT = Table(
    "Pro ject",
    (Column("Id", "INTEGER", is_key=True), Column("Name", "TEXT"), Column("Client", "INTEGER"), Column("Logo", "BLOB")),
    (Link("Client", "Client", "Id"),),
)
ROWS = {
    "Client": [(1, "Ann's"), (2, "Bo"), (3, None)],
    "Pro ject": [(1, "Quay: phase 2", 1, b"\x00\xff"), (2, "Mill", 2, None)],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    make(tmp_path / "works.db", (CLIENT, PROJECT), ROWS)
    return tmp_path / "works.db"


@pytest.fixture
def source(file: Path) -> Iterator[Source]:
    with closing(Source(f"sqlite:///{file}")) as opened:
        yield opened


def test_what_was_made_is_read_with_its_keys_and_links(source: Source) -> None:
    assert source.tables == (CLIENT, PROJECT)
    assert source.dialect == "sqlite"


def test_values_are_bound_and_a_colon_in_a_text_is_itself(source: Source) -> None:
    select = 'SELECT "Full name" FROM "Client" WHERE "Full name" = :value_0'
    assert source.rows(select, {"value_0": "Ann's"}, most=5) == (("Ann's",),)
    assert source.rows("SELECT Id FROM \"Pro ject\" WHERE Name = 'Quay\\: phase 2'", most=5) == ((1,),)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM Client",
        "INSERT INTO Client VALUES (9, 'x')",
        "CREATE TABLE evil (a)",
        "DROP TABLE Client",
        "UPDATE Client SET Id = 9",
        "ATTACH 'other.db' AS other",
        "PRAGMA journal_mode = WAL",
        "PRAGMA table_info(Client)",
        "VACUUM INTO 'copy.db'",
        "SELECT 1; DELETE FROM Client",
        "SELECT load_extension('evil')",
        "SELECT randomblob(100000000)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "SELECT nothing FROM Client",
        "SELECT Id FROM Client WHERE Id = :missing",
        "gibberish",
    ],
)
def test_a_statement_that_is_more_than_a_select_is_refused_and_changes_nothing(
    statement: str, source: Source, file: Path
) -> None:
    before = file.read_bytes()
    with pytest.raises(Unrunnable, match="does not run"):
        source.rows(statement, most=1)
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["works.db"]
    assert len(source.rows("SELECT Id FROM Client", most=9)) == 3


def test_a_statement_that_does_not_end_is_stopped(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.executemany("INSERT INTO Client VALUES (?, 'x')", ((number,) for number in range(10, 2_000)))
    connection.close()
    began = time.monotonic()
    with closing(Source(f"sqlite:///{file}", seconds=0.2)) as source, pytest.raises(Unrunnable) as stopped:
        source.rows("SELECT count(*) FROM Client a, Client b, Client c, Client d", most=1)
    assert stopped.value.message == "takes longer than the 0.2 seconds that a statement may take."
    assert time.monotonic() - began < 5


def test_rows_come_as_far_as_they_are_wanted(source: Source) -> None:
    assert source.rows("SELECT Id FROM Client", most=2) == ((1,), (2,))


def test_odd_types_and_damaged_text_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE odd (a STRANGE(1), b, c JSON, d DATE)")
        connection.execute("INSERT INTO odd VALUES (1, CAST(x'ff41' AS TEXT), '{\"x\": [1]}', '2024-02-30')")
        connection.commit()
    with closing(Source(f"sqlite:///{file}")) as source:
        assert [column.name for column in source.tables[0].columns] == ["a", "b", "c", "d"]
        assert source.rows("SELECT b, c FROM odd", most=1) == (("\ufffdA", '{"x": [1]}'),)


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "unable to open"), (b"", "has no tables"), (b"no database at all, " * 100, "not a database")],
    ids=["missing", "empty", "another file"],
)
def test_a_file_that_is_no_database_is_said_so(content: bytes | None, told: str, tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(StoreError) as refused:
        Source(f"sqlite:///{file}")
    assert told in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("url", ["nonsense", "oracle+nodriver://x", "sqlite:://", ""])
def test_an_address_of_no_database_is_said_so(url: str) -> None:
    with pytest.raises(StoreError, match="no address"):
        Source(url)


def test_a_database_that_goes_away_is_no_fault_of_the_statement(source: Source, file: Path) -> None:
    file.unlink()
    with pytest.raises(StoreError, match="cannot be read") as gone:
        source.rows("SELECT Id FROM Client", most=1)
    assert not isinstance(gone.value, Unrunnable)


@pytest.mark.slow
def test_many_rows_are_streamed(tmp_path: Path) -> None:
    table = Table("n", (Column("a", "INTEGER"),))
    make(tmp_path / "n.db", (table,), {"n": [(number,) for number in range(100_000)]})
    with closing(Source(f"sqlite:///{tmp_path / 'n.db'}")) as source:
        assert sum(1 for _ in source.stream("SELECT DISTINCT a FROM n")) == 100_000


@pytest.mark.slow
class TestPostgres:
    @pytest.fixture
    def url(self, postgres) -> str:  # type: ignore[no-untyped-def]
        import psycopg

        address: str = postgres.database()
        with psycopg.connect(address.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute('CREATE TABLE "Client" (id SERIAL PRIMARY KEY, "Full name" TEXT, born DATE, extra JSON)')
            connection.execute('CREATE TABLE project (name TEXT, client INTEGER REFERENCES "Client" (id))')
            connection.execute("INSERT INTO \"Client\" (\"Full name\", born) VALUES ('Ann 100%', '1990-02-01')")
        return address

    def test_it_is_read_with_its_keys_and_links(self, url: str) -> None:
        with closing(Source(url)) as source:
            client, project = sorted(source.tables, key=lambda table: table.name)
            assert (client.name, client.columns[0].is_key, client.columns[3].type) == ("Client", True, "JSON")
            assert project.links == (Link("client", "Client", "id"),)
            select = 'SELECT "Full name" FROM "Client" WHERE "Full name" = :value_0'
            assert source.rows(select, {"value_0": "Ann 100%"}, most=5) == (("Ann 100%",),)

    @pytest.mark.parametrize(
        "statement",
        [
            'DELETE FROM "Client"',
            "CREATE TABLE evil (a INT)",
            'SELECT 1; DELETE FROM "Client"',
            'SELECT 1; COMMIT; DELETE FROM "Client"',
            'WITH gone AS (DELETE FROM "Client" RETURNING id) SELECT id FROM gone',
            "SELECT nextval('\"Client_id_seq\"')",
            "SELECT nothing",
        ],
    )
    def test_a_statement_that_is_more_than_a_select_is_refused(self, statement: str, url: str) -> None:
        with closing(Source(url)) as source:
            with pytest.raises(Unrunnable):
                source.rows(statement, most=1)
            assert source.rows('SELECT count(*) FROM "Client"', most=1) == ((1,),)

    def test_a_statement_that_does_not_end_is_stopped(self, url: str) -> None:
        with closing(Source(url, seconds=0.3)) as source, pytest.raises(Unrunnable, match=r"the 0\.3 seconds"):
            source.rows("SELECT pg_sleep(20)", most=1)

    def test_a_server_that_is_not_there_is_said_so_without_the_password(self) -> None:
        with pytest.raises(StoreError, match="cannot be read") as refused:
            Source("postgresql+psycopg://me:secret@127.0.0.1:1/x")
        assert "secret" not in refused.value.message
