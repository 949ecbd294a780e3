"""The Ask page in a real Chromium, served by the real app over a home made from the sample organization."""

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pages import ask, assert_fits_a_phone
from tests.serving import Visit

CHART_QUESTION = "Where does the Ethics Office sit?"
DOCUMENT_QUESTION = "How many staff does the Foundation employ?"
LONG_QUESTION = "How is the Foundation governed, and by whom?"
MANUAL = "part-1-foundations.md"
END_HELD_BACK = """
const { fetch } = window;
const late = (chunk, controller) => {
    if (!new TextDecoder().decode(chunk).includes("close_stream")) return controller.enqueue(chunk);
    window.ending = true;
    return new Promise((resolve) => setTimeout(() => resolve(controller.enqueue(chunk)), 3000));
};
window.fetch = async (...request) => {
    const response = await fetch(...request);
    if (!String(request[0].url ?? request[0]).includes("/queue/data")) return response;
    return new Response(response.body.pipeThrough(new TransformStream({ transform: late })), response);
};
"""
"""The last words of the stream reach the page three seconds late; `ending` is true from when they were sent."""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(app: str, visit: Visit) -> Page:
    """A new visit to the app."""
    page = visit(app)
    page.goto("/")
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(page.locator("#log .welcome")).to_be_visible()
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)  # the model has come up
    return page


def test_a_reader_asks_checks_labels_and_comes_back(page: Page) -> None:
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
    placed.get_by_text("How this was found").click()
    expect(placed.locator(".found li").first).to_contain_text("From the organization chart")
    expect(placed.locator(".found code")).to_have_text("parent(u1)")
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
    title = "Larkmoor Foundation Governance Manual, Part 1: Foundations and governing bodies"
    expect(source.locator(".document")).to_have_text(title)
    expect(placed.locator(".path").first).to_be_visible()  # what was open stays open when the page is drawn anew

    found.get_by_role("button", name="Right, but too long").click()
    expect(found.get_by_role("button", name="Right, but too long")).to_have_attribute("aria-pressed", "true")
    found.get_by_text("Add a comment").click()
    found.get_by_label("Comment").fill("Only the number was asked for.")
    found.get_by_role("button", name="Save", exact=True).click()
    expect(found.locator(".remark .kept")).to_have_text("Saved")
    found.get_by_role("button", name="Edit the question").click()
    expect(page.get_by_label("Your question")).to_have_value(DOCUMENT_QUESTION)
    page.get_by_label("Your question").fill("")
    expect(found.get_by_text("Your comment")).to_be_visible()

    page.reload()
    again = page.locator("#log article").nth(1)
    expect(again.locator("h2")).to_have_text(DOCUMENT_QUESTION)
    expect(again.get_by_role("button", name="Right, but too long")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_label("Comment")).to_have_value("Only the number was asked for.")


def test_by_keyboard_nothing_bad_is_asked_nothing_twice_and_a_conversation_is_renamed_and_deleted(page: Page) -> None:
    box, alert = page.get_by_label("Your question"), page.get_by_role("alert")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(alert).to_have_text("Type a question first.")
    box.fill("x" * 20_000)
    page.keyboard.press("Enter")
    expect(alert).to_contain_text("this one has 20,000")
    expect(box).to_have_value("x" * 20_000)
    box.fill("Where is")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("the Board?")
    expect(box).to_have_value("Where is\nthe Board?")
    expect(page.locator("article")).to_have_count(0)

    conversations = page.locator(".kept-conversations li")
    before = conversations.count()
    box.fill(CHART_QUESTION)
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(page.locator("#log article")).to_have_count(1, timeout=60_000)
    expect(conversations).to_have_count(before + 1)
    ask(page, CHART_QUESTION)  # and once more after that
    expect(conversations).to_have_count(before + 1)

    chosen = conversations.and_(page.locator(".chosen"))
    chosen.get_by_role("link").focus()
    for key in ("Tab", "Enter", "Control+A"):
        page.keyboard.press(key)
    page.keyboard.type("<b>Ethics</b>")
    page.keyboard.press("Enter")
    expect(chosen.get_by_role("link")).to_have_text("<b>Ethics</b>")
    chosen.get_by_role("link").focus()
    for key in ("Tab", "Tab", "Enter", "Escape"):
        page.keyboard.press(key)
    expect(conversations).to_have_count(before + 1)
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(conversations).to_have_count(before)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Larkmoor")


def test_the_page_fits_a_phone_in_light_and_dark(phone: Page) -> None:
    phone.goto("/")
    phone.get_by_role("button", name="Menu").click()
    expect(phone.get_by_role("navigation", name="Conversations and pages")).to_be_visible()
    phone.keyboard.press("Escape")
    expect(phone.get_by_role("navigation", name="Conversations and pages")).to_be_hidden()
    ask(phone, CHART_QUESTION).locator(".sources summary").first.click()
    for scheme in ("light", "dark"):
        phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        phone.reload()
        expect(phone.locator("#log article")).to_be_visible()
        assert_fits_a_phone(phone, scheme)


def test_a_press_on_a_choice_is_answered_about_that_unit_and_offers_no_choice_again(page: Page) -> None:
    choices = ask(page, "Where does the Library sit?").locator(".choices button")
    units = ("Larkmoor School", "Institute for Health Research", "Museum of the Peninsula")
    expect(choices).to_have_text([re.compile(rf"Library\s+under {unit}") for unit in units])
    turns = page.locator("#log article")
    before = turns.count()
    choices.nth(1).click()
    answered = turns.nth(before)
    expect(answered.locator("h2")).to_have_text(f"Where does the Library ({units[1]}) sit?", timeout=120_000)
    expect(answered.locator(".words")).to_contain_text(units[1])
    expect(answered.locator(".words")).not_to_contain_text(units[0])
    expect(answered.locator(".choices")).to_have_count(0)


# What goes wrong between Gradio's page and its stream of events, and is mended by stream.js.


def test_a_question_asked_while_the_stream_ends_is_answered(app: str, browser: Browser) -> None:
    """Gradio's page would take the stream for open, and never hear of the question."""
    page = browser.new_page(base_url=app)
    page.add_init_script(END_HELD_BACK)
    page.goto("/")
    expect(page.locator("#log .welcome")).to_be_visible()
    page.get_by_label("Your question").fill(LONG_QUESTION)
    page.wait_for_function("window.ending", timeout=120_000)
    page.keyboard.press("Enter")
    expect(page.locator("#log article, #live article").first).to_be_visible(timeout=120_000)
    page.close()


def test_a_slow_page_is_reached_while_an_answer_is_written(app: str, browser: Browser) -> None:
    """Gradio takes the leave for a lost connection, and would load the page again that is being left."""
    page = browser.new_page(base_url=app)
    page.goto("/")
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)
    page.route("**/documents", lambda route: (time.sleep(5), route.continue_()))
    page.get_by_label("Your question").fill(LONG_QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("#live .turn")).to_be_visible()
    page.get_by_text("Manage").click()
    page.get_by_role("link", name="Documents").click()
    page.wait_for_url("**/documents", timeout=120_000)
    page.close()
