"""Approved answers, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from store import StoreError
from store.approved import Approved, Ground, normalized
from store.records import Records
from store.reviewing import Queue

QUESTION = "Who signs above 50,000?"


@pytest.fixture
def pinned(records: Records) -> Approved:
    records.library.put("rules.md", "1" * 64, None, ())
    records.library.put("other.md", "2" * 64, None, ())
    records.activate_chart("v1", "chart.csv", "3" * 64)
    records.save_answer("a", None, QUESTION, "The Director.", "{}")
    records.put_label("a", "rita", "Correct", "", "")
    return records.approved.pin("a", QUESTION, "The Director signs.", ["rules.md"], "v1", by="rita")


@pytest.mark.parametrize(
    "asked", [QUESTION, "who signs above 50,000", "  WHO 'signs'   above 50,000 ?! ", "Ｗho signs above ５0,000?"]
)
def test_an_approved_answer_is_found_by_any_spelling_of_its_question(
    records: Records, pinned: Approved, asked: str
) -> None:
    assert records.approved.find(asked) == pinned == records.approved.get(pinned.id)
    assert records.approved.holds(pinned.id)
    assert (pinned.reply, pinned.sources, pinned.chart) == (
        "The Director signs.",
        (Ground("rules.md", "1" * 64),),
        "v1",
    )


@pytest.mark.parametrize("asked", ["Who signs above 50,001?", "Who signs?", "", "Who signs above 50,000%?"])
def test_another_question_finds_nothing(records: Records, pinned: Approved, asked: str) -> None:
    assert records.approved.find(asked) is None


@pytest.mark.parametrize(
    ("text", "normal"),
    [("Wer ist's?", "wer ists"), ("STRASSE straße", "strasse strasse"), ("What is C++?", "what is c++"), ("?!", "?!")],
)
def test_a_question_is_compared_without_what_makes_no_difference(text: str, normal: str) -> None:
    assert normalized(text) == normal


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(
            lambda records: records.library.put("rules.md", "9" * 64, None, ()), "rules.md was replaced", id="document"
        ),
        pytest.param(lambda records: records.library.delete("rules.md"), "rules.md is gone", id="removed"),
        pytest.param(
            lambda records: records.activate_chart("v2", "new.csv", "4" * 64), "another chart is in use", id="chart"
        ),
    ],
)
def test_an_approved_answer_is_not_given_from_the_moment_that_what_it_stands_on_changes(
    records: Records, pinned: Approved, change: Callable[[Records], object], why: str
) -> None:
    records.library.put("other.md", "5" * 64, None, ())
    assert records.approved.look_over() == ()
    change(records)
    assert (records.approved.find(QUESTION), records.approved.holds(pinned.id)) == (None, False)
    assert records.reviewing.queue(Queue(), reviewer="rita") == ()
    assert records.approved.look_over() == (pinned,)
    returned = records.approved.get(pinned.id)
    assert returned is not None
    assert (returned.state, returned.why) == ("returned", why)
    assert [review.answer for review in records.reviewing.queue(Queue(), reviewer="rita")] == ["a"]
    assert (records.approved.all("returned"), records.approved.all("pinned")) == ((returned,), ())
    assert records.approved.look_over() == ()
    assert records.audit.page(most=1)[0].result == why


def test_another_answer_takes_the_place_and_one_may_be_taken_back(records: Records, pinned: Approved) -> None:
    records.save_answer("b", None, QUESTION, "Two.", "{}")
    second = records.approved.pin("b", "who signs above 50,000", "Two sign.", [], "", by="sam")
    assert records.approved.find(QUESTION) == second
    assert [(each.reply, each.state) for each in records.approved.all()] == [
        ("Two sign.", "pinned"),
        ("The Director signs.", "returned"),
    ]
    records.approved.unpin(second.id, by="sam")
    assert records.approved.find(QUESTION) is None
    with pytest.raises(StoreError, match="not pinned"):
        records.approved.unpin(second.id, by="sam")


@pytest.mark.parametrize(
    ("answer", "documents", "chart", "message"),
    [
        ("x", ["rules.md"], "v1", "no such answer"),
        ("a", ["rules.md", "gone.md"], "v1", "a document is gone"),
        ("a", ["rules.md"], "v0", "another chart is in use"),
    ],
    ids=["answer", "document", "chart"],
)
def test_nothing_is_pinned_to_what_is_no_longer_there(
    records: Records, pinned: Approved, answer: str, documents: list[str], chart: str, message: str
) -> None:
    with pytest.raises(StoreError, match=message):
        records.approved.pin(answer, QUESTION, "r", documents, chart, by="rita")
    assert records.approved.find(QUESTION) == pinned
