"""Pages over an open home, through the gate and without a browser: served, fetched and read. And a look at their width
in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from store.person import Newcomer, Role
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from httpx import Response
    from playwright.sync_api import Locator, Page

    from store.records import Records
    from trag.home import Home
    from trag.people import CurrentUser
    from trag.web.access import Function
    from trag.web.visitors import Shell

ADDRESS = "http://127.0.0.1:7860"


def gated(
    records: Records,
    settings: Settings | None = None,
    functions: Mapping[int, Function] | None = None,
    shells: Callable[[CurrentUser], Shell] | None = None,
) -> FastAPI:
    """An app without pages behind the gate of those records."""
    app, door = FastAPI(openapi_url=None), Authenticator(records, settings or Settings())
    app.add_middleware(Gate, door=door, functions=functions or {}, shells=shells)
    return app


@contextmanager
def served(home: Home, mount: Callable[[FastAPI], Any]) -> Iterator[tuple[TestClient, Any]]:
    """A client of the pages that `mount` adds to an app, and what it gives, which is closed at the end."""
    app = gated(home.records, home.settings)
    with closing(mount(app)) as mounted, TestClient(app, base_url=ADDRESS) as client:
        yield client, mounted


def signed_in(
    records: Records, app: FastAPI, people: Mapping[str, tuple[Role, str]], portal: BlockingPortal
) -> dict[str, tuple[str, TestClient]]:
    """Adds people of a role and a unit; the id of each, and a browser where they are signed in."""
    found = {}
    for name, (role, unit) in people.items():
        newcomer = Newcomer(name, shown=name.title(), role=role, state="active", unit=unit)
        person = records.people.add(newcomer, by="test")
        cookies = {"trag": records.sessions.begin(person.id)[0]}
        browser = TestClient(app, base_url=ADDRESS, cookies=cookies, client=("127.0.0.1", 4711))
        browser.portal = portal
        found[name] = (person.id, browser)
    return found


def parsed(answer: Response) -> BeautifulSoup:
    """The page that came back."""
    return BeautifulSoup(answer.text, "html.parser")


def soup(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    """The page of a path."""
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    return parsed(answer)


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


def words(page: BeautifulSoup | Tag, selector: str) -> str:
    """What all of them say, in one line, a space between any two parts."""
    return " ".join(" ".join(each.get_text(" ").split()) for each in page.select(selector))


def assert_fits(page: Page, *paths: str) -> None:
    """Nothing stands out of a wide or a narrow window, from the left or from the right."""
    for path in paths:
        page.goto(path)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            for direction in ("ltr", "rtl"):
                page.evaluate("direction => (document.documentElement.dir = direction)", direction)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width, direction)
