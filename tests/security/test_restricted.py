"""An employee who cannot see a restricted document by any way, in a real Chromium and by program."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Page, expect

from tests.pages import ask
from tests.serving import Visit
from trag.web import access

App = Place = Any  # of conftest.py
SECRET = "marzipan-vault-8841"
QUESTION = "What is the word of the Board?"
PATIENCE = 400_000
"""Milliseconds for an answer of a machine that does other things too."""
REFUSED = "status of (403|404)"
GIVE = ["/documents/pairs.csv", "/documents/pairs.jsonl", "/documents/pairs", "/people/log.csv"]
GIVE += ["/people/log.jsonl", "/quality", "/models", "/procedures", "/review", "/review/judged.csv"]
GIVE += ["/review/judged.jsonl"]
"""Pages and files that hold what others may read."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(2_400)]


def opened(page: Page, path: str) -> None:
    """Goes there and opens all that is folded."""
    page.goto(path)
    if path == "/":
        expect(page.locator("#log .welcome")).to_be_visible(timeout=PATIENCE)
        ask(page, QUESTION, PATIENCE)
    expect(page.locator("#log article")).to_be_visible(timeout=PATIENCE)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")


def test_an_employee_cannot_see_a_restricted_document_by_any_way(app: App, place: Place, visiting: Visit) -> None:
    bert = visiting("bert")
    opened(bert, "/")
    assert SECRET not in bert.content()

    opened(bert, f"/?c={place.conversation}")
    old = bert.locator("#log article")
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

    for path in ("/documents", "/charts"):  # of these everybody has a part
        status, said = told(bert, path)
        assert (status, SECRET in said, place.keys["board.md"] in said) == (200, False, False), path

    record = httpx.post(
        f"{app.address}/api/ask", json={"question": QUESTION}, headers=place.people["bert"].bearer, timeout=900
    )
    assert (record.status_code, SECRET in record.text) == (200, False)
    for path in ("/documents/pairs.csv", f"/documents/{place.keys['board.md']}/original"):
        refused = httpx.get(f"{app.address}{path}", headers=place.people["bert"].bearer, timeout=60)
        assert (refused.status_code, SECRET in refused.text) == (401, False), path


def test_whoever_it_is_for_sees_it_by_every_way(place: Place, visiting: Visit) -> None:
    anna = visiting("anna")
    opened(anna, "/")
    assert SECRET in anna.content()
    anna.locator("#log a.open").first.wait_for()
    for end in ("view", "original"):
        assert (told(anna, f"/documents/{place.keys['board.md']}/{end}")[0]) == 200
    assert told(anna, f"/documents/{place.keys['board.pdf']}/pages/1.png")[0] == 200
    assert {told(anna, path)[0] for path in GIVE if access.needed("GET", path)} == {403}


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
