"""Single sign-on against a real OpenID provider on loopback, and what is not believed of it."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
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
from tests.trag.web.people.conftest import HERE, OTHER, Place, alert
from trag.errors import TragError
from trag.people import sso
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
def here(at: Any, provider: str) -> Any:
    """Opens a home with one admin that people sign in to at the provider."""
    return lambda **settings: at(**{"address": provider, "secret": "of the client"} | settings)


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


def come(place: Place, login: str, wrong: str = "") -> tuple[TestClient, Any]:
    """A browser that signed in there, and what it was told here."""
    visitor = place.browser()
    return visitor, visitor.get(go(visitor, login, wrong))


def test_what_the_provider_says_now_counts_for_browsers_and_programs_at_once(here: Any) -> None:
    place = here(sso_roles=ROLES)
    people, tokens = place.records.people, place.records.tokens
    visitor, _ = come(place, "ada")
    people.change(place.person("ada").id, role="admin", by="root")
    assert visitor.get("/account").status_code == 303
    visitor, _ = come(place, "ada")
    assert (visitor.get("/").status_code, place.person("ada").role) == (200, "employee")
    token, _ = tokens.make(place.person("ada").id, "job", timedelta(days=365), by="ada")
    _, answer = come(place, "ada", "groups")
    assert (answer.status_code, "None of your groups" in alert(answer)) == (403, True)
    assert (visitor.get("/").status_code, tokens.find(token)) == (303, None)
    assert place.noted("sessions and tokens ended") == ("ada (sso)", "ada", "10.0.0.7")
    assert come(place, "ada")[1].headers["location"] == "/account", "with a group they are in again"
    people.change(place.person("ada").id, state="disabled", by="root")
    assert "disabled" in alert(come(place, "ada")[1])


@pytest.mark.parametrize("wrong", ["nonce", "aud", "iss", "exp", "none", "hmac", "key", "denied"])
def test_a_token_that_is_not_sound_opens_nothing(here: Any, wrong: str) -> None:
    place = here(sso_roles=ROLES)
    visitor, answer = come(place, "ada", wrong)
    assert (answer.status_code, "service" in alert(answer)) == (403, True)
    assert ("trag" in visitor.cookies, place.records.people.find("ada")) == (False, None)
    assert place.records.audit.page(most=1)[0].result.startswith("single sign-on: ")


def test_only_the_browser_that_began_comes_back_and_only_once(here: Any) -> None:
    place = here(sso_roles=ROLES)
    back = go(place.browser(), "ada")
    assert "took too long" in alert(place.browser().get(back))  # a link that would sign them in as somebody else
    strange = {"Cookie": b"trag-sso=caf\xe9"}
    assert "took too long" in alert(place.browser().get(go(place.browser(), "ada"), headers=strange))
    visitor, again = place.browser(), place.browser()
    back = go(visitor, "ada")
    again.cookies.set("trag-sso", visitor.cookies["trag-sso"])
    assert visitor.get(back).headers["location"] == "/account"
    assert "took too long" in alert(again.get(back))
    for forged in ("/sign-in/back", "/sign-in/back?state=x&code=y", f"{back}&state=x"):
        assert place.browser().get(forged).status_code == 403


def test_a_name_that_is_somebody_elses_here_is_not_taken_over(here: Any) -> None:
    place = here(sso_roles=ROLES)
    place.add("ada")
    assert "belongs to another account" in alert(come(place, "ada")[1])
    assert come(place, "lee")[1].headers["location"] == "/account"
    assert "belongs to another account" in alert(come(place, "lee", "subject")[1])


def test_who_was_imported_comes_in_by_single_sign_on(here: Any) -> None:
    place = here()
    imported = place.records.people.add(Newcomer("ada", "Ada", "reviewer", "active"), by="root")
    visitor, answer = come(place, "ada")
    assert (answer.headers["location"], place.person("ada").id) == ("/account", imported.id)
    root = place.signed_in("root")
    for page in (visitor.get("/account"), root.get("/people?search=ada"), root.get(f"/people/{imported.id}")):
        assert "by single sign-on" in page.text


def test_who_comes_by_single_sign_on_sets_no_password_that_would_shut_them_out(here: Any) -> None:
    place = here(sso_roles=ROLES)
    imported = place.records.people.add(Newcomer("ada", "Ada", "reviewer", "active"), by="root")
    early, _ = place.records.links.make("password", imported.id, timedelta(days=7), by="root")
    root, form = place.signed_in("root"), {"password": OTHER, "again": OTHER}
    come(place, "ada")
    assert "Give a link" not in root.get(f"/people/{imported.id}").text
    assert "has no password here" in root.post(f"/people/{imported.id}/link").text
    assert "has no password here" in alert(place.browser().get(f"/links/{early}"))
    assert "has no password here" in alert(place.browser().post(f"/links/{early}", data=form))
    assert come(place, "ada")[1].headers["location"] == "/account"


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
    place = at(address, "x")
    root, _ = place.records.sessions.begin(place.person("root").id)

    async def called() -> None:
        while len(calls) != 1:
            await asyncio.sleep(0.02)

    async def visited() -> list[httpx.Response]:
        transport = httpx.ASGITransport(place.app)
        async with httpx.AsyncClient(transport=transport, base_url=HERE, trust_env=False, timeout=None) as client:
            crowd = [asyncio.ensure_future(client.get("/sign-in/sso")) for _ in range(60)]
            await asyncio.wait_for(called(), 8)
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
    again = at(address, "x")
    for number in (2, 3):
        threading.Timer(0.3, lambda at=number: calls[at - 1].close()).start()
        again.browser().get("/sign-in/sso")
        assert len(calls) == number, "then it is asked again"


def test_a_provider_that_is_away_or_not_reached_safely_is_told_in_words() -> None:
    for address, told in (("http://127.0.0.1:9", "did not answer"), ("http://provider.example.org", "https")):
        with pytest.raises(TragError, match=told):
            SingleSignOn(Settings(sso_issuer=address)).begin(f"{HERE}/sign-in/back", "/")


def test_what_tells_nothing_of_a_provider_is_told_in_words() -> None:
    class Handler(BaseHTTPRequestHandler):
        body = b""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(self.body)))
            self.end_headers()
            self.wfile.write(self.body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        for Handler.body in (b"[]", b"null", b"{}", b'{"issuer": 1}', b"<html>", b"\xff"):
            service = SingleSignOn(Settings(sso_issuer=f"http://127.0.0.1:{server.server_port}"))
            with pytest.raises(TragError, match="The sign-in service"):
                service.begin(f"{HERE}/sign-in/back", "/")
        server.shutdown()


def test_coming_back_without_end_does_not_flood_the_log(here: Any) -> None:
    place = here()
    visitor, before = place.browser(), place.records.audit.count()
    for _ in range(100):
        assert visitor.get("/sign-in/back?error=server_error").status_code == 403
    assert place.records.audit.count() - before == 60


def test_settings_that_map_nothing_are_refused_and_a_group_may_hold_an_equals_sign() -> None:
    for text in ("staff", "=admin", "staff=", "staff=owner", "a=employee, b"):
        with pytest.raises(TragError):
            roles(text)
    assert pairs("sso_units", "cn=board=board, x = bar,") == {"cn=board": "board", "x": "bar"}
