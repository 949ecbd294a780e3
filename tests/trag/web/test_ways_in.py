"""Who is let in under which settings: each way to sign in, by each kind of caller, through the real gate."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Request
from starlette.testclient import TestClient

from store import StoreError
from store.person import Newcomer
from store.records import Records
from tests.pages import ADDRESS, gated
from trag.settings import Settings
from trag.web.people import authentication

PUBLIC = "https://assistant.example.org"
TRUSTED, STRANGER = "10.0.0.9", "192.0.2.7"
PROXY: dict[str, Any] = {"proxy_from": "10.0.0.0/24", "proxy_user": "X-Remote-Name"}
SSO: dict[str, Any] = {"sso_issuer": "https://sso.example.org", "sso_client": "assistant"}
SETTINGS: dict[str, dict[str, Any]] = {
    "none": {},
    "an address": {"address": PUBLIC, "proxy_from": "10.0.0.0/24"},
    "an address, a proxy": {"address": PUBLIC} | PROXY,
    "an address, single sign-on": {"address": PUBLIC, "proxy_from": "10.0.0.0/24"} | SSO,
    "all": {"address": PUBLIC} | PROXY | SSO,
    # The program does not start with these; nobody is let in by them all the same.
    "a proxy alone": PROXY,
    "where a proxy is alone": {"proxy_from": "127.0.0.1"},
    "single sign-on alone": SSO,
    "another host alone": {"host": "0.0.0.0"},
}
FORWARDING = """
    Forwarded Via X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded X-Forwarded-Server X-Forwarded-Prefix
    X-Real-IP X-Client-IP Client-IP X-Cluster-Client-IP True-Client-IP X-Originating-IP X-Remote-IP X-Remote-Addr
    CF-Connecting-IP CF-Connecting-IPv6 CF-Ray CF-Visitor CDN-Loop Fastly-Client-IP Fly-Client-IP Max-Forwards
    X-Original-URL X-Original-Host X-Original-Forwarded-For X-Rewrite-URL X-ProxyUser-Ip Proxy-Connection
    X-Envoy-External-Address X-Amzn-Trace-Id X-Amz-Cf-Id X-Azure-ClientIP X-ARR-SSL X-Varnish X-Cloud-Trace-Context
    Front-End-Https X-SSL-Client-Cert Ssl-Client-Verify Remote-User X-Remote-User X-Forwarded-User X-Auth-Request-User
    X-Authenticated-User X-WebAuth-User Tailscale-User-Login WL-Proxy-Client-IP Surrogate-Capability
""".split()
BROWSERS = """
    Accept-Language Authorization Cache-Control Content-Type DNT Last-Event-ID MCP-Protocol-Version Pragma Priority
    Referer Save-Data Sec-CH-Prefers-Color-Scheme Sec-CH-UA Sec-CH-UA-Mobile Sec-Fetch-Dest Sec-Fetch-User Sec-GPC TE
    Upgrade-Insecure-Requests X-Gradio-User X-Requested-With X-Stainless-Arch
