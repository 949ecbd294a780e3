"""Pages over an open home, through the gate and without a browser: served, fetched and read. And a look at their width
in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


def assert_fits(page: Page, *paths: str) -> None:
    """Nothing stands out of a wide or a narrow window, from the left or from the right."""
    for path in paths:
        page.goto(path)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            for direction in ("ltr", "rtl"):
                page.evaluate("direction => (document.documentElement.dir = direction)", direction)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width, direction)
