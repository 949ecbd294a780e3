"""An employee who cannot see a restricted document by any way, in a real Chromium and by program."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from trag.web import access

App = Place = Any  # of conftest.py
SECRET = "marzipan-vault-8841"
QUESTION = "What is the word of the Board?"
PATIENCE = 400_000
"""Milliseconds for an answer of a machine that does other things too."""
GIVE = ["/documents/pairs.csv", "/documents/pairs.jsonl", "/documents", "/documents/pairs", "/people/log.csv"]
GIVE += ["/people/log.jsonl", "/quality", "/models", "/charts", "/review", "/review/judged.csv", "/review/judged.jsonl"]
"""Pages and files that hold what others may read."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(2_400)]


def visiting(app: App, place: Place, browser: Browser, name: str) -> Page:
    context = browser.new_context(base_url=app.address)
    context.set_default_timeout(PATIENCE)
    context.add_cookies([{"name": "trag", "value": place.people[name].cookie, "url": app.address}])
    return context.new_page()


def ask(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#log .welcome")).to_be_visible(timeout=PATIENCE)
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("#log article")).to_be_visible(timeout=PATIENCE)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")


def test_an_employee_cannot_see_a_restricted_document_by_any_way(app: App, place: Place, browser: Browser) -> None:
    bert = visiting(app, place, browser, "bert")
    ask(bert)
    assert SECRET not in bert.content()

    bert.goto(f"/?c={place.conversation}")
    old = bert.locator("#log article")
    expect(old).to_be_visible(timeout=PATIENCE)
    bert.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    expect(old).to_contain_text("withdrawn")
    assert SECRET not in bert.content()
    answer = old.get_attribute("id")
    assert answer

    never = told(bert, f"/documents/{'0' * 32}/view")
    for name in ("board.md", "board.pdf"):
        for end in ("view", "original", "pages/1.png", f"view?passage=old&answer={answer.removeprefix('answer-')}"):
            assert told(bert, f"/documents/{place.keys[name]}/{end}") == never, (name, end)
    for path in GIVE:
        status, said = told(bert, path)
        assert (status in (403, 404), SECRET in said) == (True, False), path

    record = httpx.post(
        f"{app.address}/api/ask", json={"question": QUESTION}, headers=place.people["bert"].bearer, timeout=900
    )
    assert (record.status_code, SECRET in record.text) == (200, False)
    for path in ("/documents/pairs.csv", f"/documents/{place.keys['board.md']}/original"):
        refused = httpx.get(f"{app.address}{path}", headers=place.people["bert"].bearer, timeout=60)
        assert (refused.status_code, SECRET in refused.text) == (401, False), path
    bert.context.close()


def test_whoever_it_is_for_sees_it_by_every_way(app: App, place: Place, browser: Browser) -> None:
    anna = visiting(app, place, browser, "anna")
    ask(anna)
    assert SECRET in anna.content()
    anna.locator("#log a.open").first.wait_for()
    for end in ("view", "original"):
        assert (told(anna, f"/documents/{place.keys['board.md']}/{end}")[0]) == 200
    assert told(anna, f"/documents/{place.keys['board.pdf']}/pages/1.png")[0] == 200
    assert {told(anna, path)[0] for path in GIVE if access.needed("GET", path)} == {403}
    anna.context.close()


def told(page: Page, path: str) -> tuple[int, str]:
    """The status of an address, and what it says but for the nonce, as a script of the page is answered."""
    status, said = page.evaluate(
        """async (path) => {
            const answer = await fetch(path, { headers: { accept: "text/html" } });
            return [answer.status, (await answer.text()).replace(/nonce="[^"]*"/g, "")];
        }""",
        path,
    )
    return int(status), str(said)
