"""What migrations make of what is there, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text

from store.approved import Approved
from store.database import open_database, writing
from store.records import Records
from store.reviewing import Queue

Left = Callable[[Records], object]
BACK = (
    "DROP INDEX reviews_by_opinions",
    "ALTER TABLE reviews DROP COLUMN first_opinion",
    "ALTER TABLE reviews DROP COLUMN second_opinion",
    "ALTER TABLE reviews ADD COLUMN reviewers INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX reviews_by_reviewers ON reviews (reviewers)",
    "ALTER TABLE activations DROP COLUMN original",
    "ALTER TABLE jobs DROP COLUMN audience",
    "UPDATE alembic_version SET version_num = '0008'",
)
"""What makes the tables of today, which the records write, those of version 0008 again."""


@pytest.fixture
def before(url: str) -> Iterator[Records]:
    """A database of before verdicts withdrew approved answers, in which each of five answers was approved."""
    records = Records(url)
    records.activations.activate("v1", "chart.csv", "3" * 64, by="ada")
    for id in ("kept", "mended", "given", "settled", "overruled"):
        said = {"sources": [{"kind": "section", "document": "rules.md"}], "entities": [{"unit": "u1"}]}
        records.save_answer(id, None, asked(id), "Two sign.", json.dumps(said))
        records.put_label(id, "rita", "Incorrect" if id == "mended" else "Correct", "", "")
        if id == "settled":
            records.put_label(id, "sam", "Incorrect", "", "")
            records.put_label(id, "ada", "Correct-Verbose", "", "", settles=True)
        words = "Three sign." if id == "mended" else "Two sign."
        records.approved.pin(id, asked(id), words, [], "v1", by="rita")
    yield records
    records.close()


def asked(id: str) -> str:
    return f"Who signs what is {id}?"


def found(records: Records, id: str) -> Approved:
    return next(each for each in records.approved.all() if each.question == asked(id))


def migrated(url: str, records: Records) -> Records:
    """The database as the version before left it, where a verdict withdrew nothing, and then brought up to date."""
    with writing(records._engine) as connection:
        for statement in ("UPDATE approved SET state = 'pinned', why = ''", *BACK):
            connection.execute(text(statement))
    records.close()
    open_database(url).dispose()
    return Records(url)


@pytest.mark.parametrize(
    ("left", "why"),
    [
        pytest.param(
            lambda records: records.put_label("overruled", "ada", "Incorrect", "", "", settles=True),
            "it was judged Incorrect",
            id="decided otherwise",
        ),
        pytest.param(
            lambda records: records.put_label("overruled", "rita", "Correct-Verbose", "", ""),
            "it was judged Correct-Verbose",
            id="another verdict",
        ),
        pytest.param(
            lambda records: records.put_label("overruled", "sam", "Incorrect", "", ""),
            "two reviewers judged it differently",
            id="disputed",
        ),
        pytest.param(
            lambda records: records.take_back_label("overruled", "rita"), "its verdict was taken back", id="taken back"
        ),
        pytest.param(
            lambda records: records.reviewing.ask_second("overruled", True, by="ada"),
            "a second reviewer was asked for",
            id="a second one wanted",
        ),
    ],
)
def test_approved_answers_that_were_overruled_before_verdicts_withdrew_them_are_withdrawn(
    url: str, before: Records, left: Left, why: str
) -> None:
    left(before)
    before.put_label("kept", "sam", "Correct", "", "")
    before.put_label("kept", "sam", "Incorrect", "", "")
    before.put_label("kept", "sam", "Correct", "", "")
    events = before.audit.count()
    records = migrated(url, before)
    assert {id: found(records, id).why for id in ("kept", "mended", "given", "settled", "overruled")} == {
        "kept": "",
        "mended": "",
        "given": "",
        "settled": "",
        "overruled": why,
    }
    assert [each.question for each in records.approved.all("returned")] == [asked("overruled")]
    assert records.approved.find(asked("overruled")) is None
    assert records.approved.find(asked("mended")) == found(records, "mended")
    (event,) = records.audit.page(most=records.audit.count() - events)
    assert (event.who, event.what, event.about, event.result) == (
        "the program", "approved answer returned", "overruled", why,
    )  # fmt: skip
    assert records.audit.verify() is None
    records.close()


def test_an_approved_answer_that_was_found_wrong_where_it_was_given_is_withdrawn_and_its_review_open_again(
    url: str, before: Records
) -> None:
    told = {"status": "approved", "approved": {"by": "rita", "at": "2026-11-18", "question": asked("given")}}
    before.save_answer("copy", None, "and who signs?", "Two sign.", json.dumps(told))
    before.put_label("copy", "sam", "Incorrect", "", "")
    before.put_label("given", "rita", "Correct", "", "")  # open again by now, since that is what a program does by now
    records = migrated(url, before)
    assert [(each.question, each.why) for each in records.approved.all("returned")] == [
        (asked("given"), "it was judged Incorrect")
    ]
    assert [each.answer for each in records.reviewing.queue(Queue(), reviewer="tom")] == ["given"]
    for kind, value in (("document", "rules.md"), ("unit", "u1")):
        stands = {count.standing: count.answers for count in records.reviewing.counts(kind) if count.value == value}  # type: ignore[arg-type]
        assert stands == {"open": 1, "Correct": 2, "Incorrect": 1, "Correct-Verbose": 1}
    records.put_label("given", "sam", "Incorrect", "", "")
    assert [count.standing for count in records.reviewing.counts("week") if count.answers] == [
        "Correct", "Correct-Verbose", "Incorrect",
    ]  # fmt: skip
    assert records.audit.verify() is None
    records.close()


def test_a_database_without_approved_answers_is_only_brought_up_to_date(url: str) -> None:
    records = Records(url)
    records.save_answer("a", None, "Who?", "Two.", "{}")
    records.put_label("a", "rita", "Incorrect", "", "")
    events = records.audit.count()
    records = migrated(url, records)
    assert (records.audit.count(), records.approved.all(), records.audit.verify()) == (events, (), None)
    records.close()
