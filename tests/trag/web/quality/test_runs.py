"""The pages of runs, self-audits and needle tests over a real home, through the gate: what they show, compare, keep and
give out."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.pages import soup, texts
from trag.evaluate import needle, running
from trag.evaluate.cases import Case, Some, sha256_of, write
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import questions
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import Dropped, Meaning
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home
from trag.record import AnswerRecord, CheckedSentence, Checks, Misplaced, ModelUsed, Source
from trag.web.quality import render
from trag.web.quality.context import QualityContext

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7001*7003}} evil.example"""
FORMULA = "=HYPERLINK(1)"

MODEL = ModelUsed("tiny <b>", "a" * 64, "evil.example.gguf")
CASES = (
    Case("one", "Who runs the bar?", "simple", "The Board runs it.", gold=(("Board", "the board"),), group="bar"),
    Case("two", "Which teams are there?", "list", units=("Bar", "Kitchen"), some=(Some(("Bar",), 1),)),
    Case("three", HOSTILE, HOSTILE, HOSTILE, gold=((HOSTILE,),), forbidden=(HOSTILE,), document=HOSTILE),
    Case("four", "Where is the safe?", "unanswerable", refuse=True),
)
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
SCORES = {
    "trag": (Score("Correct"), Score("Correct-Verbose", ("besides: Club",), 0.5, 1.0), Score(None), Score("Correct")),
    "rag": (Score("Incorrect", (HOSTILE,)), Score("Incorrect", (), 0.0, 0.0), Score(None), Score("Correct")),
    "trag:base": (Score("Incorrect"), Score("Correct", (), 1.0, 1.0), Score(None), Score("Incorrect")),
}


def record(case: Case, system: str) -> AnswerRecord:
    said = HOSTILE if case.id == "three" else FORMULA if case.id == "two" else f"An answer of {system}."
    source = Source("s1", "section", "rules.md <i>", HOSTILE, 2, f"{said} More.", 0.7)
    checks = Checks(
        (CheckedSentence(said, True, "s1"),), (Misplaced(HOSTILE, HOSTILE, HOSTILE),), (HOSTILE,), chart="0123456789ab"
    )
    return AnswerRecord(
        "r" * 8, case.question, case.question, said, "answered", MODEL, sources=(source,), checks=checks
    )


def results(*systems: str) -> list[Result]:
    return [
        Result(system, case, record(case, system), score)
        for system in systems
        for case, score in zip(CASES, SCORES[system], strict=True)
    ]


def keep(store: Results, found: Sequence[Result], *, day: int, name: str = "Exam", whole: bool = True) -> Run:
    systems = tuple(dict.fromkeys(result.system for result in found))
    at = START + timedelta(days=day)
    total = len(systems) * len(CASES)
    planned = Run("", name, sha256_of(CASES), systems, at, None, "abc123", MODEL, "0123456789ab", total)
    run = store.begin(planned, CASES)
    for result in found:
        store.add(run, result)
    return store.finish(run) if whole else run


@pytest.fixture
def store(home: Home, client: TestClient) -> Results:
    return Results(home.folder / "results")


def test_every_run_is_listed_with_what_it_was_made_with(client: TestClient, store: Results, home: Home) -> None:
    keep(store, results("trag", "rag", "trag:base"), day=0)
    part = keep(store, results("trag")[:1], day=1, name="Part", whole=False)
    damaged = keep(store, results("trag"), day=2, name="Damaged")
    (home.folder / "results" / damaged.id / "results.jsonl").write_text("{}\n")
    page = soup(client, "/quality")
    rows = page.select(".runs tbody tr")
    assert [texts(row, "th a")[0] for row in rows] == ["Damaged", "Part", "Exam"]
    assert "is damaged in line 1" in texts(rows[0], "th")[0]
    assert "not finished, 1 of 4 answers" in texts(rows[1], "th")[0]
    assert texts(rows[2], ".share") == ["rag 33.3% of 3", "trag 100.0% of 3", "trag:base 33.3% of 3"]
    assert texts(rows[2], ".with")[0] == "tiny <b> with evil.example.gguf chart 0123456789ab commit abc123"
    assert [bool(row.select("form[action$=resume]")) for row in rows] == [False, True, False]
    assert page.select(f"form[action='/quality/runs/{part.id}/resume']")


