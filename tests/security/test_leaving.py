"""Nothing leaves the machine while the app answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import psutil
import pytest

App = Place = Listener = Any  # of conftest.py

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]


def test_an_answer_reaches_for_nothing_beyond_this_machine(app: App, place: Place, listener: Listener) -> None:
    asked = {"question": "What does lunch in the canteen cost?"}
    answer = httpx.post(f"{app.address}/api/ask", json=asked, headers=place.people["root"].bearer, timeout=900)
    assert answer.status_code == 200
    assert [each["document"] for each in answer.json()["sources"] if each["document"].startswith("x<img")]
    program = psutil.Process(app.process.pid)
    for process in (program, *program.children(recursive=True)):
        ends = [each.raddr.ip for each in process.net_connections(kind="inet") if each.raddr]
        assert {end for end in ends if not end.startswith(("127.", "::1", "::ffff:127."))} == set()
        listening = [each.laddr.ip for each in process.net_connections(kind="tcp") if each.status == "LISTEN"]
        assert set(listening) <= {"127.0.0.1"}
    assert not app.reached.exists(), app.reached.read_text(encoding="utf-8")
    assert listener.heard == []


ELSEWHERE = ("http://198.51.100.7/file.txt", "http://reached.example/file.txt")
"""An address for documentation and a name that never is: the app notes them as soon as it reaches for one."""
NUMBERS = range(24)
"""More than the page has functions."""
DOORS = (
    "/gradio_api/call/ask", "/gradio_api/call/v2/ask", "/call/ask", "/gradio_api/api/ask", "/gradio_api/run/ask",
    "/gradio_api/run/predict", "/run/predict", "/api/predict", "/queue/join", "/gradio_api/queue/join/",
    "/gradio_api/component_server", "/gradio_api/upload", "/gradio_api/vibe-edit/",
)  # fmt: skip
"""Where other programs of Gradio's, or other releases of it, take a call."""
FETCHES = ("/gradio_api/file={0}", "/gradio_api/proxy={0}", "/file={0}", "/proxy={0}")


def with_files(address: str) -> Iterator[dict[str, Any]]:
    """Calls that hold a file for Gradio to fetch, openly and deep inside."""
    file: Any = {"path": address, "url": address, "meta": {"_type": "gradio.FileData"}}
    for held in (file, [file], {"value": file}, {"a": [{"b": file}]}, [[[[file]]]], file | {"is_stream": True}):
        yield {"data": [held, ""]}
        yield {"data": ["", held]}
        yield {"data": [[held, ""]], "batched": True}
        yield {"data": held}
        yield {"data": ["", ""], "event_data": held}
        yield {"data": ["", ""], "event_data": {"conversation": held, "question": held, "answer": held}}
        yield {"data": ["", ""], "more": held}


def test_no_call_makes_the_server_fetch_what_an_employee_names(app: App, place: Place, listener: Listener) -> None:
    wrong = {}
    with httpx.Client(base_url=app.address, cookies={"trag": place.people["bert"].cookie}, timeout=60) as client:

        def join(call: dict[str, Any], number: int) -> None:
            tab = {"session_hash": "fetching", "fn_index": number, "trigger_id": None}
            answer = client.post("/gradio_api/queue/join", json=call | tab)
            if answer.status_code == 404 and number:
                return  # no function has that number
            if answer.status_code != 400 or "words" not in answer.text:
                wrong[number, str(call)] = (answer.status_code, answer.text[:200])
            if answer.status_code == 200:  # what it does, it does for who follows it
                with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": "fetching"}) as stream:
                    list(stream.iter_lines())

        for address in (*ELSEWHERE, f"{listener.address}/file"):
            first, *others = with_files(address)
            for number in NUMBERS:
                join(first, number)
            for call in others:
                join(call, 0)
            for door in DOORS:
                if (answer := client.post(door, json=first)).status_code not in (404, 405):
                    wrong[door, address] = (answer.status_code, answer.text[:200])
            for door in FETCHES:
                if (answer := client.get(door.format(address))).status_code not in (400, 404):
                    wrong[door, address] = (answer.status_code, answer.text[:200])
    assert not app.reached.exists(), app.reached.read_text(encoding="utf-8")
    assert listener.heard == []
    assert not wrong
