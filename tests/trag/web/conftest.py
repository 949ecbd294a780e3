"""A home, the real app over it in a process of its own, and a real Chromium."""

import io
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page

from store.records import Records
from tests import model_server
from tests import serving as served
from tests.serving import Job, Visit, chromium, trag, visits
from trag.home import Home, open_home
from trag.settings import Settings

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
SAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor"
EXPRESSIONS = {
    "Where does the Ethics Office sit?": "parent(u1)",
    "What is the Ethics Office directly under?": "parent(u1)",
    "Which units are directly under the Ethics Office?": "children(u1)",
    "What is under the Ethics Office?": "children(u1)",
    "brief me on the Ethics Office": "about(u1)",
    "Where does the Harbour Drones Office sit?": "parent(u1)",
    "Where does the Library sit?": "path(u1), path(u2), path(u3)",
    "Where does the Library (Institute for Health Research) sit?": "path(u1)",
}
"""How the questions of the tests are read."""
FOLLOW_UPS = {"And what is under it?": "What is under the Ethics Office?"}


@pytest.fixture
def records(empty_database: Path, tmp_path: Path) -> Iterator[Records]:
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")) as records:
        yield records


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    """A home that holds nothing."""
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        yield home


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, model_home: Path) -> Path:
    """A home with the sample's chart, the part of its manual that is asked about, and the model made ready."""
    home = tmp_path_factory.mktemp("home")
    (home / "models").symlink_to(model_home / "models")
    trag(home, "chart", "activate", str(SAMPLE / "chart.csv"))
    trag(home, "ingest", str(SAMPLE / "documents" / "part-1-foundations.md"))
    return home


@pytest.fixture(scope="session")
def model_address() -> Iterator[str]:
    """The address of a model that answers what the browser tests ask."""
    with model_server.serving(EXPRESSIONS, FOLLOW_UPS) as address:
        yield address


@pytest.fixture(scope="session")
def serving() -> Serving:
    """Serves a home with the small model or that at an address: the address of the app, and its process, which has
    ended when the block ends."""

    def serve(home: Path, model: str = "") -> AbstractContextManager[tuple[str, Job]]:
        of_model = {"TRAG_MODEL_URL": model, "TRAG_MODEL_NAME": model_server.NAME} if model else {}
        return served.app(home, **of_model)

    return serve


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample's home for one file of tests."""
    return Path(shutil.copytree(sample_home, tmp_path_factory.mktemp("own") / "home", symlinks=True))


@pytest.fixture(scope="module")
def app(serving: Serving, own_home: Path, model_address: str) -> Iterator[str]:
    """The address of the app in a process of its own, which tells where it is, and ends cleanly on SIGTERM."""
    with serving(own_home, model_address) as (address, process):
        yield address
        process.terminate()
        out, err = process.end()
    assert out == f"Open {address}\n"
    assert process.exitcode == 0, err
    assert "Traceback" not in err, err


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """One event loop for every TestClient that is given it: each would start a thread and a loop for every request."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """It ends with its module: Playwright keeps an event loop running, in which tests of other modules could not start
    their own."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens pages on which any error fails the test."""
    with visits(browser) as visit:
        yield visit


@pytest.fixture
def phone(app: str, browser: Browser) -> Iterator[Page]:
    """A window of a phone."""
    size: Any = {"width": 390, "height": 844}
    with browser.new_context(base_url=app, viewport=size, has_touch=True, is_mobile=True) as context:
        yield context.new_page()


@pytest.fixture
def undirected() -> Callable[[BeautifulSoup], list[str]]:
    """Finds the texts that name evil.example and take the direction of the words around them."""

    def find(page: BeautifulSoup) -> list[str]:
        return [
            str(found)
            for found in page.find_all(string=re.compile("evil.example"))
            if found.parent
            and found.parent.name not in ("title", "option", "bdi")
            and "unseen" not in found.parent.get("class", [])
            and not any(tag.get("dir") == "auto" for tag in (found.parent, *found.parent.parents))
        ]

    return find


@pytest.fixture(scope="session")
def pdf() -> Callable[..., bytes]:
    """Makes a PDF of pages, each a heading and the lines under it."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    def make(*pages: tuple[str, Sequence[str]]) -> bytes:
        file = io.BytesIO()
        canvas = Canvas(file, pagesize=A4)
        for heading, lines in pages:
            canvas.setFont("Helvetica-Bold", 18)
            canvas.drawString(72, 770, heading)
            canvas.setFont("Helvetica", 11)
            for number, line in enumerate(lines):
                canvas.drawString(72, 735 - 16 * number, line)
            canvas.showPage()
        canvas.save()
        return file.getvalue()

    return make
