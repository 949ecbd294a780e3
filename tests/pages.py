"""Pages over an open home, through the gate and without a browser: served, fetched and read. And a look at their width
in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from trag.home import Home

ADDRESS = "http://127.0.0.1:7860"


@contextmanager
def served(home: Home, mount: Callable[[FastAPI], Any]) -> Iterator[tuple[TestClient, Any]]:
    """A client of the pages that `mount` adds to an app, and what it gives, which is closed at the end."""
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(home.records, home.settings), functions={})
    with closing(mount(app)) as mounted, TestClient(app, base_url=ADDRESS) as client:
        yield client, mounted


def soup(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    """The page of a path."""
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    return BeautifulSoup(answer.text, "html.parser")


def texts(page: BeautifulSoup | Tag, selector: str) -> list[str]:
    """What each element says, in one line."""
    return [" ".join(each.get_text().split()) for each in page.select(selector)]


def ask(page: Page, question: str, patience: int = 120_000) -> Locator:
    """Asks with Enter; the turn with the answer, waited for so many milliseconds."""
    from playwright.sync_api import expect

    turns = page.locator("#log article")
    before = turns.count()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    answered = turns.nth(before)
    failed = page.locator("#live [role=alert]")
    expect(answered.or_(failed)).to_be_visible(timeout=patience)
    assert not failed.count(), failed.inner_text()
    return answered


def assert_fits_a_phone(page: Page, scheme: str) -> None:
    """It is as wide as a phone and not wider, and as light or dark as asked for."""
    assert page.evaluate("document.documentElement.scrollWidth") == 390, page.url
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", background))) < 60) is (scheme == "dark"), background


def assert_fits(page: Page, *paths: str) -> None:
    """Nothing stands out of a wide or a narrow window, from the left or from the right."""
    for path in paths:
        page.goto(path)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            for direction in ("ltr", "rtl"):
                page.evaluate("direction => (document.documentElement.dir = direction)", direction)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width, direction)
