"""The review desk over real records, through the gate: queues, verdicts, second opinions, and what nobody is shown."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup

from store.reviews import Reviews
from tests.pages import parsed
from tests.trag.web.review.conftest import Place, texts
from trag import approved
from trag.record import VERDICTS
from trag.review import approvals
from trag.review.verdicts import put_label

pytestmark = pytest.mark.slow

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}} evil.example"""


def rows(place: Place, who: str, query: str = "") -> list[str]:
    return texts(place.page(who, f"/review{query}"), "[data-rows] .question")


def tabs(place: Place, who: str, query: str = "") -> dict[str, int]:
    found = (each.rsplit(" ", 1) for each in texts(place.page(who, f"/review{query}"), ".tabs a"))
    return {name: int(number) for name, number in found}


def test_each_queue_has_its_answers_and_says_how_many(place: Place) -> None:
    for question, support in (("One?", "y"), ("Two?", "nn"), ("Three?", "yn"), ("Four?", "ynn")):
        place.answer(question, support=support)
    flagged = place.answer("Five?", documents=())
    put_label(place.records, flagged, place.ids["eve"], "Incorrect", "", "", asker=True)
    assert rows(place, "rita") == ["Five?", "Four?", "Three?", "Two?", "One?"]
    assert rows(place, "rita", "?choice=doubtful") == ["Five?", "Two?", "Four?", "Three?"]
    assert rows(place, "rita", "?choice=flagged") == ["Five?"]
    assert rows(place, "rita", "?document=rules.md&choice=newest") == ["Four?", "Three?", "Two?", "One?"]
    assert rows(place, "rita", "?unit=b&choice=flagged") == ["Five?"]
    place.judge("rita", flagged, "Incorrect")
    expected = {"Newest": 4, "Flagged": 0, "Likely wrong": 3, "Second opinion": 0, "Disputed": 0, "Judged": 1}
    assert {name: size for name, size in tabs(place, "rita").items() if name != "Sample"} == expected
    assert texts(place.page("rita", "/review"), ".so-far p") == ["1 of 5 answers judged 20.0%"]
    assert texts(place.page("rita", "/review?choice=judged"), ".answer-row .verdict") == ["Incorrect"]


def test_a_long_queue_is_leafed_through(place: Place) -> None:
    for number in range(25):
        place.answer(f"Question {number}?")
    first = place.page("rita", "/review")
    assert texts(first, ".paging .soft") == ["1 to 20 of 25"]
    later = str(first.select("[rel=next]")[0]["href"])
    assert rows(place, "rita", later.removeprefix("/review")) == [f"Question {number}?" for number in (4, 3, 2, 1, 0)]
    third = str(place.page("rita", later).select("[data-rows] a")[2]["href"])
    assert parse_qs(urlsplit(third).query)["at"] == ["22"]


def test_after_a_verdict_the_next_answer_opens_and_what_was_skipped_comes_last(place: Place) -> None:
    def following(query: str = "") -> str:
        answer = place.browsers["rita"].get(f"/review/next{query}", follow_redirects=False)
        return answer.headers["location"]

    one, two, three, four = (place.answer(question) for question in ("One?", "Two?", "Three?", "Four?"))
    assert (following(), following("?at=1")) == (f"/review/{four}", f"/review/{three}?at=1")
    assert place.judge("rita", three, query="?at=1") == f"/review/{two}?at=1&last={three}"
    assert place.judge("rita", two, query="?at=1") == f"/review/{one}?at=1&last={two}"
    then = place.judge("rita", one, query="?at=1")
    assert then == f"/review/{four}?last={one}", "what was skipped waits still"
    assert place.judge("rita", four) == f"/review?last={four}"
    assert texts(place.page("rita", f"/review?last={four}"), ".done .of") == ["Four?"]
    assert texts(place.page("rita", "/review"), ".none-found") == ["Nothing waits here."]
    assert following() == "/review"


