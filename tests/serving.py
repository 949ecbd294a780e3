"""The real app in a process of its own, and a real Chromium, for tests that look at pages."""

import multiprocessing
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from trag.terminal.main import main

Visit = Callable[..., Page]
ROOT = Path(__file__).parents[1]
QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
multiprocessing.get_context("forkserver").set_forkserver_preload(
    ["chromadb", "gradio", "mcp", "sentence_transformers", "spacy", "trag.home", "trag.web.serve"]
)
NUMBERS = count()
for name, value in (("GOMP_SPINCOUNT", "1000"), ("HF_HUB_OFFLINE", "1")):
    os.environ.setdefault(name, value)  # as `main` does, but before the libraries that read them are imported


class Job(ForkServerProcess):
    """A job of `python -m trag` over a home, forked from a process that has imported what takes seconds. What it says
    goes to two files beside the home."""

    def __init__(self, home: Path, *job: str, **environment: str) -> None:
        super().__init__()
        self.job, self.environment = job, os.environ | {"TRAG_HOME": str(home)} | environment
        number = next(NUMBERS)
        self.out, self.err = (home.with_name(f"{home.name} {number}.{end}") for end in ("out", "err"))

    def run(self) -> None:
        os.environ.clear()
        os.environ.update(self.environment)
        for descriptor, path in ((1, self.out), (2, self.err)):
            with path.open("wb") as file:
                os.dup2(file.fileno(), descriptor)
        sys.exit(main(self.job))

    def end(self, timeout: float = 120) -> tuple[str, str]:
        """What it has said, as soon as it has ended by itself, or in time after it was told to."""
        self.join(timeout)
        assert self.exitcode is not None, "it goes on"
        return self.out.read_text("utf-8"), self.err.read_text("utf-8")


def trag(home: Path, *job: str) -> None:
    """Does a job of the terminal over a home."""
    process = Job(home, *job)
    process.start()
    _, said = process.end(600)
    assert process.exitcode == 0, said


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


@contextmanager
def app(home: Path, **environment: str) -> Iterator[tuple[str, Job]]:
    """The address of the app over a home, and its process, which has ended when the block ends."""
    port = _free_port()
    process = Job(home, "serve", TRAG_PORT=port, **environment)
    process.start()
    try:
        _wait(address := f"http://127.0.0.1:{port}", process.is_alive, process.err)
        yield address, process
    finally:
        process.kill()
        process.join()


@contextmanager
def app_of_its_own(home: Path, log: Path, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The same by `python app.py`, for what must be so before anything is imported; what it says goes to `log`."""
    port = _free_port()
    environment = os.environ | {"TRAG_HOME": str(home), "TRAG_PORT": port} | environment
    command = [sys.executable, "app.py"]
    with (
        log.open("w") as said,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=said, text=True) as process,
    ):
        try:
            _wait(address := f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
            yield address, process
        finally:
            process.kill()


def _wait(address: str, alive: Callable[[], bool], log: Path) -> None:
    """Until the app answers, or has died."""
    for _ in range(1_200):
        try:
            urllib.request.urlopen(f"{address}/health", timeout=5).close()
        except OSError:
            assert alive(), log.read_text("utf-8")
            time.sleep(0.25)
        else:
            return
    raise AssertionError(f"{address} does not answer")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The Chromium on the PATH, else Playwright's own."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    expect.set_options(timeout=30_000)  # a busy machine may take more than the usual 5 seconds over a page
    with sync_playwright() as playwright:
        arguments = [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else QUIET
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@contextmanager
def visits(browser: Browser, patience: int = 60_000, refused: str = "$^", *, abroad: bool = False) -> Iterator[Visit]:
    """Opens pages, each in a browser of its own, for whoever has a cookie. Any dialog, any request to another host
    (unless it goes `abroad`) and any error on a console but for those that are `refused` fails the test."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def visit(address: str, cookie: str = "", **options: Any) -> Page:
        context = browser.new_context(base_url=address, **options)
        context.set_default_timeout(patience)
        if cookie:
            context.add_cookies([{"name": "trag", "value": cookie, "url": address}])

        def heard(message: ConsoleMessage) -> None:
            if message.type == "error" and not re.search(refused, message.text):
                wrong.append(message.text)

        def left(request: Request) -> None:
            if not abroad and not request.url.startswith((address, "data:")):
                wrong.append(request.url)

        context.on("console", heard)
        context.on("weberror", lambda error: wrong.append(str(error.error)))
        context.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        context.on("request", left)
        contexts.append(context)
        return context.new_page()

    yield visit
    for context in contexts:
        context.close()
    assert not wrong, wrong
