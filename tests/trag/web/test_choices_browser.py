"""The choice among units of one name in a real Chromium: a press asks again, and the answer is about that unit."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from org.reading.charts import load
from trag.home import open_home
from trag.settings import Settings

Ask = Callable[[Page, str], Locator]
Serving = Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]]
CHART = b"""name,parent,type
University,,university
School of Law,University,school
School of Medicine,University,school
Administration,School of Law,office
Administration,School of Medicine,office
Registry,School of Law > Administration,office
Registry,School of Medicine > Administration,office
Registry,University,office
"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(tmp_path: Path, serving: Serving, browser: Browser, model_address: str) -> Iterator[Page]:
    """A visit to the app of an organization with registries at several depths."""
    with open_home(Settings(home=tmp_path)) as home:
        home.activate_chart(load(CHART, "chart.csv"), "chart.csv", CHART, by="ada")
    with serving(tmp_path, model_address) as (address, process):
        context = browser.new_context(base_url=address)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.goto("/")
        expect(page.locator("#log .welcome")).to_be_visible()
        expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)  # the model has come up
        yield page
        context.close()
        process.terminate()


def test_a_press_on_a_choice_is_answered_about_that_unit_and_offers_no_choice_again(page: Page, ask: Ask) -> None:
    asked = ask(page, "Where does the Registry sit?")
    choices = asked.locator(".choices button")
    expect(choices).to_have_text(
        [
            re.compile(r"Registry\s+under School of Law"),
            re.compile(r"Registry\s+under School of Medicine"),
            re.compile(r"Registry\s+under University"),
        ]
    )
    for choice, above in ((1, "School of Medicine"), (2, "University")):
        turns = page.locator("#log article")
        before = turns.count()
        choices.nth(choice).click()
        answered = turns.nth(before)
        expect(answered.locator("h2")).to_have_text(f"Where does the Registry ({above}) sit?", timeout=120_000)
        expect(answered.locator(".words")).to_contain_text(above)
        expect(answered.locator(".words")).not_to_contain_text("School of Law")
        expect(answered.locator(".choices")).to_have_count(0)