def test_a_verdict_keeps_what_was_said_with_it_and_is_taken_back(place: Place) -> None:
    id, other = place.answer(), place.answer("Other?")
    wrong = f"{id}-rules.md"
    place.judge("rita", id, "Correct-Verbose", comment=" Too long.\r\n", corrected="The Board.", wrong_source=wrong)
    (label,) = place.records.verdicts(id)
    assert (label.reviewer, label.verdict, label.comment) == (place.ids["rita"], "Correct-Verbose", "Too long.")
    assert (label.corrected, label.wrong_source) == ("The Board.", wrong)
    form = place.page("rita", f"/review/{id}").select("[data-judge]")[0]
    assert texts(form, "[aria-pressed=true] strong") == ["Correct-Verbose"]
    assert texts(form, "textarea") == ["Too long.", "The Board."]
    assert form.select(f".wrong [checked][value='{wrong}']")
    done = place.page("rita", f"/review/{other}?last={id}").select("[data-undo]")[0]
    back = place.post("rita", str(done["action"])).headers["location"]
    assert (back, place.review_status(id), place.records.verdicts(id)) == (f"/review/{id}", "open", ())
    assert not place.page("rita", f"/review/{other}?last={id}").select("[data-undo]")
    assert place.post("rita", f"/review/{id}/undo").status_code == 409
    noted = [(event.who, event.what, event.result) for event in place.records.audit.page(about=id)]
    assert noted == [("rita", "verdict taken back", "Correct-Verbose"), ("rita", "judged", "Correct-Verbose")]


def test_what_says_nothing_is_not_kept_and_what_is_too_long_is_refused(place: Place) -> None:
    id = place.answer()
    place.judge("rita", id, corrected=" The Board signs. ", wrong_source="somebody else's")
    (label,) = place.records.verdicts(id)
    assert (label.corrected, label.wrong_source) == ("", "")
    typed = {"comment": "x" * 4001, "corrected": "The Club signs.", "wrong_source": "chart-1"}
    refused = place.post("rita", f"/review/{id}/verdict", verdict="Incorrect", **typed)
    assert (refused.status_code, "4,000 characters" in refused.text) == (409, True)
    form = parsed(refused).select("[data-judge]")[0]
    assert texts(form, "textarea") == [typed["comment"], typed["corrected"]]
    assert form.select(".wrong [checked][value=chart-1]")
    assert place.post("rita", f"/review/{id}/verdict", verdict="Perfect").status_code == 404
    assert place.review_status(id) == "Correct"


def test_the_askers_own_label_stands_beside_without_their_name(place: Place) -> None:
    id = place.answer()
    put_label(place.records, id, place.ids["eve"], "Incorrect", "I meant cheques.", "", asker=True)
    page = place.page("rita", f"/review/{id}")
    assert texts(page, ".asker .verdict") == ["Incorrect"]
    assert "I meant cheques." in texts(page, ".asker")[0]
    assert "Eve" not in page.get_text()


def test_the_second_reviewer_learns_nothing_of_the_first_verdict_before_their_own(place: Place) -> None:
    id, other = place.answer("Both?"), place.answer("Alone?")
    for each in (id, other):
        assert place.post("ada", f"/review/{each}/second", wanted="yes").status_code == 303
    place.judge("rita", id, "Incorrect", comment="The canary sings.", corrected="Canary.")
    place.judge("rita", other, "Incorrect", comment="The canary sings.")
    assert rows(place, "rita", "?choice=second") == []
    assert rows(place, "sam", "?choice=second") == ["Alone?", "Both?"]
    pages = (f"/review/{id}", f"/review/{id}?choice=second&last={other}", "/review?choice=second", f"/review?last={id}")
    for path in (*pages, "/review/judged.jsonl", "/review/judged.csv"):
        shown = place.browsers["sam"].get(path)
        assert shown.status_code == 200
        assert "anary" not in shown.text, path
        assert not [each for each in texts(place.page("sam", path), ".verdict") if each in VERDICTS], path
    place.judge("sam", id, "Incorrect")
    assert "The canary sings." in texts(place.page("sam", f"/review/{id}"), ".others-said")[0]
    assert (place.review_status(id), place.review_status(other)) == ("Incorrect", "second")
    place.post("sam", f"/review/{other}/second", wanted="no")
    assert place.review_status(other) == "Incorrect", "one reviewer is enough after all"


def test_where_two_differ_a_third_or_an_admin_decides_with_both_in_sight(place: Place) -> None:
    one, two = place.answer("One?"), place.answer("Two?")
    for id in (one, two):
        place.post("rita", f"/review/{id}/second", wanted="yes")
        place.judge("rita", id, "Correct", comment="As it stands in the rules.")
        place.judge("sam", id, "Incorrect", comment="The rules were changed.")
    assert rows(place, "tom", "?choice=disputed") == ["Two?", "One?"]
    page = place.page("tom", f"/review/{one}")
    assert texts(page, ".side-by-side .said-by strong") == ["Rita", "Sam"]
    assert texts(page, ".side-by-side .verdict") == ["Correct", "Incorrect"]
    assert texts(page, "#yours") == ["Decide"]
    refused = place.post("rita", f"/review/{one}/verdict", verdict="Correct", may="settle")
    assert (refused.status_code, place.review_status(one)) == (409, "disputed")
    place.judge("tom", one, "Incorrect", may="settle")
    place.judge("ada", two, "Correct", may="settle")
    assert (place.review_status(one), place.review_status(two)) == ("Incorrect", "Correct")
    assert place.records.verdicts(two)[-1].settles
    figures = place.page("tom", "/review/figures")
    assert texts(figures, ".agree tbody tr")[0] == "Correct 0 0 2"
    assert texts(figures, ".facts dd")[-2:] == ["0", "poor · 2 answers"]


