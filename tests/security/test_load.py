"""Two hundred questions at once, from people and programs, on the embedded model: nobody sees what is another's."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import psutil
import pytest

from trag.web.active_runs import AT_ONCE

log = logging.getLogger(__name__)
App = Place = Known = Any  # of conftest.py
FLOOD, BY_PAGE, BY_PROGRAM = 40, 24, 136
PLACES = 1 + 5
"""One question is answered while five wait: WAITING of conftest.py."""
SECRET = "marzipan-vault-8841"
MARK = re.compile(r"mark-\d{4}")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2_400)]


@dataclass(frozen=True, slots=True)
class Heard:
    """What one asker got: the mark of the question, "answered" or why not, and every byte that came."""

    mark: str
    outcome: str
    text: str


def question(mark: str) -> str:
    return f"What is the word of the Board, {mark}?"


async def by_program(client: httpx.AsyncClient, who: Known, mark: str) -> Heard:
    answer = await client.post("/api/ask", headers=who.bearer, json={"question": question(mark)})
    outcome = "answered" if answer.status_code == 200 else str(answer.status_code)
    if answer.status_code == 429:
        assert answer.headers["retry-after"] == "10"
        outcome = "own" if "of your questions" in answer.text else "line" if "already waiting" in answer.text else "429"
    if answer.status_code == 200:
        assert answer.json()["question"] == question(mark)
    return Heard(mark, outcome, answer.text)


async def by_page(client: httpx.AsyncClient, who: Known, mark: str, functions: dict[str, int]) -> Heard:
    """As the browser does it: one call that asks, and one that follows the answer."""
    tab, heard = f"tab-{mark}", ""

    async def call(function: str, data: list[Any]) -> list[Any]:
        nonlocal heard
        join = {"data": data, "event_data": None, "fn_index": functions[function], "session_hash": tab}
        begun = await client.post("/gradio_api/queue/join", json=join, headers={"Cookie": f"trag={who.cookie}"})
        assert begun.status_code == 200, begun.text
        stream = client.stream(
            "GET", "/gradio_api/queue/data", params={"session_hash": tab}, headers={"Cookie": f"trag={who.cookie}"}
        )
        async with stream as lines:
            async for line in lines.aiter_lines():
                heard += line
                told = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                if told.get("msg") == "process_completed" and told["event_id"] == begun.json()["event_id"]:
                    assert told["success"], line
                    return list(told["output"]["data"])
        raise AssertionError("the stream ended before the answer")

    chosen, *_ = await call("ask", [question(mark), ""])
    if not isinstance(chosen, str):
        return Heard(mark, "own" if "of your questions" in heard else "?", heard)
    await call("follow_1", [chosen])
    outcome = "line" if "already waiting" in heard else "answered" if re.search("answer-[0-9a-f]{32}", heard) else "?"
    return Heard(mark, outcome, heard)


@contextmanager
def watched(pid: int) -> Iterator[dict[str, int]]:
    """The most memory and threads that a process takes until the block ends, in bytes."""
    process, over, most = psutil.Process(pid), threading.Event(), {"bytes": 0, "threads": 0}

    def watch() -> None:
        while not over.wait(0.2):
            most["bytes"] = max(most["bytes"], process.memory_info().rss)
            most["threads"] = max(most["threads"], process.num_threads())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


async def all_of_them(app: App, place: Place) -> tuple[list[Heard], list[Heard]]:
    """What one who floods the line got, and everybody else."""
    people, numbers = place.people, iter(range(1_000, 10_000))
    mark = lambda: f"mark-{next(numbers)}"  # noqa: E731
    others = [who for name, who in people.items() if name.startswith("asker")]
    limits = httpx.Limits(max_connections=300, max_keepalive_connections=0)  # one that the server closes is never met
    async with httpx.AsyncClient(base_url=app.address, timeout=2_000, limits=limits) as client:
        page = (await client.get("/", headers={"Cookie": f"trag={others[0].cookie}"})).text
        config = re.search(r"window\.gradio_config\s*=\s*(\{.*?\});\s*</script>", page, re.DOTALL)
        assert config
        functions = {each["api_name"]: each["id"] for each in json.loads(config[1])["dependencies"]}
        flood = [asyncio.create_task(by_program(client, people["flood"], mark())) for _ in range(FLOOD)]
        while sum(task.done() for task in flood) < FLOOD - AT_ONCE:
            await asyncio.sleep(0.1)
        rest = [
            asyncio.create_task(by_page(client, others[number % len(others)], mark(), functions))
            for number in range(BY_PAGE)
        ] + [
            asyncio.create_task(by_program(client, others[number % len(others)], mark()))
            for number in range(BY_PROGRAM)
        ]
        return list(await asyncio.gather(*flood)), list(await asyncio.gather(*rest))


def test_two_hundred_at_once_are_answered_or_refused_and_nobody_sees_what_is_anothers(app: App, place: Place) -> None:
    process = psutil.Process(app.process.pid)
    warm = httpx.post(
        f"{app.address}/api/ask",
        json={"question": "What does tea cost?"},
        headers=place.people["root"].bearer,
        timeout=900,
    )
    assert warm.status_code == 200
    before, threads, began = process.memory_info().rss, process.num_threads(), time.monotonic()
    with watched(process.pid) as most:
        flood, rest = asyncio.run(all_of_them(app, place))
    told = Counter(each.outcome for each in rest)
    seen = {
        "flood": Counter(each.outcome for each in flood), "others": told, "MiB": (most["bytes"] - before) >> 20,
        "threads": most["threads"] - threads, "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    log.info("%s", seen)
    assert len(flood) + len(rest) == 200
    flooded = Counter(each.outcome for each in flood)
    assert set(flooded) == {"answered", "own"}, seen
    assert AT_ONCE <= flooded["answered"] <= FLOOD // 2, seen  # a fast machine has answered some meanwhile
    assert told["answered"] >= PLACES - AT_ONCE, f"nobody got in beside the one who floods: {seen}"
    assert set(told) <= {"answered", "line", "own"}, seen
    marks = {each.mark: set(MARK.findall(each.text)) for each in (*flood, *rest)}
    foreign = {mark: found for mark, found in marks.items() if found - {mark}}
    assert not foreign
    assert all(marks[each.mark] for each in rest if each.outcome == "answered")
    assert not [each.mark for each in (*flood, *rest) if SECRET in each.text]
    assert most["bytes"] - before < 300 << 20, seen
    for _ in range(100):
        if process.num_threads() <= threads + 60:
            break
        time.sleep(0.1)
    assert process.num_threads() <= threads + 60, seen
