"""Approved answers, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from store import StoreError
from store.approved import Approved, Ground
from store.person import Newcomer, Role
from store.records import Records
from store.review_queues import Choice, Queue
from tests.store.conftest import at_once
from trag import approved
from trag.approved import normalized
from trag.review import approvals
from trag.review.verdicts import ask_second, put_label, take_back_label

QUESTION = "Who signs above 50,000?"


@pytest.fixture
def pinned(records: Records) -> Approved:
    records.library.put("rules.md", "1" * 64, None, ())
    records.library.put("other.md", "2" * 64, None, ())
    records.chart_versions.activate("v1", "chart.csv", "3" * 64, by="ada")
    records.save_answer("a", None, QUESTION, "The Director.", "{}")
    put_label(records, "a", "rita", "Correct")
    return approvals.pin(records, "a", QUESTION, "The Director signs.", ["rules.md"], "v1", by="rita")


@pytest.mark.parametrize(
    "asked", [QUESTION, "who signs above 50,000", "  WHO 'signs'   above 50,000 ?! ", "Ｗho signs above ５0,000?"]
)
def test_an_approved_answer_is_found_by_any_spelling_of_its_question(
    records: Records, pinned: Approved, asked: str
) -> None:
    assert approved.find(records, asked) == pinned == records.approved.get(pinned.id)
    assert approved.holds(records, pinned.id)
    actual = (pinned.reply, pinned.sources, pinned.chart)
    assert actual == ("The Director signs.", (Ground("rules.md", "1" * 64),), "v1")


@pytest.mark.parametrize("asked", ["Who signs above 50,001?", "Who signs?", "", "Who signs above 50,000%?"])
def test_another_question_finds_nothing(records: Records, pinned: Approved, asked: str) -> None:
    assert approved.find(records, asked) is None


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
            lambda records: records.chart_versions.activate("v2", "new.csv", "4" * 64, by="ada"),
            "another chart is in use",
            id="chart",
        ),
    ],
)
def test_an_approved_answer_is_not_given_from_the_moment_that_what_it_stands_on_changes(
    records: Records, pinned: Approved, change: Callable[[Records], object], why: str
) -> None:
    records.library.put("other.md", "5" * 64, None, ())
    assert approvals.return_changed(records) == ()
    change(records)
    assert (approved.find(records, QUESTION), approved.holds(records, pinned.id)) == (None, False)
    assert records.reviews.queue(Queue(), reviewer="rita") == ()
    assert approvals.return_changed(records) == (pinned,)
    returned = records.approved.get(pinned.id)
    assert returned is not None
    assert (returned.state, returned.why) == ("returned", why)
    assert [review.answer for review in records.reviews.queue(Queue(), reviewer="rita")] == ["a"]
    assert (records.approved.all("returned"), records.approved.all("pinned")) == ((returned,), ())
    assert approvals.return_changed(records) == ()
    assert records.audit.page(most=1)[0].result == why


def test_another_answer_takes_the_place_and_one_may_be_taken_back(records: Records, pinned: Approved) -> None:
    records.save_answer("b", None, QUESTION, "Two.", "{}")
    put_label(records, "b", "sam", "Correct")
    second = approvals.pin(records, "b", "who signs above 50,000", "Two sign.", [], "", by="sam")
    assert approved.find(records, QUESTION) == second
    actual = [(each.reply, each.state) for each in records.approved.all()]
    assert actual == [("Two sign.", "pinned"), ("The Director signs.", "returned")]
    approvals.unpin(records, second.id, by="sam")
    assert approved.find(records, QUESTION) is None
    with pytest.raises(StoreError, match="not pinned"):
        approvals.unpin(records, second.id, by="sam")


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
        approvals.pin(records, answer, QUESTION, "r", documents, chart, by="rita")
    assert approved.find(records, QUESTION) == pinned


def judge(records: Records, reviewer: str, verdict: str, *, settles: bool = False) -> None:
    put_label(records, "a", reviewer, verdict, "", "", settles=settles)


def waits(records: Records, choice: Choice = "newest", reviewer: str = "tom") -> list[str]:
    return [review.answer for review in records.reviews.queue(Queue(choice), reviewer=reviewer)]


@pytest.mark.parametrize(
    ("change", "why", "choice"),
    [
        pytest.param(
            lambda records: judge(records, "ada", "Incorrect", settles=True), "it was judged Incorrect", "judged",
            id="decided otherwise",
        ),
        pytest.param(
            lambda records: judge(records, "rita", "Correct-Verbose"), "it was judged Correct-Verbose", "judged",
            id="another verdict",
        ),
        pytest.param(
            lambda records: judge(records, "sam", "Incorrect"), "two reviewers judged it differently", "disputed",
            id="disputed",
        ),
        pytest.param(
            lambda records: take_back_label(records, "a", "rita"), "its verdict was taken back", "newest",
            id="taken back",
        ),
        pytest.param(
            lambda records: ask_second(records, "a", True, by="ada"), "a second reviewer was asked for", "second",
            id="a second one wanted",
        ),
    ],
)  # fmt: skip
def test_an_approved_answer_is_not_given_from_the_moment_that_its_verdict_is_another(
    records: Records, pinned: Approved, change: Callable[[Records], object], why: str, choice: Choice
) -> None:
    change(records)
    assert (approved.find(records, QUESTION), approved.holds(records, pinned.id)) == (None, False)
    returned = records.approved.get(pinned.id)
    assert returned is not None
    assert (returned.state, returned.why) == ("returned", why)
    assert waits(records, choice) == ["a"]
    told = [(each.what, each.result) for each in records.audit.page(about="a") if "approved" in each.what]
    assert told == [("approved answer returned", why)]
    assert records.audit.verify() is None


def test_a_dispute_that_is_settled_otherwise_was_no_ground_and_the_same_verdict_again_is_one(
    records: Records, pinned: Approved
) -> None:
    judge(records, "rita", "Correct")
    judge(records, "sam", "Correct")
    judge(records, "ada", "Correct", settles=True)
    assert approved.find(records, QUESTION) == pinned
    judge(records, "ada", "Incorrect", settles=True)
    assert approved.find(records, QUESTION) is None
    assert len(records.verdicts("a")) == 3, "what was judged still counts"


@pytest.mark.parametrize("words", ["The Director signs.", "Something else."])
def test_an_approved_answer_that_was_found_wrong_where_it_was_given_is_given_no_more(
    records: Records, pinned: Approved, words: str
) -> None:
    record = {"status": "approved", "approved": {"by": "rita", "on": "2026-11-18", "question": QUESTION}}
    records.save_answer("given", None, "and who signs above 50,000?", words, json.dumps(record))
    put_label(records, "given", "sam", "Correct-Verbose")
    assert approved.find(records, QUESTION) == pinned
    put_label(records, "given", "sam", "Incorrect")
    if words != pinned.reply:
        assert approved.find(records, QUESTION) == pinned
        return
    assert approved.find(records, QUESTION) is None
    assert waits(records) == ["a"], "its verdict was on the same words"
    review = records.reviews.review("given")
    assert review
    assert review.review_status == "Incorrect"
    assert [each.about for each in records.audit.page(most=2)] == ["given", "a"]


@pytest.mark.parametrize(
    ("verdicts", "reply", "message"),
    [
        ("", "Two sign.", "verdict that holds"),
        ("Correct Incorrect", "Two sign.", "verdict that holds"),
        ("Incorrect", " Two. ", "judged Incorrect"),
    ],
    ids=["open", "disputed", "wrong words"],
)
def test_only_words_with_a_verdict_that_holds_are_approved(
    records: Records, pinned: Approved, verdicts: str, reply: str, message: str
) -> None:
    records.save_answer("b", None, QUESTION, "Two.", "{}")
    for reviewer, verdict in zip(("rita", "sam"), verdicts.split(), strict=False):
        put_label(records, "b", reviewer, verdict, "", "")
    with pytest.raises(StoreError, match=message):
        approvals.pin(records, "b", QUESTION, reply, [], "", by="sam")
    assert approved.find(records, QUESTION) == pinned


def test_nobody_approves_the_answer_to_their_own_question_while_another_may(records: Records) -> None:
    roles: tuple[tuple[str, Role], ...] = (("ada", "admin"), ("rita", "reviewer"), ("eve", "employee"))
    ids = {name: records.people.add(Newcomer(name, role=role, state="active"), by="t").id for name, role in roles}
    records.save_answer("a", records.start_conversation(ids["ada"], "t").id, QUESTION, "Two.", "{}")
    put_label(records, "a", ids["rita"], "Correct")
    with pytest.raises(StoreError, match="asked this question yourself"):
        approvals.pin(records, "a", QUESTION, "Two.", [], "", by="ada", reviewer=ids["ada"])
    assert approvals.pin(records, "a", QUESTION, "Two.", [], "", by="rita", reviewer=ids["rita"])
    records.people.change(ids["rita"], by="ada", state="disabled")
    assert approvals.pin(records, "a", QUESTION, "Two!", [], "", by="ada", reviewer=ids["ada"])


@pytest.mark.slow
def test_of_two_who_approve_and_judge_otherwise_at_once_the_verdict_is_heeded(
    records: Records, pinned: Approved
) -> None:
    for round in range(10):
        id, asked = f"a{round}", f"Question {round}?"
        records.save_answer(id, None, asked, "Two.", "{}")
        put_label(records, id, "rita", "Correct")
        errors = at_once(
            partial(approvals.pin, records, id, asked, "Two.", [], "", by="rita"),
            partial(put_label, records, id, "sam", "Incorrect"),
        )
        assert all(isinstance(error, StoreError) for error in errors), errors
        assert approved.find(records, asked) is None, errors
