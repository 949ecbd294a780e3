"""The real app in a process of its own, and a real Chromium, for tests that look at pages."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from playwright.sync_api import Browser, expect, sync_playwright

ROOT = Path(__file__).parents[1]
QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextmanager
def app(
    home: Path, log: int | IO[str] = subprocess.PIPE, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of the app over a home, and its process, which has ended when the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"TRAG_HOME": str(home), "TRAG_PORT": str(port)} | environment
    command, address = [sys.executable, "app.py"], f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, text=True) as process:
        try:
            _wait(f"{address}/healthz", process)
            yield address, process
        except BaseException:
            process.kill()
            raise


def _wait(address: str, process: subprocess.Popen[str]) -> None:
    """Until the app answers, or has died."""
    for _ in range(1_200):
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            assert process.poll() is None, process.communicate()[1] or f"{address} ended: see its log"
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
