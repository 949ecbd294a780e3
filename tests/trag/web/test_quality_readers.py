"""What a reviewer sees of the evaluations, which read every document: the figures, and no words that are for others."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from fastapi import FastAPI
from starlette.testclient import TestClient

from org.chart import load
from store.passage import OPEN
from store.person import Newcomer
from trag.asking import Organization
from trag.evaluate.cases import Case
from trag.evaluate.running import results_of
from trag.evaluate.runs import Result, Results, Run, sha256_of
from trag.evaluate.scoring import Score
from trag.home import open_home
from trag.record import AnswerRecord, ModelUsed, Source
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.door import Door
from trag.web.quality import page as quality

MODEL = ModelUsed("tiny", "a" * 64, "")
CASES = (
    Case("0", "Open?", "document", "Canary 0.", gold=(("Canary 0",),), document="all.md"),
    Case("1", "Closed by its source?", "simple", "Canary 1."),
    Case("2", "Closed by its question?", "document", "Canary 2.", document="board.md"),
    Case("3", "About the chart?", "simple", "Canary 3."),
    Case("4", "About anything?", "document", "Canary 4."),
)
SOURCES = (("all.md",), ("board.md",), ("all.md",), (), ("all.md",))
OPEN_TO = {"ada": "01234", "rita": "03"}


@dataclass
class Place:
    """A run of every case by two systems, and who looks at it."""

    run: Run
    results: Results
    browsers: dict[str, TestClient]

    def canaries(self, who: str, path: str) -> str:
        """The numbers of the answers and of the cases that a page holds words of."""
        answer = self.browsers[who].get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return "".join(each for each in "01234" if f"Canary {each}" in answer.text or f"answer {each}." in answer.text)


@pytest.fixture(scope="module")
def place(empty_database: Path, tmp_path_factory: pytest.TempPathFactory, portal: BlockingPortal) -> Iterator[Place]:
    folder = Path(shutil.copy(empty_database, tmp_path_factory.mktemp("home"))).parent
    with open_home(Settings(home=folder)) as home:
        chart = load(b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\n", "chart.csv")
        home.__dict__["organization"] = Organization("Club", chart)
        for name, audience in (("all.md", OPEN), ("board.md", frozenset({"b"}))):
            home.records.library.put(name, "1" * 64, None, ())
            home.records.library.set_audience(name, audience)
        results = results_of(home)
        at = datetime(2026, 1, 5, 9, tzinfo=UTC)
        planned = Run("", "Exam", sha256_of(CASES), ("trag", "rag"), at, None, "c0", MODEL, "", 10)
        run = results.begin(planned, CASES)
        for system in run.systems:
            for number, case in enumerate(CASES):
                sources = tuple(Source("s", "section", name, "1", None, "Words.", 0.5) for name in SOURCES[number])
                words = f"The answer {number}."
                record = AnswerRecord(case.id, case.question, case.question, words, "answered", MODEL, sources=sources)
                results.add(run, Result(system, case, record, Score(None if number == 1 else "Correct")))
        run = results.finish(run)
        app = FastAPI()
        app.add_middleware(Gate, door=Door(home.records, home.settings))
        evaluation = quality.mount(app, home, ready=lambda: None, busy=lambda: False)
        browsers = {}
        for name, role in (("ada", "admin"), ("rita", "reviewer")):
            person = home.records.people.add(Newcomer(name, role=role, state="active"), by="test")  # type: ignore[arg-type]
            cookies = {"trag": home.records.sessions.begin(person.id)[0]}
            browsers[name] = TestClient(app, base_url="http://127.0.0.1:7860", cookies=cookies)
            browsers[name].portal = portal
        yield Place(run, results, browsers)
        evaluation.close()


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
    page = BeautifulSoup(rita.get(path).text, "html.parser")
    assert "4 of 4" in page.select("[data-plot=shares] .said")[0].get_text(), "the figures are of every answer"
    assert "6 answers are left out here" in page.get_text()
    assert not page.select("[action$=remove], [action$=resume]")
    assert not BeautifulSoup(rita.get("/quality").text, "html.parser").select("form")
    assert rita.post(f"{path}/answers/1/label", data={"verdict": "Correct"}).status_code == 404
    assert rita.post(f"{path}/answers/3/label", data={"verdict": "Incorrect"}).status_code == 200
    assert [each.score.verdict for each in place.results.results(place.run.id)][:4] == [
        "Correct",
        None,
        "Correct",
        "Incorrect",
    ]


@pytest.mark.parametrize("path", ["/answers.csv", "/run.json"])
def test_files_that_hold_everything_are_for_an_admin(place: Place, path: str) -> None:
    assert place.browsers["rita"].get(f"/quality/runs/{place.run.id}{path}").status_code == 403
    assert place.browsers["ada"].get(f"/quality/runs/{place.run.id}{path}").status_code == 200