""".split()
HELD = ("nothing", "a session", "a token", "a session that is forged", "two sessions", "two tokens")
TOLD = {
    "nothing": [],
    "a proxy": [("X-Forwarded-For", STRANGER)],
    "somebody": [("X-Remote-Name", "root")],
    "somebody twice": [("X-Remote-Name", "root")] * 2,
}
"""What a request says of proxies, and of who signed in there."""
PAGE, PROGRAM = "/people", "/v1/models"
Call = tuple[str, str, list[tuple[str, str]]]
"""The peer that a request comes from, its address and its headers."""


@pytest.fixture(params=[False, True], ids=["without accounts", "with accounts"])
def home(
    request: Any, empty_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Records, bool, dict[str, Any]]]:
    """A home, whether it has accounts, and the headers of what a caller may hold."""
    monkeypatch.setattr(authentication, "MOST_REFUSALS", 0)  # to write them down takes longer than all else
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")) as records:
        cookie = token = "x" * 43
        if request.param:
            root = records.people.add(Newcomer("root", role="admin", state="active"), by="test")
            cookie, _ = records.sessions.begin(root.id)
            token, _ = records.tokens.make(root.id, "job", timedelta(days=1), by="test")
        session, bearer = ("Cookie", f"NAME={cookie}"), ("Authorization", f"Bearer {token}")
        held = ([], [session], [bearer], [("Cookie", f"NAME={'y' * 43}")], [session] * 2, [bearer] * 2)
        yield records, request.param, dict(zip(HELD, held, strict=True))


def came(records: Records, settings: dict[str, Any], calls: list[Call], version: str = "1.1") -> list[tuple[int, str]]:
    """The status of each call, and who the gate says came."""
    app = gated(records, Settings(**settings))

    async def taken(request: Request) -> dict[str, str]:
        return {"came": request.state.visit.caller.name}

    async def served(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "http_version": version}, receive, send)

    async def each() -> list[tuple[int, str]]:
        found = []
        async with AsyncExitStack() as stack:
            clients = {}
            for peer in {peer for peer, _, _ in calls}:
                over = httpx.AsyncClient(transport=httpx.ASGITransport(served, client=(peer, 4711)), trust_env=False)
                clients[peer] = await stack.enter_async_context(over)
            for peer, address, headers in calls:
                answer = await clients[peer].get(address, headers=headers)
                found.append((answer.status_code, answer.json().get("came", "")))
        return found

    app.add_api_route("/{rest:path}", taken)
    return asyncio.run(each())


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_nobody_is_let_in_by_accident(home: tuple[Records, bool, dict[str, Any]], name: str) -> None:
    """Settings x where a request comes from x what it says of proxies x what it holds, on a page and for a program."""
    (records, accounts, held), settings = home, SETTINGS[name]
    calls: list[Call] = []
    expected = []
    hosts = (ADDRESS, PUBLIC, "http://evil.example")
    for peer, host, says, holds, path in product(("127.0.0.1", TRUSTED, STRANGER), hosts, TOLD, HELD, (PAGE, PROGRAM)):
        cookie = "__Host-trag" if host == PUBLIC else "trag"
        sent = [(key, value.replace("NAME", cookie)) for key, value in held[holds]]
        calls.append((peer, host + path, TOLD[says] + sent))
        believed = peer == TRUSTED and settings.get("proxy_user") == "X-Remote-Name" and path == PAGE
        if host != ADDRESS and not (host == PUBLIC and "address" in settings):
            expected.append((421, ""))
        elif not accounts and not settings:
            expected.append((200, "local") if says == "nothing" else (403, ""))
        elif accounts and (holds == ("a session" if path == PAGE else "a token") or (believed and says == "somebody")):
            expected.append((200, "root"))
        else:
            expected.append((401, ""))
    found = came(records, settings, calls)
    wrong = [each for each in zip(calls, found, expected, strict=True) if each[1] != each[2]]
    assert not wrong, f"{len(wrong)} of {len(calls)}, the first of them {wrong[:3]}"


@pytest.mark.parametrize("home", [False], indirect=True, ids=["without accounts"])
def test_whoever_comes_through_a_proxy_does_not_sit_at_this_machine(
    home: tuple[Records, bool, dict[str, Any]],
) -> None:
    records, *_ = home
    for path in (PAGE, PROGRAM, "/", "/people/log.csv"):
        calls: list[Call] = [("127.0.0.1", ADDRESS + path, [(name, "203.0.113.9")]) for name in FORWARDING]
        found = came(records, {}, calls)
        assert [name for name, each in zip(FORWARDING, found, strict=True) if each != (403, "")] == []
        calls = [("127.0.0.1", ADDRESS + path, [(name, "x")]) for name in BROWSERS]
        found = came(records, {}, calls)
        assert [name for name, each in zip(BROWSERS, found, strict=True) if each != (200, "local")] == []
    assert came(records, {}, [("127.0.0.1", ADDRESS + PAGE, [])], version="1.0") == [(403, "")]


@pytest.mark.parametrize("home", [False], indirect=True, ids=["without accounts"])
def test_who_is_kept_out_because_of_a_proxy_is_told_what_to_set(home: tuple[Records, bool, dict[str, Any]]) -> None:
    browser = TestClient(gated(home[0]), base_url=ADDRESS, headers={"Via": "1.1 edge", "Accept": "text/html"})
    for answer in (browser.get("/people"), browser.post("/people/first"), browser.post("/api/ask", json={})):
        assert answer.status_code == 403
        assert all(word in answer.text for word in ("no accounts", "TRAG_ADDRESS", "TRAG_PROXY_FROM", "page People"))


@pytest.mark.parametrize("home", [False], indirect=True, ids=["without accounts"])
def test_nobody_is_let_in_while_the_records_cannot_say_whether_there_are_accounts(
    home: tuple[Records, bool, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> bool:
        raise StoreError("The database is locked.", "Try again.")

    monkeypatch.setattr(home[0].people, "exist", locked)
    calls: list[Call] = [
        ("127.0.0.1", ADDRESS + path, sent) for path in (PAGE, PROGRAM) for sent in ([], [("Via", "x")])
    ]
    assert came(home[0], {}, calls) == [(503, "")] * 4
