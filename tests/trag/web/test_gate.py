"""The gate: what it lets through, what it turns away, and what it tells the browser."""

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi import Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from markupsafe import Markup
from starlette.testclient import TestClient

from store.records import Records
from tests.pages import ADDRESS, gated
from tests.trag.web.test_access import ROWS
from trag import web
from trag.web import access
from trag.web.access import Function
from trag.web.gate import LARGEST, UPLOADS
from trag.web.render import environment

UPLOAD = "/charts/uploads"
UPLOADED = f"{UPLOAD}/{'0af' * 21}9"
VERSION = "/charts/versions/0123456789ab"
DOCUMENT = f"/documents/{'0af' * 10}12"
RUN = "/quality/runs/20260105-090000-2"
SET = f"/quality/cases/{'0af' * 21}9"
ADAPTER = "/models/adapters/20261120-0af0af09"
TUNE = "/models/finetune/20261120-203000"
STATIC = Path(web.__file__).parent / "static"


@pytest.fixture(scope="module")
def client(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An app of stubs behind the gate of a home without accounts."""
    place = shutil.copy(empty_database, tmp_path_factory.mktemp("home"))
    with closing(Records(f"sqlite:///{place}")) as records:
        app = gated(records, functions={0: Function("employee")})

        @app.get("/", response_class=HTMLResponse)
        def page() -> HTMLResponse:
            slipped_in = Markup("<script>one</script><script src=two></script>")
            words = (
                environment()
                .get_template("message.html")
                .render(message=slipped_in, hint=slipped_in, back="/", where="Ask", here="/")
            )
            return HTMLResponse(words, headers={"Access-Control-Allow-Origin": "*"})

        @app.get("/health", response_class=PlainTextResponse)
        def health(request: Request) -> str:
            return ",".join(sorted(name for name in request.headers if "forwarded" in name))

        @app.post("/people")
        async def add(request: Request) -> int:
            return len(await request.body())

        @app.post(UPLOAD)
        async def receive(request: Request) -> int:
            return sum([len(chunk) async for chunk in request.stream()])

        methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        app.add_api_route("/{rest:path}", lambda rest: rest, methods=methods)
        with TestClient(app, base_url=ADDRESS) as client:  # one event loop for all of them
            yield client


@pytest.mark.parametrize("path", ["/", "/health", "/gradio_api/upload"])
def test_every_response_carries_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    for forbidden in ("frame-ancestors 'none'", "object-src 'none'"):
        assert forbidden in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "same-origin")
    assert not [name for name in headers if name.startswith("access-control-")]


def test_scripts_run_only_with_the_nonce_of_their_response(client: TestClient) -> None:
    pages = [client.get("/") for _ in range(2)]
    nonces = [re.findall(r"'nonce-([\w-]+)'", page.headers["content-security-policy"]) for page in pages]
    for page, (nonce,) in zip(pages, nonces, strict=True):
        own, slipped_in = page.text.split("<h1")[0], page.text.split("<h1")[1]
        assert own.count("<script") == own.count(f'<script nonce="{nonce}"') == 2
        assert "<script>one</script>" in slipped_in, "what is put into a page has no nonce"
        assert page.text.count(nonce) == 2
        assert page.headers["cache-control"] == "no-store"
        assert "'unsafe-inline'" not in page.headers["content-security-policy"].split("script-src")[1].split(";")[0]
    assert nonces[0] != nonces[1]


@pytest.mark.parametrize(
    ("status", "hosts"),
    [
        (200, ("127.0.0.1:7860", "localhost", "LOCALHOST:1", "[::1]:7860")),
        (421, ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "evil.example@127.0.0.1")),
        (421, ("127.0.0.1:7860/evil.example", "127.0.0.1:7860 evil.example", "127.0.0.1:7860, evil.example")),
        (421, ("192.168.1.5:7860", "", "[")),
    ],
)
def test_only_names_of_this_machine_are_answered(client: TestClient, status: int, hosts: tuple[str, ...]) -> None:
    for host in hosts:
        assert client.get("/health", headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": ADDRESS}, 200),
        ({"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
    ],
    ids=repr,
)
def test_no_other_site_may_write(client: TestClient, headers: dict[str, str], status: int) -> None:
    call = {"session_hash": "tab", "fn_index": 0}
    paths = [path for method, _, path in ROWS if method == "POST" and path not in access.PROGRAMS]
    assert len(paths) > 60
    found = {path: client.post(path, json=call, headers=headers).status_code for path in paths}
    assert {path: code for path, code in found.items() if code != status} == {}


@pytest.mark.parametrize(("mode", "status"), [("navigate", 200), ("cors", 403), ("no-cors", 403)])
def test_another_site_may_link_here_but_not_read(client: TestClient, mode: str, status: int) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
    assert client.get("/", headers=headers).status_code == status


NOT_THERE = {
    "GET": f"""
        /gradio_api/file=/etc/passwd /gradio_api/file=http://169.254.169.254/ /gradio_api/info /gradio_api/token
        /monitoring/x {UPLOAD} {UPLOADED}/activate {UPLOADED}/discard {VERSION}/activate {UPLOADED}0
        {UPLOAD}/{"0AF" * 21}9 {UPLOADED}%0A {UPLOADED}/../../trag.db {UPLOADED}/%2e%2e/%2e%2e/trag.db
        {UPLOADED}/content {UPLOADED}/units/-1 {UPLOADED}/units/1234567 {VERSION}/chart.py
        /charts/versions/..%2f..%2ftrag.db /charts.py /charts/../ask.py /charts/ /chartsx
        /documents/uploads /documents/queue/clear /documents/queue/1/cancel /documents/pairs/many
        /documents/examples/1 /documents/pairs/import {DOCUMENT}/delete {DOCUMENT}/audience {DOCUMENT}0 {DOCUMENT}%0A
        {DOCUMENT}/pages/x.png {DOCUMENT}/pages/1234567.png {DOCUMENT}/pages/1.svg {DOCUMENT}/original/x
        {DOCUMENT}/%2e%2e/%2e%2e/trag.db /documents/manual.pdf /documents/../trag.db /documents/ /documents.py /pages.py
        /quality/ /quality/runs /quality/cases /quality/stop {RUN}/resume {RUN}/remove {RUN}/answers/0/label
        {RUN}/answers/1234567 {RUN}/results.jsonl {RUN}/%2e%2e/%2e%2e/trag.db /quality/runs/../../trag.db
        /quality/audits /quality/needles /quality/needles/20260105-090000/remove
        /quality/needles/20260105-090000/run.json {SET} {SET}/remove {SET}0.jsonl /quality.py
        /models/ /models/rollback /models/finetune {ADAPTER}/promote {TUNE} {TUNE}/work.json
        {TUNE}/%2e%2e/%2e%2e/trag.db /models/known.gguf""",
    "POST": f"""
        / /gradio_api/upload /gradio_api/call/ask /gradio_api/run/predict /charts {UPLOADED} {VERSION}/discard
        /documents /documents/queue/../uploads/retry {DOCUMENT} /quality {RUN} {RUN}/audit /models {ADAPTER}
        {ADAPTER}0/remove /models/adapters/../remove""",
    "PUT": f"/gradio_api/queue/join {UPLOAD}",
    "OPTIONS": "/gradio_api/queue/join",
    "DELETE": f"{UPLOADED} {DOCUMENT} {RUN}",
}


@pytest.mark.parametrize("method", NOT_THERE)
def test_what_our_pages_do_not_need_is_not_there(client: TestClient, method: str) -> None:
    found = {path: client.request(method, path).status_code for path in NOT_THERE[method].split()}
    assert {path: status for path, status in found.items() if status != 404} == {}


def test_our_pages_and_what_they_load_are_reached(client: TestClient) -> None:
    paths = {path for method, _, path in ROWS if method == "GET"} | {f"/{file.name}" for file in STATIC.iterdir()}
    assert len(paths) > 80
    found = {path: client.get(path, params={"session_hash": "tab"}).status_code for path in paths}
    assert {path: status for path, status in found.items() if status != 200} == {"/favicon.svg": 404, "/metrics": 401}


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(
    ("path", "most", "said"),
    [
        (UPLOAD, 3_000_000, "A chart may have 3,000,000 bytes."),
        ("/people", LARGEST, "A request may carry 1,000,000 bytes."),
    ],
)
def test_a_request_may_carry_so_much_and_a_chart_more(
    client: TestClient, path: str, most: int, said: str, announced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(UPLOADS, UPLOAD, ("A chart", 3_000_000))
    for size, expected in ((most, (200, most)), (most + 1, (413, {"detail": said}))):
        body = b"x" * size
        parts = (body[start : start + 65_536] for start in range(0, size, 65_536))
        answer = client.post(path, content=body if announced else parts)
        assert (answer.status_code, answer.json()) == expected
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_length_that_is_not_so_is_not_believed(client: TestClient) -> None:
    for length in ("99999999999999999999", "-1", "a", "1e9", ""):
        answer = client.post(UPLOAD, content=iter([b"x" * 10]), headers={"Content-Length": length})
        assert answer.status_code in (200, 413), length


def test_nothing_said_about_proxies_is_believed(client: TestClient) -> None:
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "10.0.0.1", "Forwarded": "host=evil.example"}
    assert client.get("/health", headers=headers).text == ""
