"""python -m bench.fairness: how long others wait for a page while one caller takes all they can get.

The real app over a home with a PDF of 120 pages. Seven people open their account every quarter of a second; meanwhile
an eighth, or somebody who is not in, sends 60 requests of one kind at a time, or holds connections. Prints a table: the
median and the longest wait of the seven in seconds, the share of the app's own processor, and what the one was told.
docs/RESULTS.md keeps what is worth keeping. Other work on the machine makes all of it longer: the first row says by how
much.
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median

import httpx2 as httpx
import psutil

from bench.documents import document
from store.person import Newcomer
from trag.home import open_home
from trag.settings import Settings
from trag.web.documents.names import key

ROOT = Path(__file__).parent.parent
PAGES = 120
SECONDS = 5
"""For which each kind goes on."""
AT_ONCE = 60
PACE = 0.25
FILES = 1_024
"""Files that the app may have open, as many systems have it."""
STRANGER = "127.0.0.2"
"""Where whoever is not in comes from; what a person does must not reach others at their own address."""
HOSTILE = "4@8({[<36970o$5+7%2" * 4
Send = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]


def kinds(document: str) -> dict[str, tuple[str, Send]]:
    """What is sent, and by whom: "person" or "stranger"."""
    numbers = count(1)
    form = {"shown": HOSTILE[:72], "password": HOSTILE[:72], "again": HOSTILE[:72]}

    def page(first: int) -> Send:
        return lambda client: client.get(f"/documents/{document}/pages/{first + next(numbers) % PAGES}.png")

    def asked(path: str, who: str = "x") -> Send:
        data = form | {"name": who}
        return lambda client: client.post(path, data=data)

    return {
        "pictures of pages": ("person", page(1)),
        "pictures of pages that are not there": ("person", page(1 + PAGES)),
        "the same, opened as a page": ("person", lambda client: client.get(f"/documents/{document}/view?page=999")),
        "its own account": ("person", lambda client: client.get("/account")),
        "new passwords for itself": ("person", asked("/account/password")),
        "accounts": ("stranger", asked("/account/new", "zz0")),
        "wrong passwords": ("stranger", lambda client: asked("/sign-in", f"n{next(numbers)}")(client)),
        "the page to sign in on": ("stranger", lambda client: client.get("/sign-in")),
        "pages with a cookie that opens nothing": (
            "stranger",
            lambda client: client.get("/account", headers={"Cookie": "trag=none", "Accept": "text/html"}),
        ),
        "addresses that are not there": ("stranger", lambda client: client.get("/none")),
        "files of pages": ("stranger", lambda client: client.get("/pages.css")),
    }


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, psutil.Process, list[str], str]]:
    """The app over a new home: its address and process, what each browser holds, and the document's key."""
    given = folder / "manual.pdf"
    given.write_bytes(document(PAGES))
    with open_home(Settings(home=folder)) as home:
        failed = [each for each in home.ingest([given], replace=False, progress=lambda *_: None) if each.failed]
        assert not failed, failed
        people = home.records.people
        people.add(Newcomer("root", role="admin", state="active"), by="bench")
        added = people.add_all([Newcomer(f"n{number}", state="active") for number in range(20)], by="bench")
        cookies = [home.records.sessions.begin(person.id)[0] for person in added]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {"TRAG_HOME": str(folder), "TRAG_PORT": str(port), "PYTHONPATH": str(ROOT)}
    with (folder / "log").open("w") as log:
        app = subprocess.Popen(
            ["bash", "-c", f'ulimit -n {FILES}; exec "$0" app.py', sys.executable],
            env=environment, cwd=ROOT, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        for _ in range(600):
            with suppress(httpx.TransportError):
                httpx.get(f"{address}/health")
                break
            time.sleep(0.2)
        yield address, psutil.Process(app.pid), cookies, key("manual.pdf")
    finally:
        app.terminate()
        app.wait(60)


def client(address: str, cookie: str = "", source: str = "127.0.0.1") -> httpx.AsyncClient:
    """A browser, or a program that poses as one, that comes from an address of this machine."""
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE)
    transport = httpx.AsyncHTTPTransport(local_address=source, limits=limits)
    cookies = {"trag": cookie} if cookie else {}
    return httpx.AsyncClient(base_url=address, transport=transport, cookies=cookies, timeout=60, trust_env=False)


@asynccontextmanager
async def flooding(by: httpx.AsyncClient, send: Send) -> AsyncIterator[Counter[str]]:
    """One caller that sends without end, until the block ends, and what they are told."""
    told: Counter[str] = Counter()

    async def without_end() -> None:
        while True:
            try:
                told[str((await send(by)).status_code)] += 1
            except httpx.TransportError as error:
                told[type(error).__name__] += 1

    async with by:
        tasks = [asyncio.create_task(without_end()) for _ in range(AT_ONCE)]
        yield told
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def holding(port: int, sent: bytes, connections: int = 1_100) -> AsyncIterator[Counter[str]]:
    """One caller that holds connections and says as much on each."""
    async with AsyncExitStack() as stack:
        for _ in range(connections):
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(STRANGER, 0))
                stack.callback(writer.close)
                writer.write(sent)
        yield Counter()


async def waits(address: str, cookies: list[str]) -> list[float]:
    """Seconds that each of seven waits for a page, again and again; 60 where there is none."""
    found: list[float] = []

    async def visit(cookie: str) -> None:
        async with client(address, cookie) as browser:
            until = time.perf_counter() + SECONDS
            while (began := time.perf_counter()) < until:
                try:
                    right = (await browser.get("/account")).status_code == 200
                except httpx.TransportError:
                    right = False
                found.append(time.perf_counter() - began if right else 60)
                await asyncio.sleep(PACE)

    await asyncio.gather(*map(visit, cookies))
    return found


async def measured(address: str, app: psutil.Process, cookies: list[str], document: str) -> None:
    """The table."""
    port, seven, others = int(address.rsplit(":", 1)[1]), cookies[:7], iter(cookies[7:])
    half = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nabc"
    rows: dict[str, Callable[[], object]] = {"nothing": lambda: holding(port, b"", 0)}
    for what, (by, send) in kinds(document).items():
        cookie, source = (next(others), "127.0.0.1") if by == "person" else ("", STRANGER)
        rows[what] = lambda cookie=cookie, source=source, send=send: flooding(client(address, cookie, source), send)  # type: ignore[misc]
    rows["1,100 connections that say nothing"] = lambda: holding(port, b"")
    rows["1,100 connections with half a request"] = lambda: holding(port, half)
    print("| one caller sends | median wait | longest | processor | told |\n|---|---|---|---|---|")
    for what, flood in rows.items():
        async with flood() as told:  # type: ignore[attr-defined]
            before, began = sum(app.cpu_times()[:2]), time.perf_counter()
            found = await waits(address, seven)
            share = (sum(app.cpu_times()[:2]) - before) / (time.perf_counter() - began)
        said = ", ".join(f"{status} {number:,}" for status, number in told.most_common())
        print(f"| {what} | {median(found):.3f} | {max(found):.3f} | {share:.0%} | {said} |", flush=True)


def main() -> None:
    """Fill a home, serve it, measure, print."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (address, app, cookies, document):
        asyncio.run(measured(address, app, cookies, document))


if __name__ == "__main__":
    main()
