"""The pages of the evaluations in a real Chromium: the real app over a copy of the sample's home, and over one with a
document that is closed to others, by a reviewer."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from org.reading.charts import load
from store.person import Newcomer
from tests.pages import assert_fits
from tests.serving import Job, Visit, trag, visits
from trag.home import open_home
from trag.settings import Settings

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
LONG = 600_000
"""Milliseconds that a run of a few questions may take on a machine that does other things too."""
QUESTIONS = (
    {
        "id": "where",
        "kind": "simple",
        "question": "What is the Ethics Office directly under?",
        "gold": [["Legal Affairs"]],
    },
    {"id": "safe", "kind": "unanswerable", "question": "What is the door code of the vault on Mars?", "refuse": True},
    {
        "id": "list",
        "kind": "list",
        "question": "Which units are directly under the Ethics Office?",
        "units": ["Speak-Up Line", "Conflict of Interest Register Desk"],
    },
    {"id": "open", "kind": "<img src=x onerror=alert(1)>", "question": "What is the Foundation for?"},
)

CHART = b"id,name,parent,type\nclub,Club,,club\nboard,Board,Club,board\n"
SECRET = "marzipan"
BOARD = f"""# Doors

## Passwords of doors

| Door | Password |
| --- | --- |
| Vault | {SECRET} |
| Cellar | nougat |
"""
RULES = "# Rules\n\n" + "".join(f"## Rule {n}\n\nA boat of kind {n} is moored at the pier.\n\n" for n in range(1, 13))
WHERE = {"id": "where", "kind": "simple", "question": "What is the Board under?", "gold": [["Club"]]}
PEOPLE = {"ada": ("admin", ""), "olga": ("reviewer", "board")}
Enter = Callable[[str], Page]

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A home, and what the browser of each of its people holds."""
    folder, given = tmp_path_factory.mktemp("club") / "home", tmp_path_factory.mktemp("given")
    (given / "board.md").write_text(BOARD, encoding="utf-8")
    (given / "rules.md").write_text(RULES, encoding="utf-8")
    trag(folder, "ingest", str(given))
    found = {}
    with open_home(Settings(home=folder)) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="test")
        home.records.library.set_audience("board.md", frozenset({"board"}))
        for name, (role, unit) in PEOPLE.items():
            newcomer = Newcomer(name, role=role, state="active", unit=unit)  # type: ignore[arg-type]
            person = home.records.people.add(newcomer, by="test")
            found[name] = home.records.sessions.begin(person.id)[0]
    return folder, found


@pytest.fixture(scope="module")
def enter(serving: Serving, club: tuple[Path, dict[str, str]], model_address: str, browser: Browser) -> Iterator[Enter]:
    """Opens the page as one of the people."""
    folder, held = club
    with serving(folder, model_address) as (address, _), visits(browser) as visit:

        def enter(name: str) -> Page:
            page = visit(address, held[name])
            page.goto("/quality")
            return page

        yield enter


@pytest.fixture
def page(app: str, visit: Visit) -> Page:
    page = visit(app)
    page.goto("/quality")
    return page


def add(page: Page, *questions: object, name: str = "Harbour exam.jsonl") -> None:
    """Uploads a set of questions and chooses it."""
    content = "".join(f"{json.dumps(one)}\n" for one in questions).encode()
    page.set_input_files("[data-questions] input", FilePayload(name=name, mimeType="", buffer=content))
    expect(page.locator(".sets li:has(:checked) strong")).to_have_text(name.removesuffix(".jsonl"))


def begin(page: Page, *systems: str) -> None:
    for box in page.locator("#begin [name=system]").all():
        box.set_checked(box.get_attribute("value") in systems)
    page.get_by_role("button", name="Start", exact=True).click()


def ended(page: Page) -> None:
    """Until what runs is whole."""
    expect(page.locator("#progress [data-over=True]")).to_be_attached(timeout=LONG)
    expect(page.locator("#progress .what")).to_contain_text("Done")


