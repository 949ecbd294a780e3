"""What is forgotten after the days that an admin chose, and what stays."""

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copy

import pytest
from sqlalchemy import update

from store import schema
from store.appearances import Appearance
from store.database import writing
from store.person import Newcomer
from store.records import Records
from trag.retention import PROGRAM, Retention, forget_old
from trag.review.verdicts import put_label

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture
def records(empty_database: Path, tmp_path: Path) -> Iterator[Records]:
    with closing(Records(f"sqlite:///{copy(empty_database, tmp_path)}")) as records:
        yield records


def asked(records: Records, id: str, days: float, now: datetime = NOW, *, alone: bool = False) -> None:
    """A question of Eve's, in a conversation that nobody went on with for so many days, or outside of any."""
    conversation = None if alone else records.start_conversation("eve", id).id
    records.save_answer(id, conversation, "Who signs?", "Two.", '{"status": "answered"}', asker="eve")
    then = now - timedelta(days=days)
    with writing(records._engine) as connection:
        connection.execute(update(schema.answers).where(schema.answers.c.id == id).values(created=then))
        same = schema.conversations.c.id == conversation
        connection.execute(update(schema.conversations).where(same).values(updated=then))


def there(records: Records) -> set[str]:
    return {answer.id for answer in records.newest_answers(100)}


def test_what_is_older_goes_and_what_was_judged_stays_without_a_name(records: Records) -> None:
    records.people.add(Newcomer("rita", role="reviewer", state="active"), by="test")
    for id, days in (("old", 30.1), ("young", 29.9), ("judged", 400)):
        asked(records, id, days)
    asked(records, "old, of a program", 31, alone=True)
    put_label(records, "judged", "rita", "Correct")
    forget_old(records, NOW)
    assert there(records) == {"old", "young", "judged", "old, of a program"}, "kept for ever where nobody chose"
    records.appearances.put(Appearance(days_kept=30), by="ada")
    gone = forget_old(records, NOW)
    assert (gone.conversations, gone.answers, gone.kept) == (2, 2, 1)
    assert there(records) == {"young", "judged"}
    review = records.reviews.review("judged")
    assert review
    assert review.asker == ""
    assert [each.title for each in records.conversations("eve")] == ["young"]
    (event,) = records.audit.page(what="old conversations forgotten")
    assert (event.who, event.about) == (PROGRAM, "before 2026-10-29")
    forget_old(records, NOW)
    assert len(records.audit.page(what="old conversations forgotten")) == 1, "a pass that finds nothing is no event"


def test_it_goes_by_itself_and_at_once_after_another_choice(records: Records) -> None:
    now = datetime.now(UTC)
    asked(records, "old", 10, now)
    retention = Retention(records)
    retention.start()
    with closing(retention):
        records.appearances.put(Appearance(days_kept=9), by="ada")
        retention.look_now()
        waited = threading.Event()
        for _ in range(200):
            if not there(records):
                break
            waited.wait(0.05)
        assert not there(records)
