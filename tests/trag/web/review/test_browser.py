"""The review desk in a real Chromium, over the real app: by keyboard alone, and in narrow windows."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from store import files
from store.passage import Passage
from store.person import Newcomer, Role
from store.records import Records
from tests.pages import assert_fits
from tests.serving import Job, Visit
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
PEOPLE: dict[str, Role] = {"ada": "admin", "rita": "reviewer", "tom": "reviewer", "eve": "employee"}
DOCUMENTS = ("ten.md", "two.md", "words.md")
SLOW = 30_000
"""Milliseconds that a page may take on a machine that does other things too."""
ARABIC = "كم عدد أيام الإجازة السنوية؟"
SOURCE = "Invoices above 50,000 are signed by the Director of Finance, and by nobody else."

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]


@dataclass(frozen=True, slots=True)
class Desk:
    """The address of the app, the cookie of each person, and the ids of the answers on each document."""

    address: str
    cookies: dict[str, str]
    answers: dict[str, list[str]]


@pytest.fixture(scope="module")
def desk(
    serving: Serving, model_address: str, empty_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("home")
    (home / "trag.db").write_bytes(empty_database.read_bytes())
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        people = {
            name: records.people.add(Newcomer(name, shown=name.title(), role=role, state="active"), by="test")
            for name, role in PEOPLE.items()
        }
        cookies = {name: records.sessions.begin(person.id)[0] for name, person in people.items()}
        for name in DOCUMENTS:
            sha256 = files.keep(home / "documents", SOURCE.encode(), ".md")
            records.library.put(name, sha256, None, [Passage(f"p-{name}", "section", name, "1 Signing", None, SOURCE)])
        place = records.start_conversation(people["eve"].id, "x").id
        answers = {
            "ten.md": [given(records, place, "ten.md", f"Question {number}?") for number in range(10, 0, -1)],
            "two.md": [given(records, place, "two.md", "Who signs?")],
            "words.md": [given(records, place, "words.md", ARABIC)],
        }
    with serving(home, model_address) as (address, _):
        yield Desk(address, cookies, answers)


def given(records: Records, conversation: str, document: str, question: str) -> str:
    id, words = uuid4().hex, "Invoices above 50,000 are signed by the Director of Finance. The Board is told."
    first, second = "Invoices above 50,000 are signed by the Director of Finance.", "The Board is told."
    source = Source(f"p-{document}", "section", document, "1 Signing", None, SOURCE, 0.8)
    sentences = (CheckedSentence(first, True, source.id), CheckedSentence(second, False))
    used = ModelUsed("tiny", "0", "")
    record = AnswerRecord(
        id, question, question, words, "answered", used, sources=(source,), checks=Checks(sentences, chart="v1")
    )
    records.save_answer(id, conversation, question, words, record.to_json())
    return id


@pytest.fixture
def page_of(desk: Desk, visit: Visit) -> Callable[[str], Page]:
    """Opens a window of somebody who is signed in."""
    return lambda name: visit(desk.address, desk.cookies[name])


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def heading(page: Page, question: str) -> None:
    """Until the page of an answer is there, and its keys judge it."""
    expect(page.locator("[data-keys=all] h1")).to_have_text(question, timeout=SLOW)


def begin(page: Page, path: str, question: str) -> None:
    """Opens a queue and the first answer of it."""
    page.goto(path)
    expect(page.locator("[data-keys] [data-begin]")).to_be_visible(timeout=SLOW)
    press(page, "Enter")
    heading(page, question)


def test_a_reviewer_labels_ten_answers_by_keyboard_alone(desk: Desk, page_of: Callable[[str], Page]) -> None:
    page = page_of("rita")
    begin(page, "/review?document=ten.md", "Question 1?")
    press(page, "1")
    heading(page, "Question 2?")
    expect(page.locator(".done")).to_contain_text("Question 1?")
    press(page, "r")
    page.keyboard.type("It says 1, 2 and 3 too much.")  # in a field a figure is a figure
    press(page, "Escape", "e")
    expect(page.get_by_label("Corrected or shortened answer")).to_have_value(
        "Invoices above 50,000 are signed by the Director of Finance. The Board is told."
    )
    page.keyboard.type("The Director of Finance.")  # in place of what was there
    press(page, "Escape", "2")
    heading(page, "Question 3?")
    press(page, "t")
    expect(page.locator("[name=right_place]:checked + span")).to_contain_text("Ten")
    page.get_by_label("Search the documents for the right place").fill("words.md")
    page.locator(".found", has_text="words.md").first.click(timeout=SLOW)
    press(page, "w", "i")
    heading(page, "Question 4?")
    press(page, "j")
    heading(page, "Question 5?")
    press(page, "c")
    heading(page, "Question 6?")
    press(page, "3")
    heading(page, "Question 7?")
    press(page, "u")
    heading(page, "Question 6?")
    press(page, "v")
    for number in (7, 8, 9, 10):
        heading(page, f"Question {number}?")
        press(page, "o")
        expect(page.locator(".sources details[open] blockquote mark").first).to_be_visible()
        press(page, "1")
    heading(page, "Question 4?")  # what was skipped
    press(page, "3")
    expect(page.locator(".none-found")).to_contain_text("No answer is like that here", timeout=SLOW)
    lines = page.context.request.get("/review/judged.jsonl").text().splitlines()
    told = {line["question"]: line for line in map(json.loads, lines) if line["id"] in desk.answers["ten.md"]}
    letters = {"Correct": "C", "Correct-Verbose": "V", "Incorrect": "I"}
    assert "".join(letters[told[f"Question {number}?"]["verdict"]] for number in range(1, 11)) == "CVIICVCCCC"
    actual = (told["Question 2?"]["reason"], told["Question 2?"]["corrected"])
    assert actual == ("It says 1, 2 and 3 too much.", "The Director of Finance.")
    assert (told["Question 3?"]["wrong_source"], told["Question 3?"]["right_source"]) == (
        "ten.md, 1 Signing",
        "words.md",
    )


def test_keys_can_be_switched_off_and_judge_no_answer_that_was_not_there_to_be_read(
    desk: Desk, page_of: Callable[[str], Page]
) -> None:
    page = page_of("tom")
    page.add_init_script("window.later = setTimeout; window.setTimeout = (...all) => all[1] === 500 || later(...all);")
    page.goto(f"/review/{desk.answers['two.md'][0]}")
    switch = page.get_by_role("checkbox", name="Keys")
    expect(switch).to_be_checked(timeout=SLOW)
    press(page, "1", "i")
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.get_by_role("heading", name="Is it right?")).to_be_visible()
    expect(page.locator(".judging.sent")).to_have_count(0)
    press(page, "r")
    expect(page.get_by_label("Reason")).to_be_focused()
    switch.uncheck()
    page.reload()
    expect(switch).not_to_be_checked(timeout=SLOW)
    expect(page.locator("[aria-keyshortcuts], [data-keys]")).to_have_count(0)
    press(page, "r", "c")
    expect(page.get_by_label("Reason")).not_to_be_focused()
    expect(page.locator(".judging.sent")).to_have_count(0)
    switch.check()
    press(page, "r")
    expect(page.get_by_label("Reason")).to_be_focused()
    press(page, "Escape", "s")
    expect(page.locator("[data-keys] [role=status]")).to_contain_text("Two reviewers are wanted", timeout=SLOW)


def test_nothing_stands_out_of_a_narrow_window_or_a_page_from_the_right(
    desk: Desk, page_of: Callable[[str], Page]
) -> None:
    paths = ("", "?choice=judged", f"/{desk.answers['words.md'][0]}", "/figures", "/approved")
    assert_fits(page_of("ada"), *(f"/review{path}" for path in paths))
