"""The gate: what it lets through, what it turns away, and what it tells the browser."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.testclient import TestClient

from store.records import Records
from trag.settings import Settings
from trag.web.gate import LARGEST, UPLOADS, Gate
from trag.web.people.authentication import Authenticator

HOME = "http://127.0.0.1:7860"
UPLOAD = "/charts/uploads"
UPLOADED = f"{UPLOAD}/{'0af' * 21}9"
VERSION = "/charts/versions/0123456789ab"
DOCUMENT = f"/documents/{'0af' * 10}12"
RUN = "/quality/runs/20260105-090000-2"
NEEDLE = "/quality/needles/20260105-090000"
SET = f"/quality/cases/{'0af' * 21}9"
ADAPTER = "/models/adapters/20261120-0af0af09"
TUNE = "/models/finetune/20261120-203000"


@pytest.fixture(scope="module")
def client(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An app of stubs behind the gate of a home without accounts."""
    home = tmp_path_factory.mktemp("home")
    records = Records(f"sqlite:///{shutil.copy(empty_database, home)}")
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(records, Settings(home=home)), functions={0: "employee"})

    @app.get("/", response_class=HTMLResponse)
    def page() -> HTMLResponse:
        return HTMLResponse(
            "<script>one</script><script src=two></script>", headers={"Access-Control-Allow-Origin": "*"}
        )

    @app.get("/healthz", response_class=PlainTextResponse)
    def health(request: Request) -> str:
        return ",".join(sorted(name for name in request.headers if "forwarded" in name))

    @app.post("/gradio_api/queue/join")
    def join() -> str:
        return "joined"

    @app.post("/people")
    async def add(request: Request) -> int:
        return len(await request.body())

    @app.post("/gradio_api/upload")
    def upload() -> str:
        return "taken"

    @app.post(UPLOAD)
    async def receive(request: Request) -> int:
        return sum([len(chunk) async for chunk in request.stream()])

    methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]
    for start in ("/charts", "/documents", "/quality", "/people", "/models", "/pages", "/sending", "/following"):
        app.add_api_route(start + "{rest:path}", lambda rest: rest, methods=methods)

    with TestClient(app, base_url=HOME) as client:  # one event loop for all of them
        yield client
    records.close()


@pytest.mark.parametrize("path", ["/", "/healthz", "/gradio_api/upload"])
def test_every_response_carries_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "object-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control-")]


def test_scripts_run_only_with_the_nonce_of_their_response(client: TestClient) -> None:
    pages = [client.get("/") for _ in range(2)]
    nonces = [re.findall(r"'nonce-([\w-]+)'", page.headers["content-security-policy"]) for page in pages]
    for page, (nonce,) in zip(pages, nonces, strict=True):
        assert page.text == f'<script nonce="{nonce}">one</script><script nonce="{nonce}" src=two></script>'
        assert page.headers["cache-control"] == "no-store"
        assert "'unsafe-inline'" not in page.headers["content-security-policy"].split("script-src")[1].split(";")[0]
    assert nonces[0] != nonces[1]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7860", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:7860", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("evil.example@127.0.0.1", 421),
        ("127.0.0.1:7860/evil.example", 421),
        ("127.0.0.1:7860 evil.example", 421),
        ("127.0.0.1:7860, evil.example", 421),
        ("192.168.1.5:7860", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_only_names_of_this_machine_are_answered(client: TestClient, host: str, status: int) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": HOME}, 200),
        ({"Origin": HOME, "Sec-Fetch-Site": "same-origin"}, 200),
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
@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/queue/join",
        *UPLOADS,
        f"{UPLOADED}/activate",
        f"{UPLOADED}/discard",
        f"{VERSION}/activate",
        "/documents/queue/clear",
        "/documents/queue/0af-9/cancel",
        "/documents/queue/0af-9/retry",
        "/documents/pairs",
        "/documents/pairs/many",
        "/documents/examples",
        f"{DOCUMENT}/delete",
        f"{DOCUMENT}/audience",
        "/quality/runs",
        "/quality/stop",
        "/quality/dismiss",
        "/quality/cases/chart",
        f"{SET}/remove",
        f"{RUN}/resume",
        f"{RUN}/remove",
        f"{RUN}/answers/0/label",
        "/quality/audits",
        "/quality/needles",
        f"{NEEDLE}/remove",
        "/models/rollback",
        "/models/files/try",
        "/models/finetune",
        "/models/finetune/go-on",
        "/models/finetune/stop",
        "/models/finetune/discard",
        "/models/finetune/dismiss",
        "/models/adapters/shipped/promote",
        f"{ADAPTER}/promote",
        f"{ADAPTER}/measure",
        f"{ADAPTER}/remove",
    ],
)
def test_no_other_site_may_write(client: TestClient, path: str, headers: dict[str, str], status: int) -> None:
    call = {"session_hash": "tab", "fn_index": 0}
    assert client.post(path, json=call, headers=headers).status_code == status


