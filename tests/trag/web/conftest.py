"""A home, the real app over it in a process of its own, and a real Chromium."""

import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests import model_server

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "examples" / "larkmoor"
EXPRESSIONS = {
    "Where does the Ethics Office sit?": "parent(u1)",
    "What is the Ethics Office directly under?": "parent(u1)",
    "Which units are directly under the Ethics Office?": "children(u1)",
    "What is under the Ethics Office?": "children(u1)",
    "Where does the Harbour Drones Office sit?": "parent(u1)",
    "Where does the Library sit?": "path(u1), path(u2), path(u3)",
    "Where does the Library (Institute for Health Research) sit?": "path(u1)",
}
"""How the questions of the tests are read."""
FOLLOW_UPS = {"And what is under it?": "What is under the Ethics Office?"}
QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, model_home: Path) -> Path:
    """A home with the sample's chart, the part of its manual that is asked about, and the model made ready."""
    home = tmp_path_factory.mktemp("home")
    (home / "models").symlink_to(model_home / "models")
    for job in (
        ("chart", "activate", str(SAMPLE / "chart.csv")),
        ("ingest", str(SAMPLE / "documents" / "part-1-foundations.md")),
    ):
        run = subprocess.run(
            [sys.executable, "-m", "trag", *job],
            cwd=ROOT,
            env=os.environ | {"TRAG_HOME": str(home)},
            capture_output=True,
        )
        assert run.returncode == 0, run.stderr.decode()
    return home


@pytest.fixture(scope="session")
def model_address() -> Iterator[str]:
    """The address of a model that answers what the browser tests ask."""
    with model_server.serving(EXPRESSIONS, FOLLOW_UPS) as address:
        yield address


@pytest.fixture(scope="session")
def serving(sample_home: Path) -> Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]]:
    """Serves the sample's home, or another, with the small model or that at an address: the address of the app, and its
    process, which has ended when the block ends."""

    @contextmanager
    def serve(home: Path = sample_home, model: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        environment = os.environ | {"TRAG_HOME": str(home), "TRAG_PORT": str(port)}
        if model:
            environment |= {"TRAG_MODEL_URL": model, "TRAG_MODEL_NAME": model_server.NAME}
        with subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            address = f"http://127.0.0.1:{port}"
            try:
                wait_for(f"{address}/healthz", process)
                yield address, process
            except BaseException:
                process.kill()
                raise

    return serve


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample's home for one file of tests."""
    return Path(shutil.copytree(sample_home, tmp_path_factory.mktemp("own") / "home", symlinks=True))


@pytest.fixture(scope="module")
def app_model(model_address: str) -> str:
    """The address of the model that the app asks, "" for the small one of the tests."""
    return model_address


@pytest.fixture(scope="module")
def app(
    serving: Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]], own_home: Path, app_model: str
) -> Iterator[str]:
    """The address of the app in a process of its own, which tells where it is, and ends cleanly on SIGTERM."""
    with serving(own_home, app_model) as (address, process):
        yield address
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert out == f"Open {address}\n"
    assert process.returncode == 0, err
    assert "Traceback" not in err, err


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """One event loop for every TestClient that is given it: each would start a thread and a loop for every request."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The Chromium on the PATH, else Playwright's own. It ends with its module: Playwright keeps an event loop running,
    in which tests of other modules could not start their own."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    expect.set_options(timeout=30_000)  # a busy machine may take more than the usual 5 seconds over a page
    with sync_playwright() as playwright:
        arguments = [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else QUIET
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def context(app: str, browser: Browser) -> Iterator[BrowserContext]:
    """Visits in which any error on a console, any dialog and any request to another host fails the test."""
    context = browser.new_context(base_url=app)
    context.set_default_timeout(60_000)
    wrong: list[str] = []
    context.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    context.on("request", lambda request: None if request.url.startswith((app, "data:")) else wrong.append(request.url))
    yield context
    context.close()
    assert not wrong


@pytest.fixture(scope="session")
def ask() -> Callable[[Page, str], Locator]:
    """Asks with Enter; the turn with the answer."""

    def ask(page: Page, question: str) -> Locator:
        turns = page.locator("#log article")
        before = turns.count()
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        answered = turns.nth(before)
        failed = page.locator("#live [role=alert]")
        expect(answered.or_(failed)).to_be_visible(timeout=120_000)
        assert not failed.count(), failed.inner_text()
        return answered

    return ask


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


def wait_for(address: str, process: subprocess.Popen[str]) -> None:
    """Until the app answers, or has died."""
    for _ in range(480):
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.25)
        else:
            return
    pytest.fail(f"{address} does not answer")


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
