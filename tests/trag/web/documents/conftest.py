"""Homes over the encoder that is opened once, and the pages of the documents over them, through the gate."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from trag.embed import Embedder, open_embedder
from trag.home import Home, open_home
from trag.settings import Settings
from trag.web.documents import page as documents
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

Opened = Callable[[Path], AbstractContextManager[Home]]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return open_embedder(Settings().embedder)


@pytest.fixture(scope="session")
def opened(embedder: Embedder) -> Opened:
    """Opens a home in a folder."""

    @contextmanager
    def opened(folder: Path) -> Iterator[Home]:
        with open_home(Settings(home=folder)) as home:
            home.__dict__["embedder"] = embedder
            yield home

    return opened


@contextmanager
def served(home: Home, **options: Any) -> Iterator[TestClient]:
    """A browser of whoever sits at the machine; `client.documents` is what the routes share."""
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(home.records, home.settings), functions={})
    page = documents.mount(app, home, **options)
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
        client.documents = page  # type: ignore[attr-defined]
        yield client
    page.writing.close()


def soup(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    return BeautifulSoup(answer.text, "html.parser")


def words(page: BeautifulSoup | Tag, selector: str) -> str:
    return " ".join(" ".join(found.get_text(" ").split()) for found in page.select(selector))
