"""The Ask page in a real Chromium, served by the real app over a home made from the sample organization."""

import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

Ask = Callable[[Page, str], Locator]
Serving = Callable[[], AbstractContextManager[tuple[str, subprocess.Popen[str]]]]
CHART_QUESTION = "Where does the Ethics Office sit?"
DOCUMENT_QUESTION = "How many staff does the Foundation employ?"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A new visit to the app."""
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(page.locator("#log .welcome")).to_be_visible()
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)  # the model has come up
    return page


def test_a_reader_asks_checks_labels_and_comes_back(page: Page, ask: Ask) -> None:
    page.evaluate(
        """() => {
            window.seen = [];
            new MutationObserver(() => {
                const words = document.querySelector("#live .words")?.textContent;
                if (words && words !== seen.at(-1)) seen.push(words);
            }).observe(document.querySelector("#live"), { subtree: true, childList: true, characterData: true });
        }"""
    )
    placed = ask(page, CHART_QUESTION)
    expect(placed.locator(".words")).to_contain_text("Legal Affairs")
    expect(placed.locator(".badge")).to_have_text("From the organization chart")
    placed.get_by_text("How this was read").click()
    expect(placed.locator(".reading code")).to_have_text("parent(u1)")
    page.evaluate("window.seen = []")
    placed.locator(".sources summary").first.click()
    expect(placed.locator(".path [aria-current]").first).to_have_text("Ethics Office")
    expect(placed.locator("mark").first).to_be_visible()

    found = ask(page, DOCUMENT_QUESTION)
    seen = page.evaluate("seen")
    expect(found.locator(".words")).to_contain_text("1,850")
    whole = found.locator(".words").inner_text()
    assert seen, "the words are shown as they come"
    assert all(whole.startswith(words.strip()) for words in seen), seen
    source = found.locator(".sources details").first
    expect(source.locator("blockquote")).to_be_hidden()
    source.locator("summary").click()
    expect(source.locator("mark").filter(has_text="1,850").first).to_be_visible()
    expect(source.locator(".document")).to_have_text("part-1-foundations.md")
    expect(placed.locator(".path").first).to_be_visible()  # what was open stays open when the page is drawn anew

    found.get_by_role("button", name="Correct-Verbose").click()
    expect(found.get_by_role("button", name="Correct-Verbose")).to_have_attribute("aria-pressed", "true")
    found.get_by_text("Add a comment").click()
    found.get_by_label("Comment").fill("Only the number was asked for.")
    found.get_by_role("button", name="Save").click()
    expect(found.get_by_text("Your comment")).to_be_visible()

    page.reload()
    again = page.locator("#log article").nth(1)
    expect(again.locator("h2")).to_have_text(DOCUMENT_QUESTION)
    expect(again.get_by_role("button", name="Correct-Verbose")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_label("Comment")).to_have_value("Only the number was asked for.")


def test_what_cannot_be_asked_stays_in_the_box(page: Page) -> None:
    box = page.get_by_label("Your question")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Type a question first.")
    box.fill("x" * 20_000)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("this one has 20,000")
    expect(box).to_have_value("x" * 20_000)


def test_pressing_enter_again_and_again_on_a_new_page_asks_once(page: Page, ask: Ask) -> None:
    conversations = page.locator("#conversations li")
    before = conversations.count()
    page.get_by_label("Your question").fill(CHART_QUESTION)
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(page.locator("#log article")).to_have_count(1, timeout=60_000)
    expect(conversations).to_have_count(before + 1)
    ask(page, CHART_QUESTION)  # and once more after that
    expect(conversations).to_have_count(before + 1)


def test_shift_enter_makes_a_new_line(page: Page) -> None:
    box = page.get_by_label("Your question")
    box.press_sequentially("Where is")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("the Board?")
    expect(box).to_have_value("Where is\nthe Board?")
    expect(page.locator("article")).to_have_count(0)


def test_a_conversation_is_renamed_and_deleted_by_keyboard(page: Page, ask: Ask) -> None:
    ask(page, CHART_QUESTION)
    chosen = page.locator("#conversations li.chosen")
    chosen.get_by_role("link").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+A")
    page.keyboard.type("<b>Ethics</b>")
    page.keyboard.press("Enter")
    expect(chosen.get_by_role("link")).to_have_text("<b>Ethics</b>")
    before = page.locator("#conversations li").count()
    chosen.get_by_role("link").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#conversations li")).to_have_count(before)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#conversations li")).to_have_count(before - 1)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Larkmoor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(app: str, browser: Browser, scheme: str, ask: Ask) -> None:
    context = browser.new_context(base_url=app, viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Conversations").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    ask(page, CHART_QUESTION).locator(".sources summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, background[4:-1].split(","))) < 60) is (scheme == "dark"), background
    context.close()
