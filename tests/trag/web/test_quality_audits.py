"""The pages of the self-audits and of the needle tests, through the gate: what they show, give out and keep."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from trag.evaluate import needle
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import questions
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import Dropped, Meaning
from trag.evaluate.running import results_of
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home, open_home
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.quality import page as quality
from trag.web.quality.needles import NeedlePage

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}} evil.example"""
MODEL = ModelUsed("tiny <b>", "a" * 64, "evil.example.gguf")
CASES = (Case("one", "Who runs the bar?", "simple", "The Board."), Case("two", HOSTILE, "simple", HOSTILE))
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(empty_database, folder)
    with open_home(Settings(home=folder)) as home:
        yield home


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(home.records, home.settings), functions={})
    evaluation = quality.mount(app, home, ready=lambda: None, busy=lambda: False)
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
        yield client
    evaluation.close()


def soup(client: TestClient, path: str = "/quality") -> BeautifulSoup:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return BeautifulSoup(answer.text, "html.parser")


def texts(page: BeautifulSoup | Tag, selector: str) -> list[str]:
    return [" ".join(each.get_text().split()) for each in page.select(selector)]


def all_wrong(store: Results, cases: Sequence[Case], system: str, *, answers: int) -> Run:
    """A run with so many answers, none of them right."""
    planned = Run("", HOSTILE, sha256_of(cases), (system,), START, None, "abc123", MODEL, "0123456789ab", len(cases))
    run = store.begin(planned, cases)
    for case in cases[:answers]:
        store.add(
            run,
            Result(
                system,
                case,
                AnswerRecord("r", case.question, case.question, HOSTILE, "answered", MODEL),
                Score("Incorrect"),
            ),
        )
    return store.finish(run) if answers == len(cases) else run


def test_an_audit_says_which_part_is_weak_and_shows_words_of_others_as_text(
    client: TestClient, home: Home, undirected: Callable[[BeautifulSoup], list[str]]
) -> None:
    store = results_of(home)
    texts_of_it = tuple(f"{HOSTILE} {number}?" for number in range(2))
    meaning = Meaning("01-01", "SELECT", ("Bar",), HOSTILE, ((HOSTILE,),), texts_of_it[:1], texts_of_it[1:])
    audit = Audit(HOSTILE, HOSTILE, 1, (meaning,), Dropped())
    audits.save(audit, home.folder / "results")
    run = all_wrong(store, questions.cases(audit.meanings), "trag", answers=2)
    page = soup(client, f"/quality/runs/{run.id}/audit")
    assert texts(page, ".weak .lead") == ["Of 2 wrong answers, 2 are owed to the documents."]
    assert texts(page, ".weak dt") == [
        "The documents 2 retrieval database",
        "The search 0 retrieval",
        "The model 0 language model",
    ]
    assert texts(page, ".sheet h3")[-1] == "Answered wrongly"
    assert texts(page, ".sheet:last-child tbody td")[1:3] == ["gap", "0/2"]
    assert f"Of {HOSTILE}" in texts(page, ".sheet .note")[-1]
    markdown = client.get(f"/quality/runs/{run.id}/audit.md")
    assert "| language model | 0 | 0% |" in markdown.text
    assert "<script" not in markdown.text
    for each in (page, soup(client)):
        assert not each.select("img, main script, [onerror]")
        assert not undirected(each)
    part = all_wrong(store, questions.cases(audit.meanings), "trag", answers=0)
    page = soup(client, f"/quality/runs/{part.id}/audit")
    assert "no answer yet" in page.get_text()
    assert page.select(f"form[action='/quality/runs/{part.id}/resume']")
    listed = texts(soup(client), "#audits li")
    assert ["not finished, 0 of 2 answers" in each for each in listed] == [True, False]


def test_a_needle_test_is_shown_downloaded_and_removed(
    client: TestClient, home: Home, undirected: Callable[[BeautifulSoup], list[str]]
) -> None:
    tests = needle.results_of(home)
    whole = all_wrong(tests, CASES[:1], "trag-top-k2", answers=1)
    part = all_wrong(tests, CASES[:2], "trag-top-k2", answers=1)
    page = soup(client, f"/quality/needles/{whole.id}")
    assert texts(page, ".sheet tbody tr:first-child > *") == ["Top", "0 (0.0%)", "-"]
    assert "Not finished" in soup(client, f"/quality/needles/{part.id}").get_text()
    assert "| Top | 0 (0.0%) | - |" in client.get(f"/quality/needles/{whole.id}/report.md").text
    for each in (page, soup(client)):
        assert not each.select("img, main script, [onerror]")
        assert not undirected(each)
    listed = texts(soup(client), "#needles li")
    assert sorted("not finished, 1 of 2 answers" in each for each in listed) == [False, True]
    assert "is removed" in client.post(f"/quality/needles/{whole.id}/remove").text
    assert [run.id for run in tests.runs()] == [part.id]


def test_a_needle_test_that_may_be_running_is_not_removed(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = all_wrong(needle.results_of(home), CASES[:2], "trag-top-k2", answers=1)
    monkeypatch.setattr(NeedlePage, "_is_going", lambda page: True)
    answer = client.post(f"/quality/needles/{run.id}/remove")
    assert (answer.status_code, "Stop it first" in answer.text) == (409, True)
    assert needle.results_of(home).run(run.id)
