"""Judged answers as files: what is in them, that spreadsheets run nothing of them, and that it is written down."""

import csv
import io
import json

from tests.trag.web.review.conftest import Place
from trag.review import approvals
from trag.review.verdicts import put_label

FORMULA = "=HYPERLINK(1)"


def test_a_judged_answer_leaves_with_what_it_stood_on(place: Place) -> None:
    first, second = place.answer("One?"), place.answer("Two?", documents=())
    place.judge("rita", second, "Correct")
    place.judge("rita", first, "Incorrect", corrected="The Bar.", comment="No.", wrong_source=f"{first}-rules.md")
    put_label(place.records, first, place.ids["eve"], "Incorrect", "", "", asker=True)
    place.answer("Waits?")
    answer = place.browsers["tom"].get("/review/judged.jsonl")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-disposition"].startswith('attachment; filename="judged-answers.jsonl"')
    assert [line["question"] for line in lines] == ["Two?", "One?"]
    told = lines[1]
    assert (told["id"], told["verdict"], told["corrected"], told["reason"]) == (first, "Incorrect", "The Bar.", "No.")
    assert (told["wrong_source"], told["asker_verdict"], told["model"]) == ("rules.md, 1 Signing", "Incorrect", "tiny")
    source, chart = told["sources"]
    assert (source["kind"], source["document"], chart["kind"]) == ("section", "rules.md", "chart")
    assert source["text"].startswith("It stands in rules.md")
    event = place.records.audit.page(most=1)[0]
    assert (event.who, event.what, event.about) == ("tom", "export", "judged answers")
    assert event.result == "judged-answers.jsonl"


def test_a_spreadsheet_runs_nothing_of_the_table(place: Place) -> None:
    id = place.answer(FORMULA, FORMULA)
    place.judge("rita", id, "Incorrect", corrected="@SUM(A1)", comment="+1+1")
    answer = place.browsers["tom"].get("/review/judged.csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["question"], row["answer"]) == (f"'{FORMULA}", f"'{FORMULA}")
    assert (row["corrected"], row["reason"], row["documents"]) == ("'@SUM(A1)", "'+1+1", "rules.md")


def test_of_several_verdicts_the_one_that_holds_is_told(place: Place) -> None:
    def told() -> list[tuple[str, str]]:
        lines = map(json.loads, place.browsers["tom"].get("/review/judged.jsonl").text.splitlines())
        return [(line["verdict"], line["corrected"]) for line in lines]

    id = place.answer()
    place.judge("rita", id, "Correct-Verbose", corrected="The Board.")
    place.post("ada", f"/review/{id}/second", wanted="yes")
    place.judge("sam", id, "Correct-Verbose")
    assert told() == [("Correct-Verbose", "The Board.")], "who says what is right is told"
    place.judge("ada", id, "Incorrect", may="settle", corrected="The Bar.")
    assert told() == [("Incorrect", "The Bar.")]
    pinned = approvals.pin(place.records, id, "Who signs?", "The Bar.", (), "", by="ada")
    approvals.unpin(place.records, pinned.id, by="ada")
    assert told() == []
