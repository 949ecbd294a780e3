"""The pages of runs, self-audits and needle tests over a real home, through the gate: what they show, compare, keep and
give out."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.pages import parsed, soup, texts
from tests.trag.web.quality.conftest import all_wrong, answered, kept
from trag.evaluate import needle, running
from trag.evaluate.cases import Case, Some, write
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import questions
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import Dropped, Meaning
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home
from trag.record import CheckedSentence, Checks, Misplaced, Source
from trag.web.quality import render
from trag.web.quality.context import QualityContext

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7001*7003}} evil.example"""
FORMULA = "=HYPERLINK(1)"

CASES = (
    Case("one", "Who runs the bar?", "simple", "The Board runs it.", gold=(("Board", "the board"),), group="bar"),
    Case("two", "Which teams are there?", "list", units=("Bar", "Kitchen"), some=(Some(("Bar",), 1),)),
    Case("three", HOSTILE, HOSTILE, HOSTILE, gold=((HOSTILE,),), forbidden=(HOSTILE,), document=HOSTILE),
    Case("four", "Where is the safe?", "unanswerable", refuse=True),
)
SCORES = {
    "trag": (Score("Correct"), Score("Correct-Verbose", ("besides: Club",), 0.5, 1.0), Score(None), Score("Correct")),
    "rag": (Score("Incorrect", (HOSTILE,)), Score("Incorrect", (), 0.0, 0.0), Score(None), Score("Correct")),
    "trag:base": (Score("Incorrect"), Score("Correct", (), 1.0, 1.0), Score(None), Score("Incorrect")),
}


def results(*systems: str, **said: str) -> list[Result]:
    """What systems answered; what is `said` to a case, by its id."""
    found = []
    for system, case in product(systems, CASES):
        words = {"two": FORMULA, "three": HOSTILE} | said
        text, quoted = words.get(case.id, f"An answer of {system}."), Misplaced(HOSTILE, HOSTILE, HOSTILE)
        source = Source("s1", "section", "rules.md <i>", HOSTILE, 2, f"{text} More.", 0.7)
        checks = Checks((CheckedSentence(text, True, "s1"),), (quoted,), (HOSTILE,), chart="0123456789ab")
        score = SCORES[system][CASES.index(case)]
        found.append(answered(case, system, score, text, sources=(source,), checks=checks))
    return found


def keep(store: Results, found: Sequence[Result], *, day: int = 0, name: str = "Exam") -> Run:
    return kept(store, CASES, found, day=day, name=name)


@pytest.fixture
def store(home: Home, client: TestClient) -> Results:
    return Results(home.folder / "results")


def test_every_run_is_listed_with_what_it_was_made_with(client: TestClient, store: Results, home: Home) -> None:
    keep(store, results("trag", "rag", "trag:base"))
    part = keep(store, results("trag")[:1], day=1, name="Part")
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
    assert (texts(page, ".runs th a"), texts(page, "#all-runs")) == (["Exam 2", "Exam 1"], ["3 runs"])
    page = soup(client, str(page.select("a[rel=next]")[0]["href"]))
    assert texts(page, ".runs th a") == ["Exam 0"]


