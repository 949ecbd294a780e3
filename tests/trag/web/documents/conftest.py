"""Homes over the encoder that is opened once, and the pages of the documents over them, through the gate."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.pages import ADDRESS, gated
from trag.embed import Embedder, open_embedder
from trag.home import Home, open_home
from trag.settings import Settings
from trag.web.documents import page as documents

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
            home.parts["embedder"] = embedder
            yield home

    return opened


@contextmanager
def served(home: Home, **options: Any) -> Iterator[TestClient]:
    """A browser of whoever sits at the machine; `client.documents` is what the routes share."""
    app = gated(home.records, home.settings)
    page = documents.mount(app, home, **options)
    with ExitStack() as closed, TestClient(app, base_url=ADDRESS) as client:
        for each in (page.writing, page.indexing, page.folders):
            closed.callback(each.close)
        client.documents = page  # type: ignore[attr-defined]
        yield client
