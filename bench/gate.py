"""python -m bench.gate: what the gate adds to a request, at the median and at the 99th percentile.

One app behind nothing, behind the gate of a home without accounts, and behind the gate with a session that is looked up
in records of 1,000 people, asked in turns in one process, so that whatever else the machine does slows all. Prints a
table in milliseconds; docs/RESULTS.md keeps the ones worth keeping.
"""

import asyncio
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from store.person import Newcomer
from store.records import Records
from trag.settings import Settings
from trag.web import gate
from trag.web.access import FUNCTIONS
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.request_limits import Allowance

PEOPLE = 1_000
REQUESTS = 1_000
App = Callable[[Any, Any, Any], Awaitable[None]]
CALLS = {
    "a page": ("GET", "/documents", b"", b""),
    "a stylesheet": ("GET", "/pages.css", b"", b""),
    "a question": ("POST", "/gradio_api/queue/join", b"", b'{"session_hash": "a", "fn_index": 5, "data": ["Who?"]}'),
}


async def answered(scope: Any, receive: Any, send: Any) -> None:
    """The app: reads the body, answers in one piece."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def once(app: App, call: tuple[str, str, bytes, bytes], cookie: str) -> float:
    """Seconds that one request takes."""
    method, path, query, body = call
    headers = [(b"host", b"127.0.0.1:7860"), (b"cookie", cookie.encode()), (b"accept", b"text/html")]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": headers}
    status = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)

    began = time.perf_counter()
    await app(scope | {"client": ("127.0.0.1", 4711)}, receive, send)
    took = time.perf_counter() - began
    if status != 200:
        sys.exit(f"{path}: {status}")
    return took


async def measured(apps: dict[str, App], cookie: str) -> None:
    """The table."""
    print(f"{'':14}{'':28}{'median':>9}{'99th':>9}{'adds':>9}  ms")
    for what, call in CALLS.items():
        times: dict[str, list[float]] = {name: [] for name in apps}
        for number in range(REQUESTS):
            for name, app in apps.items():
                took = await once(app, call, cookie)
                if number >= 50:
                    times[name].append(took * 1000)
        bare = statistics.median(times["bare"])
        for name, found in times.items():
            median, late = statistics.median(found), statistics.quantiles(found, n=100)[98]
            print(f"{what:14}{name:28}{median:9.3f}{late:9.3f}{median - bare:9.3f}")


def main() -> None:
    """Everything, on a database of its own."""
    logging.disable(logging.WARNING)
    gate.PERSON = Allowance(10**9, 10**9)  # nobody else is kept waiting here
    functions = dict(enumerate(FUNCTIONS.values()))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with (
            closing(Records(f"sqlite:///{place / 'none.db'}")) as none,
            closing(Records(f"sqlite:///{place / 'many.db'}")) as many,
        ):
            everybody = [Newcomer(f"person-{number}", role="admin", state="active") for number in range(PEOPLE)]
            secrets = [many.sessions.begin(person.id)[0] for person in many.people.add_all(everybody, by="bench")]
            apps: dict[str, App] = {
                "bare": answered,
                "gate, no accounts": Gate(answered, Authenticator(none, Settings(home=place)), functions),
                "gate, a session of 1,000": Gate(answered, Authenticator(many, Settings(home=place)), functions),
            }
            asyncio.run(measured(apps, f"trag={secrets[500]}"))


if __name__ == "__main__":
    main()
