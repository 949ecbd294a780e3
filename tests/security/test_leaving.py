"""Nothing leaves the machine while the app answers."""

from __future__ import annotations

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
