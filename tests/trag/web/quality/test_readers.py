"""What a reviewer sees and may do of the evaluations, which read every document: somebody to whom one is closed sees
the figures and no words that are for others, and begins nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from fastapi import FastAPI
from starlette.testclient import TestClient

from org.linking.entities import Organization
from org.reading.charts import load
from store.passage import OPEN
from store.person import Role
from tests.pages import served, signed_in, soup, words
from tests.trag.web.quality.conftest import all_wrong, answered, kept
from trag.evaluate import needle
from trag.evaluate.cases import Case, CaseSets, write
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import questions
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import Dropped, Meaning
from trag.evaluate.running import results_of
from trag.evaluate.runs import Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home
from trag.record import Source
from trag.web.quality.evaluation import Evaluation

CASES = (
    Case("0", "Open?", "document", "Canary 0.", gold=(("Canary 0",),), document="all.md"),
    Case("1", "Closed by its source?", "simple", "Canary 1."),
    Case("2", "Closed by its question?", "document", "Canary 2.", document="board.md"),
    Case("3", "Called one about the chart?", "count", "Canary 3.", count=3),
    Case("4", "About anything?", "document", "Canary 4."),
)
SOURCES = (("all.md",), ("board.md",), ("all.md",), (), ("all.md",))
MADE = (Case("5", "Made from the chart?", "count", "Canary 5.", count=1),)
OPEN_TO = {"ada": "01234", "olga": "01234", "rita": "0"}
"""An admin, a reviewer of the Board, to whom all is open, and one of no unit."""
PEOPLE: dict[str, tuple[Role, str]] = {"ada": ("admin", ""), "olga": ("reviewer", "b"), "rita": ("reviewer", "")}
SECRET = Meaning("01-01", "SELECT", ("Vault",), "Canary 9", (("Canary 9",),), ("word of the Vault",), ("Which word?",))
FORM = {"content-type": "application/x-www-form-urlencoded"}


@dataclass
class Place:
    """A run of every case by two systems, one of the set that was made from the chart, an audit whose answers were
    wrong, a needle test of one case, and who looks at them."""

    folder: Path
    run: Run
    made: Run
    audit: Run
    needle: Run
    results: Results
    evaluation: Evaluation
    browsers: dict[str, TestClient]

    def canaries(self, who: str, path: str) -> str:
        """The numbers of the answers and of the cases that a page holds words of."""
        answer = self.browsers[who].get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return "".join(each for each in "01234" if f"Canary {each}" in answer.text or f"answer {each}." in answer.text)


@pytest.fixture(scope="module")
def place(home: Home, mount: Callable[[Home, FastAPI], Evaluation], portal: BlockingPortal) -> Iterator[Place]:
    chart = load(b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\n", "chart.csv")
    home.parts["organization"] = Organization("Club", chart)
    for name, audience in (("all.md", OPEN), ("board.md", frozenset({"b"}))):
        home.records.library.put(name, "1" * 64, None, ())
        home.records.library.set_audience(name, audience)
    results, found = results_of(home), []
    for system, (number, case) in product(("trag", "rag"), enumerate(CASES)):
        sources = tuple(Source("s", "section", name, "1", None, "Words.", 0.5) for name in SOURCES[number])
        score = Score(None if number == 1 else "Correct")
        found.append(answered(case, system, score, f"The answer {number}.", sources=sources))
    run = kept(results, CASES, found)
    audit = Audit("the chart and the documents", "shipped", 1, (SECRET,), Dropped())
    audits.save(audit, home.folder / "results")
    audited = all_wrong(results, questions.cases(audit.meanings), "finetuned")
    tested = all_wrong(needle.results_of(home), CASES[3:4], "trag-top-k2")
    CaseSets(home.folder / "cases").keep(MADE, "Chart", by="ada", chart=chart.version)
    made = all_wrong(results, MADE, "finetuned")
    with served(home, lambda app: mount(home, app)) as (client, evaluation):
        people = signed_in(home.records, client.app, PEOPLE, portal)  # type: ignore[arg-type]
        browsers = {name: browser for name, (_, browser) in people.items()}
        yield Place(home.folder, run, made, audited, tested, results, evaluation, browsers)


@pytest.mark.parametrize("who", OPEN_TO)
def test_a_page_of_answers_holds_those_that_are_open_to_who_looks(place: Place, who: str) -> None:
    path = f"/quality/runs/{place.run.id}"
    assert place.canaries(who, path) == OPEN_TO[who]
    assert place.canaries(who, f"/quality/compare?before={place.run.id}/rag&after={place.run.id}/trag") == OPEN_TO[who]
    for number in range(10):
        answer = place.browsers[who].get(f"{path}/answers/{number}")
        assert answer.status_code == (200 if str(number % 5) in OPEN_TO[who] else 404), number
        if answer.status_code == 200:
            assert place.canaries(who, f"{path}/answers/{number}") == str(number % 5)
            for link in BeautifulSoup(answer.text, "html.parser").select(".head-acts a, .others a"):
                assert place.browsers[who].get(str(link["href"])).status_code == 200


def test_a_reviewer_sees_all_figures_and_judges_what_is_open(place: Place) -> None:
    rita, path = place.browsers["rita"], f"/quality/runs/{place.run.id}"
    for each in ("/quality", f"{path}/report.md"):
        assert place.canaries("rita", each) == ""
    page = soup(rita, path)
    assert "4 of 4" in words(page, "[data-plot=shares] .said"), "the figures are of every answer"
    assert "8 answers are left out here" in page.get_text()
    assert not page.select("[action$=remove], [action$=resume]")
    for number, verdict, status in (("1", "Correct", 404), ("3", "Incorrect", 404), ("0", "Incorrect", 200)):
        assert rita.post(f"{path}/answers/{number}/label", data={"verdict": verdict}).status_code == status
    judged = [each.score.verdict for each in place.results.results(place.run.id)][:4]
    assert judged == ["Incorrect", None, "Correct", "Correct"]


def test_what_was_made_from_the_chart_is_open_to_everybody_who_judges_and_stays_so(place: Place) -> None:
    path = f"/quality/runs/{place.made.id}/answers/0"
    assert "Canary 5" in place.browsers["rita"].get(path).text
    sets = CaseSets(place.folder / "cases")
    again = sets.keep(MADE, "taken out and uploaded again", by="olga")
    assert "Canary 5" in place.browsers["rita"].get(path).text
    sets.remove(again.id)
    assert place.browsers["rita"].get(path).status_code == 404, "nobody knows any more what it was made from"
    assert "Canary 5" in place.browsers["olga"].get(path).text


def test_files_that_hold_everything_are_for_an_admin(place: Place) -> None:
    for end in ("answers.csv", "run.json"):
        for who, status in (("rita", 403), ("ada", 200)):
            assert place.browsers[who].get(f"/quality/runs/{place.run.id}/{end}").status_code == status


def test_somebody_to_whom_a_document_is_closed_begins_nothing_and_adds_no_question(place: Place) -> None:
    """Their question, with the answer that they suspect, would be answered from what is closed, and its share of right
    answers would tell whether they are right."""
    rita, before = place.browsers["rita"], {*(place.folder / "cases").glob("*")}
    suspected = write([Case("x", "Is the Bar closing?", "simple", polarity="yes")])
    for path, body in (
        ("runs", b"system=trag&set=" + b"0" * 64),
        (f"runs/{place.run.id}/resume", b""),
        ("cases?name=exam.jsonl", suspected),
        ("audits", b"system=trag"),
        ("needles", b"set=" + b"0" * 64),
    ):
        answer = rita.post(f"/quality/{path}", content=body, headers=FORM)
        assert (answer.status_code, "Some documents are not open to you" in answer.text) == (403, True), path
        assert place.evaluation.now is None
    assert {*(place.folder / "cases").glob("*")} == before
    page = soup(rita, "/quality")
    assert "Somebody who may read all of them can do it" in words(page, "#limited")
    assert not page.select("form, [data-questions], a[href='#new']")


def test_a_reviewer_to_whom_all_is_open_measures_and_removes_nothing(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    olga = place.browsers["olga"]
    upload = olga.post("/quality/cases?name=exam.jsonl", content=write(CASES))
    assert upload.status_code == 201
    assert olga.post("/quality/cases/chart", data={"number": "2", "seed": "1"}).status_code == 200
    assert olga.get("/quality/sample.jsonl").status_code == 200
    kept_set = str(upload.json()["page"]).partition("=")[2].partition("#")[0]
    page = soup(olga, "/quality")
    acts = {str(form.get("action")) for form in page.select("form[method=post]")}
    assert acts == {"/quality/runs", "/quality/cases/chart", "/quality/audits", "/quality/needles"}
    assert not page.select("[download], .danger, #limited")
    for path, form in (
        ("runs", {"set": kept_set, "system": "trag"}),
        ("audits", {"system": "trag"}),
        ("needles", {"set": kept_set}),
    ):
        assert "No model here." in told(olga, olga.post(f"/quality/{path}", data=form).status_code)
        assert olga.post("/quality/stop").status_code == 200
        assert "Dismiss" in olga.get("/quality/progress").text
        assert "<form" not in place.browsers["rita"].get("/quality/progress").text
        assert olga.post("/quality/dismiss").status_code == 200
        assert place.evaluation.now is None
    begun = ["an evaluation", "a self-audit", "a needle test"]
    assert [each for each in caplog.messages if "began" in each] == [f"olga began {each}" for each in begun]
    for path in (f"cases/{kept_set}/remove", f"runs/{place.run.id}/remove", f"needles/{place.needle.id}/remove"):
        assert olga.post(f"/quality/{path}").status_code == 403
    assert olga.get(f"/quality/cases/{kept_set}.jsonl").status_code == 403


def told(browser: TestClient, status: int) -> str:
    """What is said at the place of progress, once what was begun is over."""
    assert status == 200
    for _ in range(500):
        page = soup(browser, "/quality/progress")
        if page.select("[data-over=True]"):
            return words(page, ".what")
    pytest.fail("it is never over")


def test_an_audit_shows_its_questions_to_those_alone_who_may_read_every_document(place: Place) -> None:
    for who, seen in (("ada", True), ("olga", True), ("rita", False)):
        for end in ("audit", "audit.md"):
            answer = place.browsers[who].get(f"/quality/runs/{place.audit.id}/{end}")
            assert (answer.status_code, "Weak module" in answer.text) == (200, True), (who, end)
            shown = {one: one in answer.text for one in ("Canary 9", "word of the Vault")}
            assert {*shown.values()} == {seen}, (who, end, shown)
    listed = soup(place.browsers["rita"], "/quality")
    assert listed.select(f"#audits a[href='/quality/runs/{place.audit.id}/audit']")
    assert listed.select(f"#needles a[href='/quality/needles/{place.needle.id}']")


def test_a_needle_test_shows_figures_and_no_words_to_anybody(place: Place) -> None:
    for who in place.browsers:
        for end in ("", "/report.md"):
            answer = place.browsers[who].get(f"/quality/needles/{place.needle.id}{end}")
            assert "T-RAG, k = 2 (1 question)" in answer.text, (who, end)
            assert not [one for one in ("Canary", CASES[3].question, "No idea") if one in answer.text]


def test_a_run_that_is_no_audit_has_no_page_of_one(place: Place) -> None:
    for end in ("audit", "audit.md"):
        assert place.browsers["ada"].get(f"/quality/runs/{place.run.id}/{end}").status_code == 404
    assert place.browsers["ada"].get("/quality/needles/20260101-000000").status_code == 404
    page = soup(place.browsers["ada"], f"/quality/runs/{place.audit.id}")
    assert page.select(f"a[href='/quality/runs/{place.audit.id}/audit']")


def test_a_needle_test_is_removed_by_an_admin(place: Place) -> None:
    ada, path = place.browsers["ada"], f"/quality/needles/{place.needle.id}"
    assert "The needle test of &lt;i&gt;One&lt;/i&gt; evil.example is removed." in ada.post(f"{path}/remove").text
    assert (ada.get(path).status_code, ada.post(f"{path}/remove").status_code) == (404, 404)