def bar(page: Page, system: str) -> float:
    """The share that the plot draws of a system, read off its pixels."""
    track = page.locator(f"[data-plot=shares] svg[data-system='{system}']")
    drawn, whole = track.locator(".bar").bounding_box(), track.bounding_box()
    assert drawn
    assert whole
    return drawn["width"] / whole["width"]


def twin(page: Page) -> dict[str, list[str]]:
    """The figures of the plot as its table has them, by system."""
    page.locator("[data-plot=shares] summary").click()
    rows = page.locator("[data-plot=shares] tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}


def verdicts(page: Page) -> dict[str, str]:
    """What the exported table says of each question."""
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    rows = csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig")))
    return {row["id"]: row["verdict"] for row in rows}


def judge(row: Locator, verdict: str) -> None:
    row.locator(f".judge [value={verdict}]").click()
    expect(row.locator(".verdict")).to_have_text(verdict)


def test_an_evaluation_is_run_from_the_page_and_its_plot_says_what_was_measured(page: Page) -> None:
    add(page, *QUESTIONS)
    begin(page, "trag")
    expect(page.locator("#progress .count")).to_contain_text("of 4", timeout=LONG)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    ended(page)
    expect(page.locator("#runs tbody th")).to_contain_text("Harbour exam")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    page.get_by_role("link", name="See the figures").click()

    found = verdicts(page)
    assert found.keys() == {"where", "safe", "list", "open"}
    assert found["open"] == "", "it has no gold"
    decided = [verdict for verdict in found.values() if verdict]
    right = sum(verdict.startswith("Correct") for verdict in decided)
    assert right, found
    figures = twin(page)["trag"]
    assert figures[:3] == [str(right), str(len(decided)), f"{right / len(decided):.1%}"]
    assert figures[-1] == str(4 - len(decided))
    assert bar(page, "trag") == pytest.approx(right / len(decided), abs=0.01)

    waits = page.locator(".answer-row[data-verdict='']").first
    # A key that is pressed before the script is there is lost. Playwright's own state of loading may never come after a
    # download.
    page.wait_for_function("document.readyState === 'complete'")
    first = page.locator(".answer-row").first
    for _ in range(20):  # Chromium may still be at its download, and then a key goes nowhere
        page.locator("body").press("j")
        if first.evaluate("row => row === document.activeElement"):
            break
    expect(first).to_be_focused()
    number = waits.get_attribute("id")
    judge(page.locator(f"#{number}"), "Incorrect")
    expect(page.locator("[data-plot=shares] tbody td").nth(1)).to_have_text(str(len(decided) + 1))
    assert bar(page, "trag") == pytest.approx(right / (len(decided) + 1), abs=0.01)
    page.locator(f"#{number} .question a").click()
    expect(page.locator("h1 + .about .verdict")).to_have_text("Incorrect")
    page.get_by_role("link", name="‹ Previous").click()
    expect(page.locator(".sources > li").first).to_be_visible()

    page.get_by_role("link", name="Harbour exam").click()
    page.locator(".answer-row .question a").filter(has_text="What is the Foundation for").click()
    cited = page.locator("a.cite").first
    expect(cited).to_be_visible()
    page.wait_for_function("document.readyState === 'complete'")  # its script listens by then
    cited.click()
    expect(page.locator(f"{cited.get_attribute('href')}")).to_have_attribute("open", "")


def test_what_is_wrong_with_a_file_is_told_line_by_line(app: str, browser: Browser) -> None:
    page = browser.new_page(base_url=app)  # whose console may say that the file was refused
    page.goto("/quality")
    bad = FilePayload(name="bad.jsonl", mimeType="", buffer=b'{"id": "1"}\n\n<img src=x onerror=alert(1)>\n')
    page.set_input_files("[data-questions] input", bad)
    status = page.locator("[data-questions] .status")
    expect(status).to_contain_text('line 1: needs "question"; needs "kind"')
    expect(status).to_contain_text("line 3: is no JSON")
    assert status.evaluate("node => node.children.length") == 0
    page.close()


def test_a_run_goes_on_after_the_app_was_killed(
    serving: Serving, club: tuple[Path, dict[str, str]], model_address: str, visit: Visit, request: Any
) -> None:
    folder, held = club
    with serving(folder, model_address) as (address, _):
        page = visit(address, held["olga"])
        page.goto("/quality")
        add(page, *(one | {"id": f"{one['id']}-{turn}"} for turn in range(4) for one in QUESTIONS))
        begin(page, "trag")
        expect(page.locator("#progress .count")).to_have_text(re.compile("^[1-9] of 16"), timeout=LONG)
        page.close()
    page = request.getfixturevalue("enter")("olga")  # the app is started again here, for the tests after this one too
    expect(page.locator("#runs tbody th")).to_contain_text("not finished")
    page.get_by_role("button", name="Go on with Harbour exam").click()
    ended(page)
    expect(page.locator("#runs tbody tr")).to_have_count(1)
    page.get_by_role("link", name="See the figures").click()
    expect(page.locator(".answer-row")).to_have_count(16)
    page.close()


def test_a_reviewer_audits_a_system_stops_it_goes_on_reads_which_part_is_weak_and_tries_the_place_of_a_needle(
    enter: Enter,
) -> None:
    page = enter("olga")
    page.locator("#audit select").select_option("finetuned")
    start = page.get_by_role("button", name="Start the self-audit")
    start.click()
    expect(page.locator("#progress .count")).to_contain_text("of 44", timeout=LONG)
    expect(start).to_be_disabled()
    page.get_by_role("button", name="Stop the chart and the documents").click()
    expect(page.locator("#progress .state")).to_have_text("Stopped", timeout=LONG)
    expect(page.locator("#audits")).to_contain_text("not finished")
    page.locator("#audit select").select_option("finetuned")
    start.click()
    ended(page)
    expect(page.locator("#audits li")).to_have_count(1)
    page.get_by_role("link", name="See the figures").click()
    expect(page.locator("h1")).to_have_text("Which part is weak?")
    expect(page.locator(".weak .lead")).to_contain_text("are owed to this part: The documents")
    titles = page.locator(".sheet h3").all_inner_texts()
    assert titles == [
        "Weak module",
        "Semantic groups",
        "Accuracy with errors isolated",
        "Questions of the audit",
        "Answered wrongly",
    ]
    expect(page.locator(".sheet").last).to_contain_text(SECRET)
    asked = page.locator(".sheet").nth(3).locator("tbody td").all_inner_texts()
    assert asked[:3] == ["11", "22", "22"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown").click()
    assert "### Weak module" in download.value.path().read_text("utf-8")
    page.get_by_role("link", name="All its answers").click()
    expect(page.locator("#answers-title")).to_have_text("44 answers")

    page.goto("/quality")
    add(page, WHERE, name="Where.jsonl")
    expect(page.locator("#needle select")).to_contain_text("Where")
    page.get_by_role("button", name="Start the needle test").click()
    expect(page.locator("#progress .count")).to_contain_text("of 6", timeout=LONG)
    ended(page)
    expect(page.locator("#needles li")).to_contain_text("Where")
    page.get_by_role("link", name="See the figures").click()
    expect(page.locator(".sheet thead th").nth(1)).to_have_text("T-RAG, k = 2 (1 question)")
    assert page.locator(".sheet tbody th").all_inner_texts() == ["Top", "Mid", "End"]
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    page.close()

    page = enter("ada")
    audit, needle = (str(page.locator(f"#{list} a").first.get_attribute("href")) for list in ("audits", "needles"))
    run = str(page.locator("#runs tbody th a").filter(has_text="Harbour exam").get_attribute("href"))
    compared = f"{run.rsplit('/', 1)[1]}/trag"
    pages = (run, f"{run}/answers/0", f"/quality/compare?before={compared}&after={compared}")
    assert_fits(page, "/quality", audit, needle, *pages)
    page.close()