def test_the_plot_of_a_run_shows_its_figures_and_has_them_as_a_table(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag", "rag"))
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
    undecided, empty = keep(store, [results("trag")[2]]), keep(store, [])
    page = soup(client, f"/quality/runs/{undecided.id}")
    assert "nothing decided yet" in page.select("[data-plot=shares]")[0].get_text()
    assert not page.select("[data-plot=shares] rect")
    assert "There is no answer yet" in soup(client, f"/quality/runs/{empty.id}").get_text()
    soup(client, "/quality")


def test_the_same_questions_asked_again_are_drawn_over_time(client: TestClient, store: Results) -> None:
    keep(store, results("rag"))
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


def test_answers_are_filtered(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag", "rag"))
    queries: tuple[tuple[dict[str, str], int], ...] = (
        ({}, 8),
        ({"verdict": "Incorrect", "kind": "simple"}, 1),
        ({"kind": HOSTILE}, 2),
        ({"kind": "none of it"}, 0),
    )
    for query, shown in queries:
        page = parsed(client.get(f"/quality/runs/{run.id}", params=query))
        assert len(page.select(".answer-row")) == shown, query
        assert texts(page, "#answers-title") == [f"{shown} answer{'' if shown == 1 else 's'}"]


def test_one_answer_is_shown_with_its_gold_its_checks_and_its_sources(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag", "rag"))
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
    run = keep(store, results("trag"))
    assert texts(soup(client, "/quality"), ".share") == ["trag 100.0% of 3"]
    page = soup(client, f"/quality/runs/{run.id}")
    assert "1 answer waits for your verdict" in page.get_text()
    assert [str(form["action"]) for form in page.select(".judge")] == [f"/quality/runs/{run.id}/answers/2/label"]
    answer = client.post(f"/quality/runs/{run.id}/answers/2/label", data={"verdict": "Incorrect"} | part)
    assert texts(BeautifulSoup(answer.text, "html.parser"), ".about .verdict") == ["Incorrect"]
    assert store.results(run.id)[2].score.verdict == "Incorrect"
    assert texts(soup(client, "/quality"), ".share") == ["trag 75.0% of 4"]


def test_nonsense_is_no_verdict(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag"))
    for number, verdict in (("2", "Perfect"), ("2", ""), ("4", "Correct")):
        answer = client.post(f"/quality/runs/{run.id}/answers/{number}/label", data={"verdict": verdict})
        assert answer.status_code == 404, verdict
    assert store.results(run.id)[2].score.verdict is None


def test_two_systems_are_compared_question_by_question(client: TestClient, store: Results) -> None:
    first, second = keep(store, results("rag")), keep(store, results("trag", "trag:base"), day=1)
    page = soup(client, f"/quality/compare?before={first.id}/rag&after={second.id}/trag")
    facts = dict(zip(texts(page, ".outcome dt"), texts(page, ".outcome dd"), strict=True))
    assert facts == {"Before": "33.3%", "After": "100.0%", "Better": "2", "Worse": "0", "Same": "1"}
    assert "p = 0.5," in page.select(".outcome")[0].get_text()
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
    chosen = soup(client, "/quality/compare").select("main option[selected]")
    assert [str(each["value"]) for each in chosen][:2] == [f"{second.id}/trag:base", f"{second.id}/trag"]
    assert client.get(f"/quality/compare?before=x&after={second.id}/trag").status_code == 404


def test_another_set_has_nothing_in_common(client: TestClient, store: Results) -> None:
    first, second = keep(store, results("rag")[:2]), keep(store, results("trag")[2:], day=1)
    page = soup(client, f"/quality/compare?before={first.id}/rag&after={second.id}/trag")
    assert "no question in common" in texts(page, ".notice")[0]


def test_a_run_leaves_as_markdown_as_a_guarded_table_and_as_json(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag"), name="../Exam\r\n<b>")
    given = [client.get(f"/quality/runs/{run.id}/{name}") for name in ("report.md", "answers.csv", "run.json")]
    for answer in given:
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith("attachment; filename=")
        assert not set("/<\r\n") & set(disposition.partition("filename*")[0])
    markdown, table, whole = given
    assert ("### Overall" in markdown.text, "<script" in markdown.text) == (True, False)
    rows = [*csv.DictReader(io.StringIO(table.content.decode("utf-8-sig")))]
    assert rows[1]["answer"] == f"'{FORMULA}"
    assert json.loads(whole.text)["results"][2]["record"]["answer"] == HOSTILE


def test_a_run_is_removed(client: TestClient, store: Results) -> None:
    run = keep(store, results("trag"))
    assert "is removed" in client.post(f"/quality/runs/{run.id}/remove").text
    assert store.runs() == ()


def test_a_run_that_is_gone_is_not_found(client: TestClient) -> None:
    looked_at = ("", "/report.md", "/answers.csv", "/run.json", "/answers/0", "/audit", "/audit.md")
    changed = ("/remove", "/resume", "/answers/0/label")
    for method, path in (*product(("GET",), looked_at), *product(("POST",), changed)):
        assert client.request(method, f"/quality/runs/20260101-000000{path}").status_code == 404, path


def test_a_run_that_a_gate_fills_is_not_removed(
    client: TestClient, store: Results, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep(store, results("trag")[:1], name="Gate of 20260105-0a0a0a0a")
    acts = "form[action$=resume], form[action$=remove]"
    assert soup(client, f"/quality/runs/{run.id}").select(acts)
    monkeypatch.setattr(running, "_filled", {(home.folder, run.id)})
    assert not soup(client, f"/quality/runs/{run.id}").select(f"{acts}, #progress")
    answer = client.post(f"/quality/runs/{run.id}/remove")
    assert (answer.status_code, "Stop it first" in answer.text) == (409, True)
    assert store.run(run.id)


def assert_text(page: BeautifulSoup, undirected: Callable[[BeautifulSoup], list[str]]) -> None:
    """Words of others are text, in their own direction."""
    assert not [script for script in page.select("script") if "alert" in script.get_text()]
    assert not page.select("img, b, i, [onerror]")
    assert "evil.example" in page.get_text()
    assert "49028003" not in page.select("main")[0].get_text()
    assert not undirected(page)


def test_words_of_others_are_shown_as_text_in_their_own_direction(
    client: TestClient, store: Results, undirected: Callable[[BeautifulSoup], list[str]]
) -> None:
    second = keep(store, results("rag", **{case.id: HOSTILE for case in CASES}), name=HOSTILE)
    first = keep(store, results("trag"), day=1, name=HOSTILE)
    answer = client.post("/quality/cases", params={"name": f"{HOSTILE}.jsonl"}, content=write(CASES))
    assert answer.status_code == 201, answer.text
    run, other = f"/quality/runs/{first.id}", f"/quality/runs/{second.id}"
    compare = f"/quality/compare?before={second.id}/rag&after={first.id}/trag"
    for path in ("/quality", run, f"{run}/answers/2", f"{other}/answers/0", compare):
        assert_text(soup(client, path), undirected)


def test_an_audit_says_which_part_is_weak_and_shows_words_of_others_as_text(
    client: TestClient, home: Home, store: Results, undirected: Callable[[BeautifulSoup], list[str]]
) -> None:
    asked = tuple(f"{HOSTILE} {number}?" for number in range(2))
    meaning = Meaning("01-01", "SELECT", ("Bar",), HOSTILE, ((HOSTILE,),), asked[:1], asked[1:])
    audit = Audit(HOSTILE, HOSTILE, 1, (meaning,), Dropped())
    audits.save(audit, home.folder / "results")
    run = all_wrong(store, questions.cases(audit.meanings), "trag", said=HOSTILE)
    page = soup(client, f"/quality/runs/{run.id}/audit")
    assert texts(page, ".weak .lead") == ["Of all wrong answers (2), 2 are owed to this part: The documents."]
    found = ["The documents 2 retrieval database", "The search 0 retrieval", "The model 0 language model"]
    assert texts(page, ".weak dt") == found
    assert texts(page, ".sheet h3")[-1] == "Answered wrongly"
    assert texts(page, ".sheet:last-child tbody td")[1:3] == ["gap", "0/2"]
    assert f"Of {HOSTILE}" in texts(page, ".sheet .note")[-1]
    markdown = client.get(f"/quality/runs/{run.id}/audit.md").text
    assert ("| language model | 0 | 0% |" in markdown, "<script" in markdown) == (True, False)
    for each in (page, soup(client, "/quality")):
        assert_text(each, undirected)
    part = all_wrong(store, questions.cases(audit.meanings), "trag", answers=0)
    page = soup(client, f"/quality/runs/{part.id}/audit")
    assert "no answer yet" in page.get_text()
    assert page.select(f"form[action='/quality/runs/{part.id}/resume']")
    listed = texts(soup(client, "/quality"), "#audits li")
    assert ["not finished, 0 of 2 answers" in each for each in listed] == [True, False]


def test_a_needle_test_is_shown_downloaded_and_removed_where_it_is_not_running(
    client: TestClient,
    home: Home,
    undirected: Callable[[BeautifulSoup], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tests = needle.results_of(home)
    whole = all_wrong(tests, CASES[:1], "trag-top-k2")
    part = all_wrong(tests, CASES[:2], "trag-top-k2", answers=1)
    page = soup(client, f"/quality/needles/{whole.id}")
    assert texts(page, ".sheet tbody tr:first-child > *") == ["Top", "0 (0.0%)", "-"]
    assert "Not finished" in soup(client, f"/quality/needles/{part.id}").get_text()
    assert "| Top | 0 (0.0%) | - |" in client.get(f"/quality/needles/{whole.id}/report.md").text
    for each in (page, soup(client, "/quality")):
        assert_text(each, undirected)
    listed = texts(soup(client, "/quality"), "#needles li")
    assert sorted("not finished, 1 of 2 answers" in each for each in listed) == [False, True]
    assert "is removed" in client.post(f"/quality/needles/{whole.id}/remove").text
    monkeypatch.setattr(QualityContext, "is_needle_running", lambda context: True)
    answer = client.post(f"/quality/needles/{part.id}/remove")
    assert (answer.status_code, "Stop it first" in answer.text) == (409, True)
    assert [run.id for run in tests.runs()] == [part.id]
