"""What no browser sends: heads without end, two lengths, half a request, paths that climb. Bytes on a real socket."""

from __future__ import annotations

import json
import re
import resource
import socket
import time
from contextlib import ExitStack, suppress
from typing import Any

import httpx2 as httpx
import pytest

App = Place = Any  # of conftest.py
CHUNKED = "Transfer-Encoding: chunked\r\n"
PATIENCE = 30.0
"""Seconds for an answer of a machine that does other things too."""
LEFT = 66
"""Two calls more than are kept for somebody who comes for none of them."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]


def talk(app: App, sent: bytes) -> bytes:
    """All that comes back until the other side closes, or says nothing more."""
    with socket.create_connection(("127.0.0.1", app.port), timeout=PATIENCE) as wire:
        heard = b""
        try:
            wire.sendall(sent)
            while part := wire.recv(65_536):
                heard += part
        except (ConnectionError, TimeoutError):
            pass
    return heard


def head(app: App, line: str, more: str = "", *, close: bool = True) -> bytes:
    end = "Connection: close\r\n\r\n" if close else "\r\n"
    return f"{line} HTTP/1.1\r\nHost: 127.0.0.1:{app.port}\r\n{more}{end}".encode("latin-1")


def status(heard: bytes) -> int:
    return int(heard.split(b" ", 2)[1]) if heard.startswith(b"HTTP/1.") else 0


@pytest.mark.parametrize(
    ("more", "body"),
    [
        (f"Content-Length: 5\r\n{CHUNKED}", "0\r\n\r\nGET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        ("Content-Length: 5\r\nContent-Length: 50\r\n", "hello"),
        ("Content-Length: 5, 50\r\n", "hello"),
        ("Content-Length: +5\r\n", "hello"),
        ("Content-Length: -1\r\n", ""),
        ("Content-Length: 0x5\r\n", "hello"),
        ("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
        (CHUNKED, "zz\r\nhello\r\n0\r\n\r\n"),
        (CHUNKED, "-5\r\nhello\r\n0\r\n\r\n"),
        ("X: a\0b\r\n", ""),
        (" X: a\r\n", ""),
        ("Host: evil.example\r\n", ""),
    ],
    ids=["length and chunks", "two lengths", "a list of lengths", "plus", "minus", "hexadecimal", "identity",
         "unheard of", "no number", "a negative chunk", "nul", "a folded line", "two hosts"],
)  # fmt: skip
def test_a_request_that_two_readers_would_read_differently_is_refused(app: App, more: str, body: str) -> None:
    heard = talk(app, head(app, "POST /sign-in", more, close=False) + body.encode())
    assert status(heard) in (400, 413, 421, 501), heard[:300]
    assert heard.count(b"HTTP/1.") == 1


@pytest.mark.parametrize("where", ["a header", "many headers", "the address"])
def test_the_head_of_a_request_has_a_bound(app: App, where: str) -> None:
    much = {
        "a header": head(app, "GET /health", f"X: {'a' * 2_000_000}\r\n"),
        "many headers": head(app, "GET /health", "".join(f"X-{n}: a\r\n" for n in range(100_000))),
        "the address": head(app, f"GET /health?{'a' * 2_000_000}"),
    }
    # The refusal is lost where the other side hangs up on what is still being sent.
    assert status(talk(app, much[where])) in (0, 400, 414, 431)
    assert status(talk(app, head(app, "GET /health", f"X: {'a' * 8_000}\r\n"))) == 200
    assert status(talk(app, head(app, f"GET /{'a' * 8_000}"))) == 404
    assert max(map(len, app.log.read_text("utf-8").splitlines())) < 400, "a line for each refusal, and a short one"


HALVES = {
    "nothing": "",
    "half a head": "GET /sign-in HTTP/1.1\r\nHost: ",
    "half a body": "POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\na",
}


@pytest.mark.parametrize("sent", HALVES)
def test_others_are_served_while_one_holds_more_connections_than_the_app_may_have_files(
    app: App, place: Place, sent: str
) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, hard), hard))
    cookies = {"trag": place.people["root"].cookie}
    with ExitStack() as stack:
        for _ in range(1_100):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", app.port), timeout=PATIENCE))
            with suppress(ConnectionError):  # the first ones have made room
                wire.sendall(HALVES[sent].encode())
        for path in ("/health", "/people", "/health", "/people"):
            assert httpx.get(f"{app.address}{path}", cookies=cookies, timeout=PATIENCE).status_code == 200


def test_the_scripts_of_every_page_are_those_of_its_template(app: App, place: Place) -> None:
    for path in ("/", "/people", "/documents"):
        answer = httpx.get(f"{app.address}{path}", cookies={"trag": place.people["root"].cookie}, timeout=PATIENCE)
        (nonce,) = re.findall(r"'nonce-([\w-]+)'", answer.headers["content-security-policy"])
        assert answer.text.count("<script") == answer.text.count(f'<script nonce="{nonce}"') >= 2, path


def test_ranges_without_end_take_no_time(app: App) -> None:
    ranges = ",".join(f"{n}-{n + 1}" for n in range(5_000))
    began = time.monotonic()
    answer = talk(app, head(app, "GET /ask.css", f"Range: bytes={ranges}\r\n"))
    assert status(answer) in (200, 206, 400, 416)
    assert time.monotonic() - began < 20


CLIMBS = [
    "/assets/../../../../trag.toml", "/assets/..%2f..%2f..%2ftrag.toml", "/assets/%2e%2e/%2e%2e/trag.toml",
    "/assets//etc/passwd", "/assets/%2fetc/passwd", "/assets/..%5c..%5ctrag.toml", "/assets/%252e%252e%252ftrag.toml",
    "/static/js/../../trag.toml", "/static/js//etc/passwd", "/gradio_api/file=/etc/passwd",
    "/gradio_api/file=http://127.0.0.1:1/", "/gradio_api/file/etc/passwd", "/file=trag.db", "/trag.db", "/trag.toml",
    "/documents/../trag.toml", "/documents/%2e%2e/trag.toml", "/documents/0af%00/view", "/..;/trag.toml",
    "/charts/versions/..%2f..%2ftrag.toml", "/people/..%2f..%2ftrag.db", "/quality/runs/..%2f..%2ftrag.db/report.md",
    "/%c0%ae%c0%ae/trag.toml", "/ask.css/../../trag.toml", "/ask.css%00.png", "//127.0.0.1/etc/passwd",
    "/gradio_api/proxy=http://127.0.0.1:1/", "/gradio_api/component_server", "/gradio_api/token", "/config",
]  # fmt: skip


def test_no_path_leads_out_of_the_house_even_for_an_admin(app: App, place: Place) -> None:
    cookie = f"Cookie: trag={place.people['root'].cookie}\r\n"
    assert status(talk(app, head(app, "GET /people", cookie))) == 200
    wrong = {}
    for path in CLIMBS:
        heard = talk(app, head(app, f"GET {path}", cookie))
        if status(heard) not in (400, 404, 421) or b"root:" in heard or b"answer_tokens" in heard:
            wrong[path] = heard[:200]
    assert not wrong


BODIES = {
    "deep": b'{"question": ' + b"[" * 100_000,
    "deep objects": b'{"question":' * 50_000,
    "twenty megabytes": json.dumps({"question": "a" * 20_000_000}).encode(),
    "a million lines": json.dumps({"question": "\n" * 900_000 + "?"}).encode(),
    "marks": json.dumps({"question": "*_`[(" * 150_000}).encode(),
    "a huge number": b'{"question": 1' + b"0" * 500_000 + b"}",
    "twice": b'{"question": "a", "question": {"b": 1}}',
    "not a number": b'{"question": NaN}',
    "half a pair": b'{"question": "\\ud800"}',
    "no utf-8": b'{"question": "\xff\xfe"}',
    "many names": json.dumps({f"{number:x}": 1 for number in range(80_000)}).encode(),
    "many turns": json.dumps({"question": "a", "history": [{"x": 1}] * 80_000}).encode(),
    "more than asked": b'{"question": "a", "role": "admin", "person": "root", "readers": null}',
    "nothing": b"",
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_no_question_is_refused_soon_and_in_words(app: App, place: Place, kind: str) -> None:
    headers = place.people["bert"].bearer | {"Content-Type": "application/json"}
    began = time.monotonic()
    try:
        answer = httpx.post(f"{app.address}/api/ask", content=BODIES[kind], headers=headers, timeout=PATIENCE)
    except httpx.TransportError:  # it hung up on what is too large
        assert kind == "twenty megabytes"
        return
    assert answer.status_code in (413, 422), answer.text[:300]
    detail = answer.json()["detail"]
    assert detail
    assert ("names and values" in detail) == kind.startswith("many"), "no error is made for each of them"
    assert not leaks(answer.text)
    assert time.monotonic() - began < 20


def test_whoever_is_not_in_may_send_a_small_form_only(app: App) -> None:
    for path in ("/sign-in", "/sign-in/code", "/account/new"):
        answer = httpx.post(f"{app.address}{path}", data={"name": "\ufdfa" * 9_000, "password": "x"}, timeout=PATIENCE)
        assert answer.status_code == 413, path


def test_what_is_typed_for_a_function_in_the_wrong_shape_never_reaches_the_log(app: App, place: Place) -> None:
    forged = "hello\nWARNING trag.web.gate: refused 'POST /people/x': FORGED by admin\n\x1b[2J" + "x" * 100_000
    calls = [{"fn_index": number, "data": [forged] * 3} for number in range(19)]
    calls.append({"fn_index": 1, "data": [forged]})  # a question without its conversation
    reading = (2, 3, 13, 15, 16, 17)
    calls += [{"fn_index": number, "data": [forged], "event_data": {"no": forged}} for number in reading]
    cookies, before = {"trag": place.people["bert"].cookie}, app.log.stat().st_size
    with httpx.Client(base_url=app.address, cookies=cookies, timeout=PATIENCE) as client:
        for call in calls:
            answer = client.post("/gradio_api/queue/join", json=call | {"session_hash": "forging"})
            assert answer.status_code in (400, 404), call["fn_index"]
    said = app.log.read_text(encoding="utf-8")
    assert "FORGED" not in said
    assert len(said) - before < 200 * len(calls)


def test_calls_that_nobody_comes_for_are_not_kept_without_end(app: App, place: Place) -> None:
    def fetched(who: str, tab: str) -> bool:
        """Whether what a call gave is there for the page that comes for it."""
        heard = ""
        with browsers[who].stream("GET", "/gradio_api/queue/data", params={"session_hash": tab}) as lines:
            for line in lines.iter_lines():
                heard += line
                if "process_completed" in line or "unexpected_error" in line:
                    break
        return "process_completed" in heard and "<" in heard

    with ExitStack() as opened:
        browsers = {
            who: opened.enter_context(
                httpx.Client(base_url=app.address, cookies={"trag": place.people[who].cookie}, timeout=PATIENCE)
            )
            for who in ("anna", "bert")
        }
        calls = [("bert", "of bert"), *(("anna", f"of anna {number}") for number in range(LEFT))]
        for who, tab in calls:
            call = {"data": [], "event_data": None, "fn_index": 0, "session_hash": tab}
            assert browsers[who].post("/gradio_api/queue/join", json=call).status_code == 200
        there = [fetched(*call) for call in (*calls[:3], *calls[-2:])]
    assert there == [True, False, False, True, True], "the oldest of who left too many are gone, and no others"


def leaks(text: str) -> list[str]:
    """What no page says of the program that made it."""
    told = ("Traceback", "site-packages", "/work/", "/trag/", "sqlalchemy", "sqlite3", "pydantic", "uvicorn", 'File "')
    return [each for each in told if each in text]


def test_no_refusal_tells_of_the_program(app: App, place: Place) -> None:
    client = httpx.Client(base_url=app.address, cookies={"trag": place.people["root"].cookie}, timeout=PATIENCE)
    none = "0" * 32
    asked = [
        ("GET", "/nothing", {}),
        ("GET", f"/documents/{none}", {}),
        ("GET", f"/documents/{none}/view", {}),
        ("GET", f"/people/{none}", {}),
        ("GET", "/quality/runs/20260105-090000", {}),
        ("GET", f"/charts/uploads/{'0' * 64}", {}),
        ("GET", f"/procedures/uploads/{'0' * 64}", {}),
        ("GET", "/documents/pairs?document=zz&first=-1&state=%00", {}),
        ("GET", "/people?page=99999999999999999999&state=%27", {}),
        ("GET", "/people/log?before=99999999999999999999", {}),
        ("POST", "/people", {"data": {"name": "\0"}}),
        ("POST", f"/people/{none}", {"data": {"role": "king"}}),
        ("POST", "/people/import", {"files": {"file": ("x.csv", b"\0\xff")}}),
        ("POST", "/charts/uploads", {"content": b"\0" * 100}),
        ("POST", "/procedures/uploads", {"files": {"file": ("x.xlsx", b"PK\0\xff")}}),
        ("POST", "/procedures/uploads", {"content": b"\0" * 100}),
        ("POST", "/documents/uploads?name=..%2f..%2fx.exe", {"content": b"MZ"}),
        ("POST", f"/charts/uploads/{'0' * 64}/activate", {}),
        ("POST", "/gradio_api/queue/join", {"json": {"session_hash": "t", "fn_index": 999}}),
        ("POST", "/gradio_api/queue/join", {"content": b"{"}),
        ("POST", "/v1/chat/completions", {"json": {}}),
        ("PUT", "/people", {}),
        ("GET", "/gradio_api/queue/data", {}),
    ]
    wrong = {}
    for method, path, more in asked:
        answer = client.request(method, path, **more)  # type: ignore[arg-type]
        found = leaks(answer.text) + [each for each in ("server", "x-powered-by") if each in answer.headers]
        if found or answer.status_code >= 500 or "content-security-policy" not in answer.headers:
            wrong[method, path] = (answer.status_code, found, answer.text[:200])
    assert not wrong
    client.close()
