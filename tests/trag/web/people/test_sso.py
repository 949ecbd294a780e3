"""Single sign-on against a real OpenID provider on loopback, and what is not believed of it."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import httpx2
import pytest
from starlette.testclient import TestClient

from store.person import Newcomer
from tests.trag.web.people.conftest import HERE, OTHER, PASSWORD, Place, alert
from trag.errors import TragError
from trag.people import passwords, sso
from trag.people.sso import SingleSignOn, pairs, roles
from trag.settings import Settings

ROLES = "staff=employee, leads=reviewer, boss=admin"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The address of a provider in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(Path(__file__).with_name("openid_provider.py")), str(port)]
    with subprocess.Popen(command) as process:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/keys", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        yield address
        process.terminate()


@pytest.fixture
def at(opened: Any, provider: str) -> Any:
    """Opens a home with one admin that people sign in to at the provider."""

    def at(**settings: Any) -> Place:
        wanted = {"sso_issuer": provider, "sso_client": "assistant", "sso_secret": "of the client"} | settings
        place: Place = opened(**wanted)
        if not place.records.people.find("root"):
            place.add("root", "admin")
        return place

    return at


def go(visitor: TestClient, login: str, wrong: str = "") -> str:
    """To the provider, in there, and the address that it sends the browser back to."""
    begun = visitor.get("/sign-in/sso", params={"after": "/account"})
    assert begun.status_code == 303, begun.text
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{HERE}/sign-in/back"]
    answer = httpx2.get(f"{begun.headers['location']}&{urlencode({'login': login, 'wrong': wrong})}")
    assert answer.status_code == 302, answer.text
    return answer.headers["location"].removeprefix(HERE)


def test_another_group_at_the_provider_ends_what_the_one_before_allowed_and_who_is_disabled_stays_out(at: Any) -> None:
    place = at(sso_roles=ROLES)
    records = place.records
    visitor = place.browser()
    visitor.get(go(visitor, "ada"))
    records.people.change(records.people.find("ada").id, role="admin", by="root")
    assert visitor.get("/account").status_code == 303
    visitor.get(go(visitor, "ada"))
    assert records.people.find("ada").role == "employee"
    records.people.change(records.people.find("ada").id, state="disabled", by="root")
    assert visitor.get("/").status_code == 303
    assert "disabled" in alert(visitor.get(go(visitor, "ada")))


@pytest.mark.parametrize("wrong", ["nonce", "aud", "iss", "exp", "none", "hmac", "key", "denied"])
def test_a_token_that_is_not_sound_opens_nothing(at: Any, wrong: str) -> None:
    place = at(sso_roles=ROLES)
    records = place.records
    visitor = place.browser()
    answer = visitor.get(go(visitor, "ada", wrong))
    assert answer.status_code == 403
    assert "service" in alert(answer)
    assert "trag" not in visitor.cookies
    assert records.people.find("ada") is None
    assert records.audit.page(most=1)[0].result.startswith("single sign-on: ")


def test_only_the_browser_that_began_comes_back_and_only_once(at: Any) -> None:
    place = at(sso_roles=ROLES)
    visitor, victim = place.browser(), place.browser()
    back = go(visitor, "ada")
    assert "took too long" in alert(victim.get(back))  # a link that would sign them in as somebody else
    strange = {"Cookie": b"trag-sso=caf\xe9"}
    assert "took too long" in alert(place.browser().get(go(place.browser(), "ada"), headers=strange))
    visitor, again = place.browser(), place.browser()
    back = go(visitor, "ada")
    again.cookies.set("trag-sso", visitor.cookies["trag-sso"])
    assert visitor.get(back).headers["location"] == "/account"
    assert "took too long" in alert(again.get(back))
    for forged in ("/sign-in/back", "/sign-in/back?state=x&code=y", f"{back}&state=x"):
        assert place.browser().get(forged).status_code == 403


def test_a_name_that_is_somebody_elses_here_is_not_taken_over(at: Any) -> None:
    place = at(sso_roles=ROLES)
    records = place.records
    records.people.add(Newcomer("ada", state="active", secret=passwords.hashed(PASSWORD)), by="root")
    visitor = place.browser()
    assert "belongs to another account" in alert(visitor.get(go(visitor, "ada")))
    lee = place.browser()
    assert lee.get(go(lee, "lee")).headers["location"] == "/account"
    assert "belongs to another account" in alert(visitor.get(go(visitor, "lee", "subject")))


def test_who_was_imported_comes_in_by_single_sign_on(at: Any) -> None:
    place = at()
    records = place.records
    imported = records.people.add(Newcomer("ada", "Ada", "reviewer", "active"), by="root")
    visitor = place.browser()
    assert visitor.get(go(visitor, "ada")).headers["location"] == "/account"
    assert records.people.find("ada").id == imported.id
    root = place.signed_in("root")
    for page in (visitor.get("/account"), root.get("/people?search=ada"), root.get(f"/people/{imported.id}")):
        assert "by single sign-on" in page.text


def test_who_loses_every_group_loses_their_browsers_and_programs_when_they_come_again(at: Any) -> None:
    place = at(sso_roles=ROLES)
    records = place.records
    before, elsewhere = place.browser(), place.browser()
    before.get(go(before, "ada"))
    assert before.get("/").status_code == 200
    token, _ = records.tokens.make(records.people.find("ada").id, "job", timedelta(days=365), by="ada")
    answer = elsewhere.get(go(elsewhere, "ada", "groups"))
    assert (answer.status_code, "None of your groups" in alert(answer)) == (403, True)
    assert before.get("/").status_code == 303
    assert records.tokens.find(token) is None
    event = records.audit.page(what="sessions and tokens ended")[0]
    assert (event.who, event.about, event.where) == ("ada (sso)", "ada", "10.0.0.7")
    assert elsewhere.get(go(elsewhere, "ada")).headers["location"] == "/account", "with a group they are in again"


def test_who_comes_by_single_sign_on_sets_no_password_that_would_shut_them_out(at: Any) -> None:
    place = at(sso_roles=ROLES)
    records = place.records
    imported = records.people.add(Newcomer("ada", "Ada", "reviewer", "active"), by="root")
    early, _ = records.links.make("password", imported.id, timedelta(days=7), by="root")
    visitor, root = place.browser(), place.signed_in("root")
    visitor.get(go(visitor, "ada"))
    assert "Give a link" not in root.get(f"/people/{imported.id}").text
    assert "has no password here" in root.post(f"/people/{imported.id}/link").text
    assert "has no password here" in alert(place.browser().get(f"/links/{early}"))
    form = {"password": OTHER, "again": OTHER}
    assert "has no password here" in alert(place.browser().post(f"/links/{early}", data=form))
    again = place.browser()
    assert again.get(go(again, "ada")).headers["location"] == "/account"


@pytest.fixture
def silent() -> Iterator[tuple[str, list[socket.socket]]]:
    """The address of a provider that takes every call and says nothing, and the calls."""
    calls: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:

        def take() -> None:
            with suppress(OSError):
                while True:
                    calls.append(server.accept()[0])

        taking = threading.Thread(target=take)
        taking.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", calls
        server.shutdown(socket.SHUT_RDWR)
        taking.join()
        for call in calls:
            call.close()


def test_a_provider_that_does_not_answer_holds_up_nobody_else(
    at: Any, silent: tuple[str, list[socket.socket]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, calls = silent
    place = at(sso_issuer=address)
    records = place.records
    root, _ = records.sessions.begin(records.people.find("root").id)

    async def wait_for(condition: Callable[[], bool]) -> None:
        while not condition():
            await asyncio.sleep(0.02)

    async def visited() -> list[httpx.Response]:
        transport = httpx.ASGITransport(place.app)
        async with httpx.AsyncClient(transport=transport, base_url=HERE, trust_env=False, timeout=None) as client:
            crowd = [asyncio.ensure_future(client.get("/sign-in/sso")) for _ in range(60)]
            await asyncio.wait_for(wait_for(lambda: len(calls) == 1), 8)
            others = (client.get("/sign-in"), client.get("/people", headers={"Cookie": f"trag={root}"}))
            served = await asyncio.wait_for(asyncio.gather(*others), 5)
            assert [each.status_code for each in served] == [200, 200]
            assert not any(each.done() for each in crowd)
            calls[0].close()
            return await asyncio.wait_for(asyncio.gather(*crowd), 20)

    answers = asyncio.run(visited())
    assert {each.status_code for each in answers} == {502}
    assert sum("did not answer a moment ago" in alert(each) for each in answers) == 59
    assert len(calls) == 1, "one asked, and nobody after that for a while"
    monkeypatch.setattr(sso, "COOL_DOWN", 0.0)
    again = at(sso_issuer=address)
    for number in (2, 3):
        threading.Timer(0.3, lambda at=number: calls[at - 1].close()).start()
        again.browser().get("/sign-in/sso")
        assert len(calls) == number, "then it is asked again"


def test_a_provider_that_is_away_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(TragError, match="did not answer"):
        SingleSignOn(Settings(sso_issuer="http://127.0.0.1:9")).begin(f"{HERE}/sign-in/back", "/")


@pytest.mark.parametrize("body", [b"[]", b"null", b"{}", b'{"issuer": 1}', b"<html>", b"\xff"])
def test_what_tells_nothing_of_a_provider_is_told_in_words(body: bytes) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        service = SingleSignOn(Settings(sso_issuer=f"http://127.0.0.1:{server.server_port}"))
        try:
            with pytest.raises(TragError, match="The sign-in service"):
                service.begin(f"{HERE}/sign-in/back", "/")
        finally:
            server.shutdown()


def test_coming_back_without_end_does_not_flood_the_log(at: Any) -> None:
    place = at()
    records = place.records
    visitor, before = place.browser(), records.audit.count()
    for _ in range(100):
        assert visitor.get("/sign-in/back?error=server_error").status_code == 403
    assert records.audit.count() - before == 60


@pytest.mark.parametrize("text", ["staff", "=admin", "staff=", "staff=owner", "a=employee, b"])
def test_settings_that_map_nothing_are_refused(text: str) -> None:
    with pytest.raises(TragError):
        roles(text)


def test_a_group_may_hold_an_equals_sign() -> None:
    assert pairs("sso_units", "cn=board=board, x = bar,") == {"cn=board": "board", "x": "bar"}
    with pytest.raises(TragError, match="https"):
        SingleSignOn(Settings(sso_issuer="http://provider.example.org"))
