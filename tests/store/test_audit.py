"""The audit log, on SQLite and on PostgreSQL."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import text

from store.database import open_database, writing
from store.records import Records
from tests.store.conftest import at_once

NASTY = "=cmd|' /C calc'!A0 \0 \ud800 \r\n 'quoted', \"twice\""
LOOSE = {
    "sqlite": ("DROP TRIGGER audit_stays_on_update", "DROP TRIGGER audit_stays_on_delete"),
    "postgresql": ("ALTER TABLE audit DISABLE TRIGGER ALL",),
}


def tamper(url: str, statement: str) -> None:
    """What somebody does who owns the database and takes the triggers away first."""
    engine = open_database(url)
    with writing(engine) as connection:
        for act in (*LOOSE[engine.dialect.name], statement):
            connection.execute(text(act))
    engine.dispose()


def test_events_come_back_newest_first_a_page_at_a_time_and_hold_together(records: Records) -> None:
    added = [records.audit.add(f"p{number % 2}", "signed in", NASTY, where="10.0.0.7") for number in range(5)]
    assert list(records.audit.all()) == added
    assert records.audit.page(most=2) == (added[4], added[3])
    assert records.audit.page(before=added[3].number, most=2) == (added[2], added[1])
    assert records.audit.page(who="p1") == (added[3], added[1])
    assert (records.audit.count(), records.audit.verify()) == (5, None)
    assert added[0].about == NASTY.replace("\0", "\ufffd").replace("\ud800", "\ufffd")


@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET who = 'nobody'", "DELETE FROM audit"], ids=["change", "remove"]
)
def test_the_database_itself_refuses_to_change_a_row(records: Records, migrated: str, statement: str) -> None:
    kept = records.audit.add("ada", "signed in")
    engine = open_database(migrated)
    with pytest.raises(Exception, match="only ever added"), writing(engine) as connection:
        connection.execute(text(statement))
    engine.dispose()
    assert list(records.audit.all()) == [kept]


@pytest.mark.parametrize(
    ("statement", "broken"),
    [
        ("UPDATE audit SET who = 'nobody' WHERE number = 3", 3),
        ("UPDATE audit SET at = '2020-01-01 00:00:00+00:00' WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 1", 2),
        ("DELETE FROM audit WHERE number = 4", 5),
        ("UPDATE audit SET number = 9 WHERE number = 5", 9),
    ],
    ids=["who", "when", "the first gone", "a middle one gone", "another number"],
)
def test_a_row_that_was_changed_behind_the_back_of_the_program_shows(
    records: Records, migrated: str, statement: str, broken: int
) -> None:
    for number in range(5):
        records.audit.add("ada", "signed in", str(number))
    if migrated.startswith("sqlite"):
        statement = statement.replace("+00:00", ".000000")
    tamper(migrated, statement)
    assert records.audit.verify() == broken


@pytest.mark.slow
def test_events_of_many_threads_make_one_chain_without_gaps(records: Records) -> None:
    def work(name: str) -> None:
        for number in range(20):
            records.audit.add(name, "did", str(number))

    assert at_once(*(partial(work, f"t{number}") for number in range(6))) == []
    assert [event.number for event in records.audit.all()] == list(range(1, 121))
    assert records.audit.verify() is None
