"""Opening a database: migrations, versions, processes at once, and what is said when it cannot be opened."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, inspect, text

from store import StoreError, database, schema
from store.database import HEAD, open_database, reading, wal_is_safe, writing
from store.records import Records
from store.review_queues import Queue
from trag import approved
from trag.review.verdicts import put_label

ROOT = Path(__file__).parents[2]


def execute(url: str, *statements: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def test_the_migrations_make_exactly_the_tables_of_the_schema(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    engine = open_database(url)
    with reading(engine) as connection:
        differences = compare_metadata(MigrationContext.configure(connection), schema.metadata)
    engine.dispose()
    assert differences == []


def test_head_is_the_last_migration() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(ROOT / "store" / "migrations"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_a_database_that_is_up_to_date_opens_without_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/trag.db"
    Records(url).close()
    code = "import sys; from store.records import Records; Records(sys.argv[1]); sys.exit('alembic' in sys.modules)"
    opened = subprocess.run([sys.executable, "-c", code, url], cwd=ROOT, check=False)
    assert opened.returncode == 0


@pytest.mark.parametrize(
    ("version", "message", "hint"),
    [
        ("9999", "newer version", "Run the newer version"),
        ("0010", "older version", "Open it once with the version of 26 November 2026"),
        ("ae1027a6acf", "another program", "a database of its own"),
    ],
    ids=["newer", "older", "another program's"],
)
def test_a_database_of_another_version_is_refused_and_left_alone(
    url: str, version: str, message: str, hint: str
) -> None:
    Records(url).close()
    execute(url, f"UPDATE alembic_version SET version_num = '{version}'")
    with pytest.raises(StoreError, match=message) as caught:
        Records(url)
    assert hint in caught.value.hint
    engine = create_engine(url)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == version
    engine.dispose()


def test_a_database_of_before_the_migrations_were_made_one_opens_with_all_that_is_in_it(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "trag.db")) as connection:
        connection.executescript((Path(__file__).parent / "home_of_before.sql").read_text(encoding="utf-8"))
    with contextlib.closing(Records(f"sqlite:///{tmp_path}/trag.db")) as records:
        rita, ada = (records.people.find(name) for name in ("rita", "ada"))
        assert rita
        assert ada
        actual = (ada.shown, ada.role, ada.unit, records.people.secret(ada.id))
        assert actual == ("Ada L.", "admin", "u1", "$argon2id$1")
        (conversation,) = records.conversations(ada.id)
        actual = [(each.id, each.answer) for each in records.answers(conversation.id)]
        assert actual == [("a1", "Two sign."), ("a2", "Nobody.")]
        actual = [(each.reviewer, each.verdict, each.corrected) for each in records.labels()]
        assert actual == [(rita.id, "Correct", "Two."), (rita.id, "Incorrect", "")]
        review = records.reviews.review("a1")
        assert review
        actual = (review.review_status, review.flag, review.support, review.asker)
        assert actual == ("Correct", "Correct-Verbose", 1.0, ada.id)
        (pinned,) = records.approved.all("pinned")
        assert approved.find(records, "WHO signs") == pinned
        assert pinned.reply == "Two sign."
        chart = records.chart_versions.active()
        assert chart
        assert (chart.version, chart.size, chart.original) == ("v1", 9, "6" * 64)
        assert records.promotions.current() == "20261120-0a0a0a0a"
        (document,) = records.library.documents()
        actual = (document.name, document.audience, document.notes)
        assert actual == ("rules.md", frozenset({"u1", "u2"}), ("a page was empty",))
        assert [each.text for each in records.library.passages()] == ["Two sign.", "Two."]
        assert [each.name for each in records.library.leaving()] == ["old.md"]
        assert [(each.name, each.audience) for each in records.jobs.all()] == [("late.pdf", frozenset({"u1"}))]
        assert records.examples.all() == ("Who signs?", "Why?")
        assert [(token.name, token.scope) for token in records.tokens.of(ada.id)] == [("script", "read")]
        assert (records.audit.count(), records.audit.verify()) == (15, None)
        records.save_answer("a3", conversation.id, "Still?", "Yes.", "{}")
        put_label(records, "a3", rita.id, "Correct")
        assert records.audit.verify() is None


def test_a_migration_that_fails_leaves_the_database_as_it_was(url: str) -> None:
    execute(url, "CREATE TABLE labels (mine INTEGER)")  # the last table that the migration makes is in its way
    with pytest.raises(Exception, match="already exists"):
        Records(url)
    engine = create_engine(url)
    assert inspect(engine).get_table_names() == ["labels"]
    engine.dispose()


OPENING = """
import sys
from store.records import Records
print(flush=True)
sys.stdin.readline()
records = Records(sys.argv[1])
records.save_answer(sys.argv[2], None, "q", "a", "{}")
"""


@pytest.mark.slow
def test_processes_that_open_a_new_database_at_once_all_get_it(url: str) -> None:
    command = [sys.executable, "-c", OPENING, url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with contextlib.ExitStack() as ending:
        children = [
            ending.enter_context(subprocess.Popen([*command, f"a{number}"], cwd=ROOT, **pipes))  # type: ignore[call-overload]
            for number in range(4)
        ]
        for child in children:
            child.stdout.readline()  # it is ready
        for child in children:
            child.stdin.write(b"\n")
            child.stdin.flush()
        assert [child.wait() for child in children] == [0, 0, 0, 0]
    records = Records(url)
    assert all(records.answer(f"a{number}") for number in range(4))
    records.close()


def test_wal_is_used_only_where_sqlite_has_the_fix() -> None:
    safe, unsafe = "3.44.6 3.50.7 3.51.3 3.52.0", "3.40.1 3.44.5 3.45.0 3.50.6 3.51.0 3.51.2"
    for versions, expected in ((safe, True), (unsafe, False)):
        for version in versions.split():
            major, minor, patch = map(int, version.split("."))
            assert wal_is_safe((major, minor, patch)) == expected, version


@pytest.mark.parametrize(
    ("wal", "mode", "synchronous"), [(False, "delete", 3), (True, "wal", 2)], ids=["delete", "wal"]
)
def test_sqlite_is_set_up_to_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wal: bool, mode: str, synchronous: int
) -> None:
    monkeypatch.setattr(database, "wal_is_safe", lambda version: wal)
    engine = open_database(f"sqlite:///{tmp_path}/trag.db")
    settings = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")
    with reading(engine) as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {setting}").scalar() for setting in settings]
    engine.dispose()
    assert found == [mode, synchronous, 1, 1, 30_000]


def test_what_is_deleted_is_gone_from_the_file(tmp_path: Path) -> None:
    records = Records(f"sqlite:///{tmp_path}/trag.db")
    conversation = records.start_conversation("amy", "t").id
    records.save_answer("a1", conversation, "about zanzibarquartz", "a", "{}")
    records.delete_conversation("amy", conversation)
    records.close()
    assert b"zanzibarquartz" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_reader_sees_the_last_commit_while_another_writes(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/trag.db")
    count = text("SELECT count(*) FROM activations")
    with writing(engine) as writer:
        writer.execute(text("INSERT INTO activations VALUES (1, 'v', 'n', 's', '2026-01-01', '', 0, '')"))
        with reading(engine) as reader:
            assert reader.scalar(count) == 0
    with reading(engine) as reader:
        assert reader.scalar(count) == 1
    engine.dispose()


def sqlite_in_no_folder(folder: Path) -> str:
    return f"sqlite:///{folder}/nowhere/trag.db"


def no_database(folder: Path) -> str:
    (folder / "trag.db").write_bytes(b"These are minutes of a meeting, and no database.\n" * 100)
    return f"sqlite:///{folder}/trag.db"


def damaged(folder: Path) -> str:
    url = f"sqlite:///{folder}/trag.db"
    Records(url).close()
    content = (folder / "trag.db").read_bytes()
    (folder / "trag.db").write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    return url


def held(folder: Path) -> str:
    url = f"sqlite:///{folder}/trag.db"
    other = sqlite3.connect(folder / "trag.db", check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    held_open.append(other)
    return url


held_open: list[sqlite3.Connection] = []


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        pytest.param(lambda folder: "trag.db", "no address", "sqlite:///", id="no address"),
        pytest.param(lambda folder: "mysql://h/d", "no address", "postgresql+psycopg://", id="another kind"),
        pytest.param(sqlite_in_no_folder, "cannot be opened", "its folder exists", id="no folder"),
        pytest.param(no_database, "damaged or is none", "backup", id="no database"),
        pytest.param(damaged, "damaged or is none", "backup", id="damaged"),
        pytest.param(held, "held by another program", "Close what else", id="held"),
        *(
            pytest.param(
                lambda folder, begin=begin: f"{begin}://u:hushhush@/d?host={folder}",
                "cannot be reached",
                "server runs",
                id=f"no server, {begin}",
            )
            for begin in ("postgresql+psycopg", "postgresql", "postgres")
        ),
    ],
)
def test_a_database_that_cannot_be_opened_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: object, message: str, hint: str
) -> None:
    monkeypatch.setattr(database, "_BUSY", 0.1)
    url = make(tmp_path)  # type: ignore[operator]
    with pytest.raises(StoreError) as caught:
        Records(url)
    for other in held_open:
        other.close()
    held_open.clear()
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "hushhush" not in caught.value.message + caught.value.hint


def test_a_statement_that_is_wrong_keeps_its_traceback_without_what_people_typed(url: str) -> None:
    engine: Engine = open_database(url)
    with pytest.raises(Exception, match="no_such_table") as caught, reading(engine) as connection:
        connection.execute(text("SELECT * FROM no_such_table WHERE typed = :typed"), {"typed": "hushhush"})
    assert not isinstance(caught.value, StoreError)
    assert "hushhush" not in str(caught.value)
    engine.dispose()


def test_what_waits_for_a_verdict_is_put_in_order_when_an_older_version_is_opened(url: str) -> None:
    with contextlib.closing(Records(url)) as records:
        for id, told in (("a", {"checks": {"misplaced": [{}]}}), ("b", {}), ("c", {"interrupted": "stopped"})):
            record = {"status": "answered", "model": {}} | told
            records.save_answer(id, None, "q", "a", json.dumps(record), asker="eve")
    execute(
        url,
        "UPDATE reviews SET doubt = 0, status = 'answered'",
        "DROP INDEX reviews_by_doubt",
        "ALTER TABLE reviews DROP COLUMN doubt",
        "CREATE INDEX reviews_by_support ON reviews (standing, support, number)",
        "ALTER TABLE labels DROP COLUMN right_document",
        "ALTER TABLE labels DROP COLUMN right_section",
        "ALTER TABLE documents DROP COLUMN title",
        "UPDATE alembic_version SET version_num = '0023'",
    )
    with contextlib.closing(Records(url)) as records:
        found = records.reviews.queue(Queue("doubtful"), reviewer="rita")
        assert [each.answer for each in found] == ["a"]
        assert [each.answer for each in records.reviews.queue(Queue(), reviewer="rita")] == ["b", "a"]