@pytest.mark.parametrize(("mode", "status"), [("navigate", 200), ("cors", 403), ("no-cors", 403)])
def test_another_site_may_link_here_but_not_read(client: TestClient, mode: str, status: int) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
    assert client.get("/", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/upload"),
        ("GET", "/gradio_api/file=/etc/passwd"),
        ("GET", "/gradio_api/file=http://169.254.169.254/"),
        ("GET", "/gradio_api/info"),
        ("POST", "/gradio_api/call/ask"),
        ("POST", "/gradio_api/run/predict"),
        ("GET", "/monitoring/x"),
        ("GET", "/gradio_api/token"),
        ("PUT", "/gradio_api/queue/join"),
        ("OPTIONS", "/gradio_api/queue/join"),
        ("POST", "/"),
        ("POST", "/charts"),
        ("PUT", UPLOAD),
        ("GET", UPLOAD),
        ("DELETE", UPLOADED),
        ("POST", UPLOADED),
        ("GET", f"{UPLOADED}/activate"),
        ("GET", f"{UPLOADED}/discard"),
        ("GET", f"{VERSION}/activate"),
        ("POST", f"{VERSION}/discard"),
        ("GET", f"{UPLOADED}0"),
        ("GET", f"{UPLOAD}/{'0AF' * 21}9"),
        ("GET", f"{UPLOADED}%0A"),
        ("GET", f"{UPLOADED}/../../trag.db"),
        ("GET", f"{UPLOADED}/%2e%2e/%2e%2e/trag.db"),
        ("GET", f"{UPLOADED}/content"),
        ("GET", f"{UPLOADED}/units/-1"),
        ("GET", f"{UPLOADED}/units/1234567"),
        ("GET", f"{VERSION}/chart.py"),
        ("GET", "/charts/versions/..%2f..%2ftrag.db"),
        ("GET", "/charts.py"),
        ("GET", "/charts/../ask.py"),
        ("GET", "/charts/"),
        ("GET", "/chartsx"),
        ("POST", "/documents"),
        ("GET", "/documents/uploads"),
        ("GET", "/documents/queue/clear"),
        ("GET", "/documents/queue/1/cancel"),
        ("POST", "/documents/queue/../uploads/retry"),
        ("GET", "/documents/pairs/many"),
        ("GET", "/documents/examples/1"),
        ("GET", "/documents/pairs/import"),
        ("GET", f"{DOCUMENT}/delete"),
        ("GET", f"{DOCUMENT}/audience"),
        ("POST", DOCUMENT),
        ("DELETE", DOCUMENT),
        ("GET", f"{DOCUMENT}0"),
        ("GET", f"{DOCUMENT}%0A"),
        ("GET", f"{DOCUMENT}/pages/x.png"),
        ("GET", f"{DOCUMENT}/pages/1234567.png"),
        ("GET", f"{DOCUMENT}/pages/1.svg"),
        ("GET", f"{DOCUMENT}/original/x"),
        ("GET", f"{DOCUMENT}/%2e%2e/%2e%2e/trag.db"),
        ("GET", "/documents/manual.pdf"),
        ("GET", "/documents/../trag.db"),
        ("GET", "/documents/"),
        ("GET", "/documents.py"),
        ("GET", "/pages.py"),
        ("POST", "/quality"),
        ("GET", "/quality/"),
        ("GET", "/quality/runs"),
        ("GET", "/quality/cases"),
        ("GET", "/quality/stop"),
        ("GET", f"{RUN}/resume"),
        ("GET", f"{RUN}/remove"),
        ("GET", f"{RUN}/answers/0/label"),
        ("GET", f"{RUN}/answers/1234567"),
        ("GET", f"{RUN}/results.jsonl"),
        ("GET", f"{RUN}/%2e%2e/%2e%2e/trag.db"),
        ("GET", "/quality/runs/../../trag.db"),
        ("POST", RUN),
        ("POST", f"{RUN}/audit"),
        ("GET", "/quality/audits"),
        ("GET", "/quality/needles"),
        ("GET", f"{NEEDLE}/remove"),
        ("GET", f"{NEEDLE}/run.json"),
        ("DELETE", RUN),
        ("GET", SET),
        ("GET", f"{SET}/remove"),
        ("GET", f"{SET}0.jsonl"),
        ("GET", "/quality.py"),
        ("POST", "/models"),
        ("GET", "/models/"),
        ("GET", "/models/rollback"),
        ("GET", "/models/finetune"),
        ("GET", f"{ADAPTER}/promote"),
        ("POST", ADAPTER),
        ("POST", f"{ADAPTER}0/remove"),
        ("POST", "/models/adapters/../remove"),
        ("GET", TUNE),
        ("GET", f"{TUNE}/work.json"),
        ("GET", f"{TUNE}/%2e%2e/%2e%2e/trag.db"),
        ("GET", "/models/known.gguf"),
    ],
)
def test_what_our_pages_do_not_need_is_not_there(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/charts",
        "/charts.css",
        "/charts.js",
        "/charts_picture.js",
        "/charts/sample.csv",
        UPLOADED,
        f"{UPLOADED}/ready",
        f"{UPLOADED}/picture",
        f"{UPLOADED}/units/12",
        f"{UPLOADED}/problems.csv",
        VERSION,
        f"{VERSION}/chart.xlsx",
        f"{VERSION}/tree.json",
        "/pages.css",
        "/pages.js",
        "/sending.js",
        "/documents",
        "/documents.css",
        "/documents_upload.js",
        "/documents/queue",
        "/documents/units",
        "/documents/examples",
        "/documents/pairs",
        "/documents/pairs.csv",
        "/documents/pairs.jsonl",
        DOCUMENT,
        f"{DOCUMENT}/view",
        f"{DOCUMENT}/original",
        f"{DOCUMENT}/pages/12.png",
        "/quality",
        "/quality.css",
        "/quality_plots.css",
        "/quality.js",
        "/quality/progress",
        "/quality/compare",
        "/quality/sample.jsonl",
        f"{SET}.jsonl",
        RUN,
        f"{RUN}/report.md",
        f"{RUN}/answers.csv",
        f"{RUN}/run.json",
        f"{RUN}/answers/0",
        f"{RUN}/audit",
        f"{RUN}/audit.md",
        NEEDLE,
        f"{NEEDLE}/report.md",
        "/following.js",
        "/models",
        "/models.css",
        "/models.js",
        "/models/progress",
        f"{TUNE}/card.md",
        f"{TUNE}/loss.csv",
    ],
)
def test_our_pages_are_reached(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(("size", "status"), [(3_000_000, 200), (3_000_001, 413)])
@pytest.mark.parametrize("announced", [True, False])
def test_a_chart_may_be_larger_than_a_question(
    client: TestClient, size: int, status: int, announced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(UPLOADS, UPLOAD, ("A chart", 3_000_000))
    body = b"x" * size
    parts = (body[start : start + 65_536] for start in range(0, size, 65_536))
    answer = client.post(UPLOAD, content=body if announced else parts)
    assert answer.status_code == status
    assert answer.json() == (size if status == 200 else {"detail": "A chart may have 3,000,000 bytes."})
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("length", ["99999999999999999999", "-1", "a", "1e9", ""])
def test_a_length_that_is_not_so_is_not_believed(client: TestClient, length: str) -> None:
    assert client.post(UPLOAD, content=iter([b"x" * 10]), headers={"Content-Length": length}).status_code in (200, 413)


@pytest.mark.parametrize(("size", "status"), [(LARGEST, 200), (LARGEST + 1, 413)])
@pytest.mark.parametrize("announced", [True, False])
def test_a_request_may_carry_so_much(client: TestClient, size: int, status: int, announced: bool) -> None:
    body = b"x" * size
    parts = (body[start : start + 65_536] for start in range(0, size, 65_536))
    answer = client.post("/people", content=body if announced else parts)
    assert answer.status_code == status
    assert answer.json() == (size if status == 200 else {"detail": f"A request may carry {LARGEST:,} bytes."})


def test_nothing_said_about_proxies_is_believed(client: TestClient) -> None:
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "10.0.0.1", "Forwarded": "host=evil.example"}
    assert client.get("/healthz", headers=headers).text == ""
