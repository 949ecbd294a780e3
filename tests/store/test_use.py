"""How much is asked, and what stayed without an answer, on SQLite and on PostgreSQL."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from store.person import Newcomer
from store.records import Records
from store.use import Week

WEDNESDAY = datetime(2026, 11, 25, 9, tzinfo=UTC)
MONDAY = date(2026, 11, 23)
Save = Callable[..., None]


@pytest.fixture
def save(records: Records, monkeypatch: pytest.MonkeyPatch) -> Save:
    def save(id: str, status: str = "answered", *, asker: str = "", weeks: int = 0, kind: str = "answer") -> None:
        monkeypatch.setattr("store.records._now", lambda: WEDNESDAY - timedelta(weeks=weeks))
        told: dict[str, object] = {
            "status": status,
            "kind": kind,
            "sources": [{"kind": "section", "document": f"{id}.md"}],
        }
        told |= {"model": {"name": "m", "sha256": "", "adapter": ""}, "unit": ""}
        records.save_answer(id, None, f"{id}?", "w", json.dumps(told), asker=asker, kind=kind)  # type: ignore[arg-type]

    return save


def test_weeks_count_questions_people_and_what_found_no_answer(records: Records, save: Save) -> None:
    save("old", weeks=5)
    save("a", asker="eve", weeks=1)
    for id, status, asker in (
        ("b", "answered", "eve"),
        ("c", "approved", "eve"),
        ("d", "cannot_answer", "sam"),
        ("e", "answered", ""),
        ("f", "stopped", "sam"),
    ):
        save(id, status, asker=asker)
    save("g", "written", asker="eve", kind="brief")
    before = MONDAY - timedelta(weeks=1)
    assert records.use.weeks(before) == (Week(before, 1, 1, 1, 0), Week(MONDAY, 5, 2, 3, 1))
    assert records.use.weeks(MONDAY + timedelta(weeks=1)) == ()


def test_what_found_no_answer_is_told_with_the_unit_and_nobody(records: Records, save: Save) -> None:
    eve = records.people.add(Newcomer("eve", state="active", unit="legal"), by="test")
    records.people.add(Newcomer("new", state="pending", unit="legal"), by="test")
    save("old", "cannot_answer", weeks=3)
    save("a", "cannot_answer", asker=eve.id)
    save("b", "answered", asker=eve.id)
    save("c", "too_little", kind="brief")
    found = records.use.unanswered(MONDAY - timedelta(weeks=1), 10)
    assert [(each.kind, each.unit, each.at) for each in found] == [
        ("brief", "", WEDNESDAY),
        ("answer", "legal", WEDNESDAY),
    ]
    assert eve.id not in str(found)
    assert len(records.use.unanswered(MONDAY - timedelta(weeks=9), 2)) == 2
    assert records.use.unanswered(MONDAY + timedelta(weeks=1), 2) == ()
    assert records.use.accounts() == {"legal": 1}


def test_the_wrong_answers_of_these_weeks_are_counted_with_what_they_stand_on(records: Records, save: Save) -> None:
    from trag.review.verdicts import put_label

    for id, weeks, verdict in (
        ("a", 5, "Incorrect"),
        ("b", 1, "Incorrect"),
        ("c", 0, "Incorrect"),
        ("d", 0, "Correct"),
    ):
        save(id, weeks=weeks)
        put_label(records, id, "rita", verdict)
    found, total = records.reviews.judged("Incorrect", MONDAY - timedelta(weeks=1), 1)
    assert ([each.answer for each in found], total) == (["c"], 2)
    assert records.reviews.documents_of("c") == ("c.md",)
