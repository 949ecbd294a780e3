"""What goes wrong between Gradio's page and its stream of events, and is mended by stream.js, in a real Chromium."""

import time

import pytest
from playwright.sync_api import Browser, expect

QUESTION = "How is the Foundation governed, and by whom?"
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


def test_a_question_asked_while_the_stream_ends_is_answered(app: str, browser: Browser) -> None:
    """Gradio's page would take the stream for open, and never hear of the question."""
    context = browser.new_context(base_url=app)
    context.add_init_script(END_HELD_BACK)
    page = context.new_page()
    page.goto("/")
    expect(page.locator("#log .welcome")).to_be_visible()
    page.get_by_label("Your question").fill(QUESTION)
    page.wait_for_function("window.ending", timeout=120_000)
    page.keyboard.press("Enter")
    expect(page.locator("#log article, #live article").first).to_be_visible(timeout=120_000)
    context.close()


def test_a_slow_page_is_reached_while_an_answer_is_written(app: str, browser: Browser) -> None:
    """Gradio takes the leave for a lost connection, and would load the page again that is being left."""
    context = browser.new_context(base_url=app)
    page = context.new_page()
    page.goto("/")
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)
    page.route("**/documents", lambda route: (time.sleep(5), route.continue_()))
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("#live .turn")).to_be_visible()
    page.get_by_role("link", name="Documents").click()
    page.wait_for_url("**/documents", timeout=120_000)
    context.close()