def test_what_was_judged_is_looked_at_and_only_an_admin_decides_otherwise(place: Place) -> None:
    id = place.answer()
    place.judge("rita", id, "Correct")
    page = place.page("sam", f"/review/{id}?choice=judged")
    assert texts(page, ".others-said .verdict") == ["Correct"]
    assert not page.select("[data-judge]")
    for may in ("settle", "judge", "look", ""):
        refused = place.post("sam", f"/review/{id}/verdict", verdict="Incorrect", may=may, comment="The canary sings.")
        assert (refused.status_code, "stands otherwise by now" in refused.text) == (409, True), may
        told = parsed(refused)
        assert texts(told, ".others-said strong") == ["Rita", "You, not kept"]
        assert "The canary sings." in texts(told, ".others-said")[1], "what was written is there to be taken"
    assert (place.review_status(id), len(place.records.labels_of(id))) == ("Correct", 1)
    place.judge("ada", id, "Incorrect", may="settle")
    assert (place.review_status(id), place.records.reviews.agreement()) == ("Incorrect", ())


def test_a_verdict_that_another_one_comes_before_is_not_kept_unseen(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, alone = place.answer(), Reviews.alone

    def meanwhile(reviews: Reviews, reviewer: str) -> bool:
        monkeypatch.setattr(Reviews, "alone", alone)
        put_label(place.records, id, place.ids["rita"], "Correct")
        return alone(reviews, reviewer)

    monkeypatch.setattr(Reviews, "alone", meanwhile)
    refused = place.post("sam", f"/review/{id}/verdict", verdict="Incorrect")
    assert (refused.status_code, "stands otherwise by now" in refused.text) == (409, True)
    assert (place.review_status(id), len(place.records.labels_of(id))) == ("Correct", 1)
    assert [event.who for event in place.records.audit.page(about=id)] == [place.ids["rita"]]


@pytest.mark.parametrize(("who", "reads"), [("ada", "rbng"), ("rita", "rb"), ("sam", "r"), ("tom", "r")])
def test_an_answer_is_there_for_those_who_may_read_all_it_stands_on(place: Place, who: str, reads: str) -> None:
    names = {"r": "rules.md", "b": "board.md", "n": "nobody.md", "g": "gone.md"}
    of = {key: ("rules.md", name) if key != "g" else (name,) for key, name in names.items()}
    ids = {key: place.answer(f"Canary {key}?", documents=documents) for key, documents in of.items()}
    assert sorted(rows(place, who)) == sorted(f"Canary {key}?" for key in reads)
    for key, id in ids.items():
        found, nothing = (
            (answer.status_code, re.sub(r"nonce=\S+", "", answer.text))
            for answer in (place.browsers[who].get(f"/review/{each}") for each in (id, "f" * 32))
        )
        if key in reads:
            assert found[0] == 200, key
        else:
            assert found == nothing, key
            for act in ("verdict", "undo", "second", "pin"):
                answer = place.post(who, f"/review/{id}/{act}", verdict="Correct", wanted="yes")
                assert answer.status_code == 404, (key, act)
            assert place.review_status(id) == "open"
        place.judge("ada", id)
    for path in ("/review?choice=judged", "/review/judged.jsonl", "/review/judged.csv"):
        shown = place.browsers[who].get(path).text
        assert set(re.findall(r"Canary (\w+)\?", shown)) == set(reads), path
    told = place.page(who, "/review/figures").get_text() + place.page(who, f"/review?last={ids['n']}").get_text()
    assert {key for key in "bng" if names[key] in told} == set(reads) - {"r"}


def test_an_employee_has_no_desk(place: Place) -> None:
    id = place.answer()
    for path in ("/review", f"/review/{id}", "/review/figures", "/review/approved", "/review/judged.csv"):
        assert place.browsers["eve"].get(path).status_code == 403
    assert place.post("eve", f"/review/{id}/verdict", verdict="Correct").status_code == 403


def test_the_plots_say_what_their_tables_say(place: Place) -> None:
    verdicts = ["Correct"] * 3 + ["Correct-Verbose"] + ["Incorrect"]
    for number, verdict in enumerate(verdicts):
        place.judge("rita", place.answer(f"{number}?", documents=("rules.md",)), verdict)
    place.answer("Waits?", documents=("rules.md",))
    for query in ("", "?weeks=4", "?weeks=nonsense"):
        page = place.page("tom", f"/review/figures{query}")
        assert texts(page, ".facts dd")[:6] == ["6", "5", "83.3%", "80.0%", "37.6% to 96.4%", "20.0%"]
        for kind, name in (("document", "rules.md"), ("unit", "Board"), ("model", "tiny + a1")):
            (figure,) = page.select(f"[data-plot={kind}]")
            assert [str(part["width"]) for part in figure.select(".track rect")] == ["60.00%", "20.00%", "20.00%"]
            assert texts(figure, ".said") == ["80.0% right of 5, 20.0% too long"]
            assert texts(figure, "tbody tr")[0].startswith(f"{name} 6 5 3 1 1 80.0%")
        heights = [float(str(part["height"])) for part in page.select("[data-plot=answers] g rect")]
        assert heights == [pytest.approx(164 * each / 6, abs=0.1) for each in (3, 1, 1, 1)]
        right = page.select("[data-plot=right] [data-series=right] use title")[0].get_text()
        assert "80.0%, from 37.6% to 96.4%" in right


@pytest.mark.parametrize("path", ["", "/{id}", "/figures", "/approved", "?choice=judged", "/{id}?last={id}"])
def test_words_of_others_are_shown_as_text_in_their_own_direction(
    place: Place, undirected: Callable[[BeautifulSoup], list[str]], path: str
) -> None:
    place.records.library.put(HOSTILE, "1" * 64, None, [])
    id = place.answer(HOSTILE, HOSTILE, (HOSTILE,))
    put_label(place.records, id, place.ids["eve"], "Incorrect", HOSTILE, HOSTILE, asker=True)
    place.judge("ada", id, "Correct-Verbose", comment=HOSTILE, corrected=f"{HOSTILE}!", wrong_source=f"{id}-{HOSTILE}")
    approvals.pin(place.records, id, HOSTILE, HOSTILE, [HOSTILE], "", by=HOSTILE)
    if path == "":
        place.records.library.put(HOSTILE, "2" * 64, None, [])
        approvals.return_changed(place.records)
    page = place.page("ada", "/review" + path.format(id=id))
    assert not [script for script in page.select("script") if "alert" in script.get_text()]
    assert not page.select("img, b, i, [onerror]")
    assert "evil.example" in page.get_text()
    assert "{{7*7}}" in page.select("main")[0].get_text()
    assert not undirected(page)


@pytest.mark.parametrize("who", ["rita", "ada"])
def test_nobody_judges_or_approves_the_answer_to_their_own_question_and_the_page_says_why(
    place: Place, who: str
) -> None:
    def refused(act: str, **form: str) -> bool:
        answer = place.post(who, f"/review/{id}/{act}", **form)
        return answer.status_code == 409 and "asked this question yourself" in answer.text

    id = place.answer("Mine?", asker=who)
    assert (rows(place, who), rows(place, "sam")) == ([], ["Mine?"])
    assert "Your own questions are not here" in texts(place.page(who, "/review"), "#queue-title")[0]
    for verdict in ("", "Correct"):
        if verdict:
            place.judge("sam", id, verdict)
        page = place.page(who, f"/review/{id}")
        assert not page.select("[data-judge], details.approve")
        assert "You asked this question yourself" in texts(page, ".verdicts-side")[0]
        assert all(refused("verdict", verdict="Incorrect", may=may) for may in ("judge", "settle", ""))
    assert refused("pin", question="Mine?", reply="The Board.")
    assert (place.review_status(id), len(place.records.labels_of(id))) == ("Correct", 1)
    assert place.records.approved.all() == ()


def test_the_only_one_who_may_judge_judges_and_approves_their_own_too(place: Place) -> None:
    for name in ("rita", "sam", "tom"):
        place.records.people.change(place.ids[name], by="ada", state="disabled")
    id = place.answer("Mine?", asker="ada")
    assert rows(place, "ada") == ["Mine?"]
    assert "Your own questions" not in texts(place.page("ada", "/review"), "#queue-title")[0]
    place.judge("ada", id, "Correct", may="judge")
    assert place.post("ada", f"/review/{id}/pin", question="Mine?", reply="The Board.").status_code == 303
    assert approved.find(place.records, "Mine?")
