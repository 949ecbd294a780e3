"""Sets of questions over a real home with a chart, through the gate: taken, refused, made, given out, and begun."""

import re
from dataclasses import replace
from html import unescape

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.linking.entities import Organization
from org.reading.charts import load
from tests.pages import soup, texts
from trag.evaluate.cases import Case, CaseSets, read, write
from trag.evaluate.runs import Results
from trag.home import Home
from trag.web.gate import UPLOADS

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}}"""
CLUB = b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Club,team\nKitchen,Bar,team\n"
CASES = (
    Case("one", "Who runs the bar?", "simple", "The Board runs it.", gold=(("Board", "the board"),)),
    Case("two", HOSTILE, "list", units=("Bar", "Kitchen")),
)


@pytest.fixture(autouse=True, scope="module")
def chart(home: Home) -> None:
    home.parts["organization"] = Organization("Club", load(CLUB, "club.csv"))


def upload(client: TestClient, content: bytes = write(CASES), name: str = "exam.jsonl") -> str:
    answer = client.post("/quality/cases", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["page"]).partition("=")[2].partition("#")[0]


def test_each_system_is_offered_without_its_adapter_where_one_answers(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = soup(client, "/quality")
    assert ("Let one be made from the chart" in texts(empty, ".none-yet")[0], empty.select("#begin")) == (True, [])
    assert "Nothing to compare yet" in soup(client, "/quality/compare").get_text()
    upload(client)
    page = soup(client, "/quality")
    assert (len(page.select("#begin [name=system]")), page.select("#begin .also")) == (6, [])
    monkeypatch.setattr(home, "settings", replace(home.settings, adapter="ours.gguf"))
    page = soup(client, "/quality")
    assert [str(box["value"]) for box in page.select("#begin .also input")][:2] == ["trag:base", "rag:base"]
    assert [str(box["value"]) for box in page.select("#begin [type=checkbox][checked]")] == ["trag"]
    assert "No fine-tuned adapter" not in page.get_text()


def test_a_set_is_uploaded_found_again_downloaded_and_removed(client: TestClient) -> None:
    id = upload(client, name=f"C:\\exams\\{HOSTILE}\x07.jsonl")
    assert upload(client) == id, "the same questions are the same set"
    page = soup(client, f"/quality?set={id}")
    assert texts(page, ".sets strong") == ["exam"]
    assert page.select(f"input[value='{id}'][checked]")
    answer = client.get(f"/quality/cases/{id}.jsonl")
    assert read(answer.content, "x") == CASES
    assert answer.headers["content-disposition"].startswith('attachment; filename="exam.jsonl"')
    assert "exam is removed" in client.post(f"/quality/cases/{id}/remove").text
    assert client.get(f"/quality/cases/{id}.jsonl").status_code == 404
    assert client.post(f"/quality/cases/{id}/remove").status_code == 200
    assert not soup(client, "/quality").select(".sets li")


def test_every_problem_of_a_file_is_told_with_its_line(client: TestClient, home: Home) -> None:
    empty, unknown = b'{"id": "1", "question": "", "kind": "a"}', b'{"id": "2", "question": "x", "kind": "a", "god": 1}'
    answer = client.post("/quality/cases?name=bad.jsonl", content=b"%s\n\nnonsense\n%s\n" % (empty, unknown))
    assert answer.status_code == 422
    told = answer.json()["detail"]
    assert re.findall(r"(?m)(?:^|used: )line (\d)", told) == ["1", "3", "4"]
    assert 'unknown key "god"' in told
    assert not [*(home.folder / "cases").glob("*")]
    assert not [*(home.folder / "uploads").iterdir()]


def test_a_file_of_nothing_but_problems_does_not_drown_the_page(client: TestClient) -> None:
    told = client.post("/quality/cases?name=bad.jsonl", content=b"x\n" * 3_000).json()["detail"]
    assert len(told.split("\n")) == 1_002
    assert "and 2,000 more lines" in told


def test_a_file_that_is_too_large_is_refused(client: TestClient) -> None:
    what, most = UPLOADS["/quality/cases"]
    answer = client.post("/quality/cases?name=a.jsonl", content=b" " * (most + 1))
    assert (answer.status_code, what in answer.json()["detail"]) == (413, True)


def test_questions_are_made_from_the_chart(client: TestClient, home: Home) -> None:
    answer = client.post("/quality/cases/chart", data={"number": "10", "seed": "3"})
    page = BeautifulSoup(answer.text, "html.parser")
    assert "10 questions were made from the chart of Club." in page.get_text()
    assert "10 questions, seed 3" in texts(page, ".sets li:has([checked])")[0]
    (kept,) = CaseSets(home.folder / "cases").all()
    assert kept.chart == home.organization.version != ""
    again = client.post("/quality/cases/chart", data={"number": "10", "seed": "3"})
    assert len(BeautifulSoup(again.text, "html.parser").select(".sets li")) == 1


def test_numbers_that_are_none_are_refused_at_once(client: TestClient) -> None:
    for number in ("0", "-1", "2001", "x", "", "1e3", "٣", "9" * 5000):
        answer = client.post("/quality/cases/chart", data={"number": number, "seed": "0"})
        assert answer.status_code == 409
        said = unescape(answer.text)
        assert re.search(r'"number" must be (1 or more|2,000 or less|a whole number), found ', said), number
        assert '"seed" must be 1 or more, found "0"' in said


def test_nothing_is_begun_without_questions_or_systems(client: TestClient, home: Home) -> None:
    id = upload(client)
    for form, told in (
        ({"set": "0" * 64, "system": "trag"}, "Choose a set of questions."),
        ({"set": "", "system": "trag"}, "Choose a set of questions."),
        ({"set": id}, "Choose one system at least."),
    ):
        assert told in client.post("/quality/runs", data=form).text
    assert Results(home.folder / "results").runs() == ()


def test_what_cannot_be_asked_is_told_where_progress_would_be(client: TestClient) -> None:
    client.post("/quality/runs", data={"set": upload(client, name="<b>x</b>.jsonl"), "system": ["trag", "rag"]})
    for _ in range(500):
        page = soup(client, "/quality/progress")
        if page.select("[data-over=True]"):
            break
    assert texts(page, ".what p") == ["b> Failed", "No model here. Set one."]
    client.post("/quality/dismiss")
    assert not soup(client, "/quality/progress").select(".queue")
