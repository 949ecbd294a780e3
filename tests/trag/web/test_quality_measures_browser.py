"""A self-audit and a needle test begun on the page in a real Chromium, by reviewers: the real app over a small home
with a document that is closed to one of them."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

ROOT = Path(__file__).parents[3]
Serving = Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]]
LONG = 600_000
"""Milliseconds that a measurement may take on a machine that does other things too."""
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
QUESTION = b'{"id": "where", "kind": "simple", "question": "What is the Board under?", "gold": [["Club"]]}\n'
PEOPLE = {"ada": ("admin", ""), "olga": ("reviewer", "board"), "rita": ("reviewer", "")}
"""The document of the Board is closed to rita."""
Enter = Callable[[str], Page]

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def cookies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A home, and what the browser of each of its people holds."""
    from org.reading.charts import load
    from store.person import Newcomer
    from trag.home import open_home
    from trag.settings import Settings

    folder, given = tmp_path_factory.mktemp("club"), tmp_path_factory.mktemp("given")
    (given / "board.md").write_text(BOARD, encoding="utf-8")
    (given / "rules.md").write_text(RULES, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "trag", "ingest", str(given)],
        cwd=ROOT,
        env=os.environ | {"TRAG_HOME": str(folder)},
        capture_output=True,
    )
    assert run.returncode == 0, run.stderr.decode()
    found = {}
    with open_home(Settings(home=folder)) as home:
        home.activate_chart(load(CHART, "chart.csv"), "chart.csv", CHART, by="test")
        home.set_audience("board.md", frozenset({"board"}))
        for name, (role, unit) in PEOPLE.items():
            newcomer = Newcomer(name, role=role, state="active", unit=unit)  # type: ignore[arg-type]
            person = home.records.people.add(newcomer, by="test")
            found[name] = home.records.sessions.begin(person.id)[0]
    return folder, found


@pytest.fixture(scope="module")
def enter(serving: Serving, cookies: tuple[Path, dict[str, str]], browser: Browser) -> Iterator[Enter]:
    """Opens the page as one of the people; any error on its console but a refusal that a test asked for fails it."""
    folder, held = cookies
    with serving(folder) as (address, process):

        def enter(name: str) -> Page:
            context = browser.new_context(base_url=address)
            context.set_default_timeout(60_000)
            context.add_cookies([{"name": "trag", "value": held[name], "url": address}])
            page = context.new_page()
            page.goto("/quality")
            return page

        yield enter
        process.terminate()
        process.communicate(timeout=120)


def ended(page: Page) -> None:
    expect(page.locator("#progress [data-over=True]")).to_be_attached(timeout=LONG)
    expect(page.locator("#progress .what")).to_contain_text("Done")


def test_a_reviewer_audits_a_system_from_the_page_stops_it_goes_on_and_reads_which_part_is_weak(enter: Enter) -> None:
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
    expect(page.locator(".weak .lead")).to_contain_text("are owed to the documents")
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
    page.context.close()


def test_a_reviewer_tries_the_place_of_a_needle_from_the_page(enter: Enter) -> None:
    page = enter("olga")
    page.set_input_files("[data-questions] input", FilePayload(name="Where.jsonl", mimeType="", buffer=QUESTION))
    expect(page.locator("#needle select")).to_contain_text("Where")
    page.get_by_role("button", name="Start the needle test").click()
    expect(page.locator("#progress .count")).to_contain_text("of 6", timeout=LONG)
    ended(page)
    expect(page.locator("#needles li")).to_contain_text("Where")
    page.get_by_role("link", name="See the figures").click()
    expect(page.locator(".sheet thead th").nth(1)).to_have_text("T-RAG, k = 2 (1 question)")
    assert page.locator(".sheet tbody th").all_inner_texts() == ["Top", "Mid", "End"]
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    page.context.close()


def test_a_reviewer_to_whom_a_document_is_closed_sees_the_figures_and_begins_nothing(enter: Enter) -> None:
    page = enter("rita")
    expect(page.locator("#limited")).to_contain_text("Some documents are not open to you")
    assert page.locator("main form").count() == page.locator(".danger").count() == 0
    status = page.evaluate(
        """async () => {
            const body = new URLSearchParams([["system", "trag"]]);
            const paths = ["/quality/audits", "/quality/needles", "/quality/runs", "/quality/cases?name=a.jsonl"];
            return Promise.all(paths.map(async (path) => (await fetch(path, { method: "POST", body })).status));
        }"""
    )
    assert status == [403] * 4
    page.locator("#audits a").first.click()
    expect(page.locator(".sheet h3").first).to_have_text("Weak module")
    assert "Answered wrongly" not in page.locator(".sheet h3").all_inner_texts()
    assert SECRET not in page.content()
    page.get_by_role("link", name="All its answers").click()
    expect(page.locator("#answers")).to_contain_text("44 answers are left out here")
    assert SECRET not in page.content()
    page.context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_stands_out_of_a_narrow_window_or_a_page_from_the_right(
    enter: Enter, width: int, direction: str
) -> None:
    page = enter("ada")
    page.set_viewport_size({"width": width, "height": 800})
    audit, needle = (page.locator(f"#{list} a").first.get_attribute("href") for list in ("audits", "needles"))
    for path in ("/quality", str(audit), str(needle)):
        page.goto(path)
        page.evaluate("direction => (document.documentElement.dir = direction)", direction)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.context.close()
