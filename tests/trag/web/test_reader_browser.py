"""The Ask page with the real default reader in a real Chromium: answers from the chart and from a document, a refusal,
and a follow-up."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.pages import ask
from tests.serving import app_of_its_own
from trag.models.catalogue import CatalogueModel

pytestmark = [pytest.mark.browser, pytest.mark.reader, pytest.mark.slow, pytest.mark.timeout(1800)]


def test_the_reader_answers_from_the_chart_and_a_document_refuses_and_takes_a_follow_up(
    reader: CatalogueModel, own_home: Path, browser: Browser, tmp_path: Path
) -> None:
    assert reader.path.is_file(), "python -m trag model fetch"
    (own_home / "trag.toml").write_text("sections = 2\nanswer_tokens = 64\n")  # to be read and written sooner
    with app_of_its_own(own_home, tmp_path / "log") as (address, _):
        page = browser.new_page(base_url=address)
        page.goto("/")
        expect(page.locator("#log .welcome")).to_be_visible()
        expect(page.locator("#state .notice")).to_have_count(0, timeout=600_000)
        placed = ask(page, "What is the Ethics Office directly under?")
        expect(placed.locator(".found li").first).to_contain_text("From the organization chart")
        expect(placed.locator(".words")).to_contain_text("Legal Affairs")
        placed.get_by_text("How this was found").click()
        expect(placed.locator(".found code")).to_contain_text("parent(u1)")

        follow_up = ask(page, "what about the Data Protection Office?")
        expect(follow_up.locator(".found li").first).to_contain_text("From the organization chart")
        expect(follow_up.locator(".words")).to_contain_text("Data Protection Office")
        expect(follow_up.locator(".words")).to_contain_text("Legal Affairs")

        found = ask(page, "On which day is Founders' Day kept?")
        expect(found.locator(".words")).to_contain_text("14 March")
        found.locator("a.cite").first.click()
        expect(found.locator(".sources details[open] mark").filter(has_text="14 March").first).to_be_visible()

        refused = ask(page, "How many parking spaces does the canteen have?")
        expect(refused.locator(".words")).to_contain_text("I did not find a clear answer")
        nearest = refused.locator(".evidence", has_text="Closest to your question").locator(".sources > li").first
        expect(nearest.locator("blockquote")).to_be_visible()
        expect(nearest.get_by_role("link", name="Open")).to_be_visible()
