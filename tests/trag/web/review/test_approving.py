"""Answers approved for everybody: pinned from their page, listed, taken back, and in the queue again after a change."""

import pytest

from tests.trag.web.review.conftest import CHART, Place, texts
from trag import approved
from trag.review import approvals

pytestmark = pytest.mark.slow

PIN = {"question": "Who signs?", "reply": "The Board."}


def pinned(place: Place, **about: tuple[str, ...]) -> str:
    """An answer that was judged and approved."""
    id = place.answer(**about)  # type: ignore[arg-type]
    place.judge("rita", id)
    assert place.post("rita", f"/review/{id}/pin", **PIN).status_code == 303
    return id


def test_an_answer_that_was_judged_is_approved_and_taken_back(place: Place) -> None:
    id = place.answer()
    assert not place.page("rita", f"/review/{id}").select(".approve")
    place.judge("rita", id, "Correct-Verbose", corrected="The Board.")
    form = place.page("sam", f"/review/{id}").select(".approve form")[0]
    assert texts(form, "textarea") == ["Who signs?", "The Board."], "the shortened answer is what is offered"
    assert place.post("sam", str(form["action"]), **PIN).status_code == 303
    found = approved.find(place.records, "who signs")
    assert found
    assert (found.reply, found.answer, found.by, found.chart) == ("The Board.", id, "sam", CHART.version)
    assert [source.document for source in found.sources] == ["rules.md"]
    assert texts(place.page("rita", "/review/approved"), ".answer-row .reply") == ["The Board."]
    assert place.post("rita", f"/review/approved/{found.id}/unpin").status_code == 303
    assert approved.find(place.records, "who signs") is None
    assert place.review_status(id) == "open"
    assert [event.what for event in place.records.audit.page(most=2)] == ["approved answer returned", "answer pinned"]
    assert place.post("rita", f"/review/approved/{found.id}/unpin").status_code == 409


@pytest.mark.parametrize(
    ("verdict", "form", "told"),
    [
        ("", {}, "Judge it first"),
        ("Incorrect", {"reply": "The Board signs."}, "judged Incorrect"),
        ("Correct", {"reply": " "}, "needs its question"),
        ("Correct", {"question": ""}, "needs its question"),
        ("Correct", {"reply": "x" * 4001}, "4,000"),
    ],
    ids=["not judged", "wrong words", "no words", "no question", "too long"],
)
def test_what_cannot_be_approved_is_said(place: Place, verdict: str, form: dict[str, str], told: str) -> None:
    id = place.answer()
    if verdict:
        place.judge("rita", id, verdict)
    answer = place.post("rita", f"/review/{id}/pin", **PIN | form)
    assert (answer.status_code, told in answer.text) == (409, True), answer.text
    assert place.records.approved.all() == ()


def test_one_that_stands_on_something_else_by_now_comes_back_and_says_why(place: Place) -> None:
    id = pinned(place)
    place.records.library.put("rules.md", "2" * 64, None, ())
    approvals.return_changed(place.records)
    page = place.page("sam", "/review")
    assert texts(page, ".returned") == ["Who signs? rules.md was replaced"]
    assert "It was approved until rules.md was replaced." in texts(page, ".answer-row")[0]
    assert "rules.md was replaced" in texts(place.page("sam", f"/review/{id}"), ".answer .notice")[0]
    listed = place.page("sam", "/review/approved?state=returned")
    assert "Judge it again" in texts(listed, ".answer-row")[0]
    place.judge("sam", id, "Incorrect")
    assert not place.page("sam", "/review").select(".returned")
    actual = texts(place.page("sam", f"/review/{id}"), ".answer .notice")
    assert actual == ["This answer was approved until rules.md was replaced."]


def test_an_approved_answer_is_listed_for_those_who_may_read_what_it_stands_on(place: Place) -> None:
    pinned(place, documents=("board.md",))
    (found,) = place.records.approved.all()
    for who, sees in (("ada", 1), ("rita", 1), ("sam", 0)):
        assert len(place.page(who, "/review/approved").select(".answer-row")) == sees, who
    assert place.post("sam", f"/review/approved/{found.id}/unpin").status_code == 404
    assert approved.holds(place.records, found.id)


def test_one_whose_verdict_is_another_comes_back_and_says_why(place: Place) -> None:
    id = pinned(place)
    assert "until its verdict is another" in texts(place.page("sam", f"/review/{id}"), ".approve")[0]
    place.post("sam", f"/review/{id}/second", wanted="yes")
    assert approved.find(place.records, "who signs") is None
    assert texts(place.page("tom", "/review"), ".returned") == ["Who signs? a second reviewer was asked for"]
    place.judge("sam", id, "Incorrect")
    assert texts(place.page("tom", "/review"), ".returned") == ["Who signs? a second reviewer was asked for"]
    place.judge("tom", id, "Correct", may="settle")
    assert not place.page("tom", "/review").select(".returned")
    assert approved.find(place.records, "who signs") is None, "to approve it again is a decision"
    assert place.post("tom", f"/review/{id}/pin", **PIN).status_code == 303
    place.judge("ada", id, "Incorrect", may="settle")
    assert approved.find(place.records, "who signs") is None
    listed = place.page("sam", "/review/approved?state=returned")
    assert "it was judged Incorrect" in texts(listed, ".answer-row")[0]
