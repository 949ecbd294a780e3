"""The model, and then the app itself, killed while somebody asks, in a real Chromium."""

import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import psutil
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

Ask = Callable[[Page, str], Locator]
Serving = Callable[[], AbstractContextManager[tuple[str, subprocess.Popen[str]]]]
CHART_QUESTION = "Where does the Ethics Office sit?"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_killed_model_is_told_within_two_seconds_and_the_next_question_answered(
    serving: Serving, browser: Browser, ask: Ask
) -> None:
    with serving() as (address, process):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(60_000)
        page.goto("/")
        expect(page.locator("#log .welcome")).to_be_visible()
        expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)
        page.get_by_label("Your question").fill("Tell me all that the manual says about the members of the Foundation.")
        page.keyboard.press("Enter")
        expect(page.locator("#live .words")).to_contain_text(re.compile(r"\w+ \w+"), timeout=120_000)
        (worker,) = psutil.Process(process.pid).children()
        worker.kill()
        killed = time.monotonic()
        expect(page.locator("#log article")).to_contain_text("process ended", timeout=5_000)
        assert time.monotonic() - killed < 2
        expect(ask(page, CHART_QUESTION).locator(".words")).to_contain_text("Legal Affairs")
        process.send_signal(signal.SIGTERM)
        page.close()


def test_a_killed_app_has_every_answer_and_label_that_was_shown(serving: Serving, browser: Browser, ask: Ask) -> None:
    with serving() as (address, process):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(60_000)
        page.goto("/")
        expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)
        answered = ask(page, CHART_QUESTION)
        shown = answered.locator(".words").inner_text()
        answered.get_by_role("button", name="Incorrect").click()
        expect(answered.get_by_role("button", name="Incorrect")).to_have_attribute("aria-pressed", "true")
        conversation = page.url.split("?")[1]
        process.kill()
        page.close()
    with serving() as (address, process):
        page = browser.new_page(base_url=address)
        page.goto(f"/?{conversation}")
        again = page.locator("#log article").first
        expect(again.locator(".words")).to_have_text(shown, timeout=60_000)
        expect(again.get_by_role("button", name="Incorrect")).to_have_attribute("aria-pressed", "true")
        process.send_signal(signal.SIGTERM)
        page.close()
