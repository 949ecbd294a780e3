"""The gate: what it lets through, what it turns away, and what it tells the browser."""

import re

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.testclient import TestClient

from trag.web.gate import LARGEST, Gate

HOME = "http://127.0.0.1:7860"


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    app.add_middleware(Gate)

    @app.get("/", response_class=HTMLResponse)
    def page() -> HTMLResponse:
        return HTMLResponse(
            "<script>one</script><script src=two></script>", headers={"Access-Control-Allow-Origin": "*"}
        )

    @app.get("/healthz", response_class=PlainTextResponse)
    def health(request: Request) -> str:
        return ",".join(sorted(name for name in request.headers if "forwarded" in name))

    @app.post("/gradio_api/queue/join")
    async def join(request: Request) -> int:
        return len(await request.body())

    @app.post("/gradio_api/upload")
    def upload() -> str:
        return "taken"

    return TestClient(app, base_url=HOME)


@pytest.mark.parametrize("path", ["/", "/healthz", "/gradio_api/upload"])
def test_every_response_carries_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "object-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
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
def test_no_other_site_may_write(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/gradio_api/queue/join", json={}, headers=headers).status_code == status


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
    ],
)
def test_what_our_pages_do_not_need_is_not_there(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path).status_code == 404


@pytest.mark.parametrize(("size", "status"), [(LARGEST, 200), (LARGEST + 1, 413)])
@pytest.mark.parametrize("announced", [True, False])
def test_a_request_may_carry_so_much(client: TestClient, size: int, status: int, announced: bool) -> None:
    body = b"x" * size
    parts = (body[start : start + 65_536] for start in range(0, size, 65_536))
    answer = client.post("/gradio_api/queue/join", content=body if announced else parts)
    assert answer.status_code == status
    assert answer.json() == (size if status == 200 else {"detail": f"A request may carry {LARGEST:,} bytes."})


def test_nothing_said_about_proxies_is_believed(client: TestClient) -> None:
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "10.0.0.1", "Forwarded": "host=evil.example"}
    assert client.get("/healthz", headers=headers).text == ""