def test_many_runs_are_turned_page_by_page(client: TestClient, store: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(3):
        keep(store, results("trag")[:1], day=day, name=f"Exam {day}")
    monkeypatch.setattr(render, "MOST", 2)
    page = soup(client, "/quality")
    assert texts(page, ".runs th a") == ["Exam 2", "Exam 1"]
    assert texts(page, "#all-runs") == ["3 runs"]
    page = soup(client, str(page.select("a[rel=next]")[0]["href"]))
    assert texts(page, ".runs th a") == ["Exam 0"]


def test_the_plot_of_a_run_shows_its_figures_and_has_them_as_a_table(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag", "rag"), day=0)
    page = soup(client, f"/quality/runs/{run.id}")
    bars = {str(svg["data-system"]): svg for svg in page.select("[data-plot=shares] .track")}
    drawn = {system: str(svg.select("rect")[0]["width"]) for system, svg in bars.items()}
    assert drawn == {"rag": "33.33%", "trag": "100.00%"}
    whisker = bars["rag"].select(".whisker")[0]
    assert (whisker["x1"], whisker["x2"]) == ("6.15%", "79.23%")  # Wilson's interval of 1 of 3
    twin = [texts(row, "th, td") for row in page.select("[data-plot=shares] tbody tr")]
    assert twin == [
        ["rag", "1", "3", "33.3%", "6.1%", "79.2%", "1"],
        ["trag", "3", "3", "100.0%", "43.9%", "100.0%", "1"],
    ]
    assert texts(page, ".sheet h3")[0] == "Overall"
    assert len(page.select(".sheet")) == 7


def test_a_run_with_little_or_nothing_in_it_is_a_page(client: TestClient, store: Results) -> None:
    undecided, empty = keep(store, [results("trag")[2]], day=0, whole=False), keep(store, [], day=0, whole=False)
    page = soup(client, f"/quality/runs/{undecided.id}")
    assert "nothing decided yet" in page.select("[data-plot=shares]")[0].get_text()
    assert not page.select("[data-plot=shares] rect")
    assert "There is no answer yet" in soup(client, f"/quality/runs/{empty.id}").get_text()
    soup(client, "/quality")


def test_the_same_questions_asked_again_are_drawn_over_time(client: TestClient, store: Results) -> None:
    keep(store, results("rag"), day=0)
    assert "Ask the same questions again" in soup(client, "/quality").select("#over-time")[0].get_text()
    last = keep(store, results("trag", "rag"), day=1)
    page = soup(client, "/quality")
    (plot,) = page.select("[data-plot=trend]")
    points = {str(g["data-system"]): [(u["x"], u["y"]) for u in g.select("use")] for g in plot.select("g[data-system]")}
    assert points == {"rag": [("25.00%", "130.7"), ("75.00%", "130.7")], "trag": [("75.00%", "8.0")]}
    assert len(plot.select("g[data-system=rag] .way")) == 1
    shares = [texts(row, "th, td")[1:3] for row in plot.select("tbody tr")]
    assert shares == [["rag", "33.3%"], ["rag", "33.3%"], ["trag", "100.0%"]]
    assert page.select(f"#over-time a[href='/quality/runs/{last.id}']")


@pytest.mark.parametrize(
    ("query", "shown"),
    [({}, 8), ({"verdict": "Incorrect", "kind": "simple"}, 1), ({"kind": HOSTILE}, 2), ({"kind": "none of it"}, 0)],
    ids=str,
)
def test_answers_are_filtered(client: TestClient, store: Results, query: dict[str, str], shown: int) -> None:
    run = keep(store, results("trag", "rag"), day=0)
    answer = client.get(f"/quality/runs/{run.id}", params=query)
    page = BeautifulSoup(answer.text, "html.parser")
    assert len(page.select(".answer-row")) == shown
    assert texts(page, "#answers-title") == [f"{shown} answer{'' if shown == 1 else 's'}"]


def test_one_answer_is_shown_with_its_gold_its_checks_and_its_sources(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag", "rag"), day=0)
    page = soup(client, f"/quality/runs/{run.id}/answers/4")
    assert texts(page, "h1") == ["Who runs the bar?"]
    assert texts(page, ".about .verdict") == ["Incorrect"]
    assert texts(page, ".words") == ["An answer of rag.1"]
    assert dict(zip(texts(page, "dt"), texts(page, "dd"), strict=True)) == {
        "Answer": "The Board runs it.",
        "Must hold": "Board / the board",
    }
    assert texts(page, ".others li") == ["trag Correct"]
    assert "is said to be under" in texts(page, ".answer .caution")[0]
    assert texts(page, ".sources .withdrawn") == ["withdrawn"]
    second = soup(client, f"/quality/runs/{run.id}/answers/1")
    assert {"The units", "At least 1 of"} <= set(texts(second, "dt"))
    assert client.get(f"/quality/runs/{run.id}/answers/8").status_code == 404


@pytest.mark.parametrize("part", [{}, {"part": "row"}], ids=["the page", "its row"])
def test_people_decide_what_the_gold_leaves_open(client: TestClient, store: Results, part: dict[str, str]) -> None:
    run = keep(store, results("trag"), day=0)
    assert texts(soup(client, "/quality"), ".share") == ["trag 100.0% of 3"]
    page = soup(client, f"/quality/runs/{run.id}")
    assert "1 answer waits for your verdict" in page.get_text()
    assert [str(form["action"]) for form in page.select(".judge")] == [f"/quality/runs/{run.id}/answers/2/label"]
    answer = client.post(f"/quality/runs/{run.id}/answers/2/label", data={"verdict": "Incorrect"} | part)
    assert texts(BeautifulSoup(answer.text, "html.parser"), ".about .verdict") == ["Incorrect"]
    assert store.results(run.id)[2].score.verdict == "Incorrect"
    assert texts(soup(client, "/quality"), ".share") == ["trag 75.0% of 4"]


@pytest.mark.parametrize(("number", "verdict"), [("2", "Perfect"), ("2", ""), ("4", "Correct")])
def test_nonsense_is_no_verdict(client: TestClient, store: Results, number: str, verdict: str) -> None:
    run = keep(store, results("trag"), day=0)
    answer = client.post(f"/quality/runs/{run.id}/answers/{number}/label", data={"verdict": verdict})
    assert answer.status_code == 404
    assert store.results(run.id)[2].score.verdict is None


def test_two_systems_are_compared_question_by_question(client: TestClient, store: Results) -> None:
    first, second = keep(store, results("rag"), day=0), keep(store, results("trag", "trag:base"), day=1)
    page = soup(client, f"/quality/compare?before={first.id}/rag&after={second.id}/trag")
    facts = dict(zip(texts(page, ".outcome dt"), texts(page, ".outcome dd"), strict=True))
    assert facts == {"Before": "33.3%", "After": "100.0%", "Better": "2", "Worse": "0", "Same": "1"}
    assert "p = 0.500" in page.select(".outcome")[0].get_text()
    assert texts(page, ".tabs a") == ["All 4", "Better 2", "Worse 0", "Same 1", "Undecided 1"]
    assert texts(page, ".compared .change") == ["Better", "Better", "Same", "Undecided"]
    row = page.select(".compared")[0]
    assert texts(row, ".side .verdict") == ["Incorrect", "Correct"]
    assert texts(row, ".side .reply") == ["An answer of rag.", "An answer of trag."]
    assert [str(link["href"]) for link in row.select(".side a")] == [
        f"/quality/runs/{first.id}/answers/0",
        f"/quality/runs/{second.id}/answers/0",
    ]
    worse = f"/quality/compare?before={second.id}/trag&after={second.id}/trag:base&change=worse&kind=simple"
    assert len(soup(client, worse).select(".compared")) == 1
    verbose = f"/quality/compare?before={first.id}/rag&after={second.id}/trag&verdict=Correct-Verbose"
    assert texts(soup(client, verbose), ".compared .question")[0].startswith("Better Which teams")
    chosen = soup(client, "/quality/compare").select("option[selected]")
    assert [str(each["value"]) for each in chosen][:2] == [f"{second.id}/trag:base", f"{second.id}/trag"]
    assert client.get(f"/quality/compare?before=x&after={second.id}/trag").status_code == 404


def test_another_set_has_nothing_in_common(client: TestClient, store: Results) -> None:
    first = keep(store, results("rag")[:2], day=0, whole=False)
    second = keep(store, results("trag")[2:], day=1, whole=False)
    page = soup(client, f"/quality/compare?before={first.id}/rag&after={second.id}/trag")
    assert "no question in common" in texts(page, ".notice")[0]


def test_a_run_leaves_as_markdown_as_a_guarded_table_and_as_json(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag"), day=0, name="../Exam\r\n<b>")
    markdown, table, whole = (
        client.get(f"/quality/runs/{run.id}/{name}") for name in ("report.md", "answers.csv", "run.json")
    )
    for answer in (markdown, table, whole):
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith("attachment; filename=")
        assert not set("/<\r\n") & set(disposition.partition("filename*")[0])
    assert "### Overall" in markdown.text
    assert "<script" not in markdown.text
    header, *rows = csv.reader(io.StringIO(table.content.decode("utf-8-sig")))
    assert [row[header.index("answer")] for row in rows][1] == f"'{FORMULA}"
    assert json.loads(whole.text)["results"][2]["record"]["answer"] == HOSTILE


def test_a_run_is_removed(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag"), day=0)
    assert "is removed" in client.post(f"/quality/runs/{run.id}/remove").text
    assert store.runs() == ()


LOOKED_AT = ("", "/report.md", "/answers.csv", "/run.json", "/answers/0", "/audit", "/audit.md")
CHANGED = ("/remove", "/resume", "/answers/0/label")


@pytest.mark.parametrize(
    ("method", "path"), [*(("GET", path) for path in LOOKED_AT), *(("POST", path) for path in CHANGED)]
)
def test_a_run_that_is_gone_is_not_found(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, f"/quality/runs/20260101-000000{path}").status_code == 404


def test_a_run_that_a_gate_fills_is_not_removed(
    client: TestClient, store: Results, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep(store, results("trag")[:1], day=0, name="Gate of 20260105-0a0a0a0a", whole=False)
    assert soup(client, f"/quality/runs/{run.id}").select("form[action$=resume], form[action$=remove]")
    monkeypatch.setattr(running, "_filled", {(home.folder, run.id)})
    page = soup(client, f"/quality/runs/{run.id}")
    assert not page.select("form[action$=resume], form[action$=remove], #progress")
    answer = client.post(f"/quality/runs/{run.id}/remove")
    assert (answer.status_code, "Stop it first" in answer.text) == (409, True)
    assert store.run(run.id)


PAGES: dict[str, Callable[[Run, Run], str]] = {
    "list": lambda first, second: "/quality",
    "run": lambda first, second: f"/quality/runs/{first.id}",
    "answer": lambda first, second: f"/quality/runs/{first.id}/answers/2",
    "wrong answer": lambda first, second: f"/quality/runs/{second.id}/answers/0",
    "compare": lambda first, second: f"/quality/compare?before={second.id}/rag&after={first.id}/trag",
}


@pytest.mark.parametrize("name", PAGES)
def test_words_of_others_are_shown_as_text_in_their_own_direction(
    client: TestClient, store: Results, undirected: Callable[[BeautifulSoup], list[str]], name: str
) -> None:
    hostile = [replace(result, record=replace(result.record, answer=HOSTILE)) for result in results("rag")]
    second = keep(store, hostile, day=0, name=HOSTILE)
    first = keep(store, results("trag"), day=1, name=HOSTILE)
    answer = client.post("/quality/cases", params={"name": f"{HOSTILE}.jsonl"}, content=write(CASES))
    assert answer.status_code == 201, answer.text
    page = soup(client, PAGES[name](first, second))
    assert not [script for script in page.select("script") if "alert" in script.get_text()]
    assert not page.select("img, b, i, [onerror]")
    assert "evil.example" in page.get_text()
    assert "49028003" not in page.select("main")[0].get_text()
    assert not undirected(page)


def test_an_audit_says_which_part_is_weak_and_shows_words_of_others_as_text(
    client: TestClient,
    home: Home,
    store: Results,
    all_wrong: Callable[..., Run],
    undirected: Callable[[BeautifulSoup], list[str]],
) -> None:
    texts_of_it = tuple(f"{HOSTILE} {number}?" for number in range(2))
    meaning = Meaning("01-01", "SELECT", ("Bar",), HOSTILE, ((HOSTILE,),), texts_of_it[:1], texts_of_it[1:])
    audit = Audit(HOSTILE, HOSTILE, 1, (meaning,), Dropped())
    audits.save(audit, home.folder / "results")
    run = all_wrong(store, questions.cases(audit.meanings), "trag", said=HOSTILE)
    page = soup(client, f"/quality/runs/{run.id}/audit")
    assert texts(page, ".weak .lead") == ["Of 2 wrong answers, 2 are owed to the documents."]
    found = ["The documents 2 retrieval database", "The search 0 retrieval", "The model 0 language model"]
    assert texts(page, ".weak dt") == found
    assert texts(page, ".sheet h3")[-1] == "Answered wrongly"
    assert texts(page, ".sheet:last-child tbody td")[1:3] == ["gap", "0/2"]
    assert f"Of {HOSTILE}" in texts(page, ".sheet .note")[-1]
    markdown = client.get(f"/quality/runs/{run.id}/audit.md")
    assert "| language model | 0 | 0% |" in markdown.text
    assert "<script" not in markdown.text
    for each in (page, soup(client, "/quality")):
        assert not each.select("img, main script, [onerror]")
        assert not undirected(each)
    part = all_wrong(store, questions.cases(audit.meanings), "trag", answers=0)
    page = soup(client, f"/quality/runs/{part.id}/audit")
    assert "no answer yet" in page.get_text()
    assert page.select(f"form[action='/quality/runs/{part.id}/resume']")
    listed = texts(soup(client, "/quality"), "#audits li")
    assert ["not finished, 0 of 2 answers" in each for each in listed] == [True, False]


def test_a_needle_test_is_shown_downloaded_and_removed(
    client: TestClient, home: Home, all_wrong: Callable[..., Run], undirected: Callable[[BeautifulSoup], list[str]]
) -> None:
    tests = needle.results_of(home)
    whole = all_wrong(tests, CASES[:1], "trag-top-k2")
    part = all_wrong(tests, CASES[:2], "trag-top-k2", answers=1)
    page = soup(client, f"/quality/needles/{whole.id}")
    assert texts(page, ".sheet tbody tr:first-child > *") == ["Top", "0 (0.0%)", "-"]
    assert "Not finished" in soup(client, f"/quality/needles/{part.id}").get_text()
    assert "| Top | 0 (0.0%) | - |" in client.get(f"/quality/needles/{whole.id}/report.md").text
    for each in (page, soup(client, "/quality")):
        assert not each.select("img, main script, [onerror]")
        assert not undirected(each)
    listed = texts(soup(client, "/quality"), "#needles li")
    assert sorted("not finished, 1 of 2 answers" in each for each in listed) == [False, True]
    assert "is removed" in client.post(f"/quality/needles/{whole.id}/remove").text
    assert [run.id for run in tests.runs()] == [part.id]


def test_a_needle_test_that_may_be_running_is_not_removed(
    client: TestClient, home: Home, all_wrong: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = all_wrong(needle.results_of(home), CASES[:2], "trag-top-k2", answers=1)
    monkeypatch.setattr(QualityContext, "is_needle_running", lambda context: True)
    answer = client.post(f"/quality/needles/{run.id}/remove")
    assert (answer.status_code, "Stop it first" in answer.text) == (409, True)
    assert needle.results_of(home).run(run.id)
