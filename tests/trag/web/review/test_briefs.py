"""Briefings at the review desk: shown with their sources, judged, never approved, told in files."""

import json

import pytest

from tests.trag.web.review.conftest import Place, texts

pytestmark = pytest.mark.slow


def test_a_briefing_is_shown_with_its_sentences_and_where_they_stand(place: Place) -> None:
    id = place.brief()
    row = texts(place.page("rita", "/review"), ".answer-row")[0]
    assert row.startswith("Signing briefing")
    assert texts(place.page("rita", "/review?unit=b"), ".question") == ["Signing"]
    page = place.page("rita", f"/review/{id}")
    assert texts(page, ".part h2") == ["1 Signing"]
    assert texts(page, ".prose q") == ["The Board signs."]
    assert f"answer={id}#here" in str(page.select(".prose a.cite-at")[0]["href"])
    assert texts(page, ".questions li") == ["Who signs?"]
    assert texts(page, ".unsaid li") == ["Who pays?"]
    assert texts(page, ".sources .document") == ["Rules"]
    assert "changed since" in texts(page, ".answer .reason")[0], "rules.md says other words"
    assert texts(page, "[name=corrected]") == [""], "nobody has to write it again"


def test_it_is_judged_with_the_source_that_was_wrong_and_is_not_approved(place: Place) -> None:
    id = place.brief()
    place.judge("rita", id, "Incorrect", comment="Nobody does.", wrong_source="rules.md")
    assert place.review_status(id) == "Incorrect"
    place.judge("rita", id, "Correct-Verbose")
    assert not place.page("rita", f"/review/{id}").select(".approve")
    refused = place.post("rita", f"/review/{id}/pin", question="Signing", reply="The Board signs.")
    assert (refused.status_code, "A briefing is not approved" in refused.text) == (409, True)
    assert place.records.approved.all() == ()
    (line,) = place.browsers["rita"].get("/review/judged.jsonl").text.splitlines()
    told = json.loads(line)
    assert (told["kind"], told["question"], told["answer"]) == ("brief", "Signing", "The Board signs.")
    assert told["sentences"] == [{"text": "The Board signs.", "evidence": "The Board signs.", "how": "quotation"}]
    assert told["open"] == ["Who pays?"]
    assert "rules.md" in place.browsers["rita"].get("/review/judged.csv").text


@pytest.mark.parametrize(("who", "reads"), [("ada", "mb"), ("rita", "mb"), ("sam", "m"), ("tom", "m")])
def test_a_briefing_is_there_for_those_who_may_read_all_it_stands_on(place: Place, who: str, reads: str) -> None:
    ids = {"m": place.brief("Mark m"), "b": place.brief("Mark b", "board.md", "C4NARY")}
    for key, id in ids.items():
        assert place.browsers[who].get(f"/review/{id}").status_code == (200 if key in reads else 404), key
        judged = place.post(who, f"/review/{id}/verdict", verdict="Correct")
        assert judged.status_code == (303 if key in reads else 404), key
    assert ("C4NARY" in place.browsers[who].get("/review?choice=judged").text) is ("b" in reads)
