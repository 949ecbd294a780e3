"""python -m trag people, and where the app may be served."""

import io
import re
import signal
import socket
from contextlib import closing, nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn

from store.records import Records
from trag.errors import TragError
from trag.settings import Settings
from trag.terminal import main as cli
from trag.web.serve import serve
from trag.web.start_checks import problems

PASSWORD = "violet kettle orbit"


@pytest.mark.slow
def test_an_admin_is_made_listed_given_a_link_renamed_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path))

    def run(*words: str, typed: str = "") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = cli.main(["people", *words])
        return status, "".join(capsys.readouterr())

    assert run("add-admin", "root", typed="password\n")[0] == 1
    status, said = run("add-admin", "root", typed=f"{PASSWORD}\n")
    assert (status, "root is an admin" in said) == (0, True)
    assert run("add-admin", "Root", typed=f"{PASSWORD}\n")[1].startswith("Error: The name Root is taken.")
    assert re.fullmatch(r"active\s+admin\s+root\s+root\n", run("list")[1])
    assert re.search(r"http://127\.0\.0\.1:7860/links/[\w-]{43}\n$", run("link", "ROOT")[1])
    assert run("link", "nobody")[0] == 1
    assert run("rename", "root", "rosa") == (0, "root signs in as rosa from now on.\n")
    assert run("rename", "rosa", "a b")[0] == 1
    with closing(Records(f"sqlite:///{tmp_path}/trag.db")) as records:
        rosa = records.people.find("rosa")
        assert rosa
        records.second_factors.begin(rosa.id, "KEY")
        records.second_factors.confirm(rosa.id, "KEY", 1, {1: "h"}, by="rosa")
    assert run("take-factor", "Rosa") == (0, "rosa signs in with the password alone.\n")
    with closing(Records(f"sqlite:///{tmp_path}/trag.db")) as records:
        assert records.second_factors.of(rosa.id) is None
    assert "last active admin" in run("remove", "rosa")[1]
    run("add-admin", "second", typed=f"{PASSWORD}\n")
    assert run("remove", "Rosa") == (0, "rosa is removed: 0 conversations and 0 answers forgotten\n")
    assert run("remove", "rosa")[1].startswith("Error: Nobody is called rosa.")


HTTPS = "https://assistant.example.org"


@pytest.mark.parametrize(
    "settings",
    [
        {"host": "0.0.0.0"},
        {"host": "192.168.1.5"},
        {"host": "0.0.0.0", "address": "http://assistant.example.org"},
        *({"address": address} for address in ("assistant.example.org", "https://", "https://[::1")),
        *({"address": HTTPS + end} for end in (":99999", ":0", "?team=1", "#top", "/assistant", "]")),
    ],
    ids=str,
)
def test_nobody_is_served_beyond_this_machine_without_tls_and_accounts(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    said = r"no https:// address of a server\.$" if "address" in settings else "without accounts"
    with pytest.raises(TragError, match=said):
        serve(Settings(home=tmp_path / "home", proxy_from="127.0.0.1", **settings))  # type: ignore[arg-type]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("proxy", ["", " , "])
def test_a_public_address_without_the_proxy_it_is_reached_by_is_refused(tmp_path: Path, proxy: str) -> None:
    with pytest.raises(TragError) as refused:
        serve(Settings(home=tmp_path / "home", address=HTTPS, proxy_from=proxy))
    assert "TRAG_PROXY_FROM" in refused.value.hint


ISSUER = "https://sso.example.org"
HALF = [
    ({"sso_issuer": ISSUER, "sso_client": "a"}, "sso_issuer is set, and address is not", "TRAG_ADDRESS"),
    ({"proxy_from": "127.0.0.1"}, "proxy_from is set, and address is not", "remove proxy_from"),
    ({"proxy_user": "X-User"}, "proxy_user names a header, but proxy_from names no proxy", "Set both"),
    ({"proxy_from": "10.0.0.5", "proxy_user": "X-User"}, "proxy_from and proxy_user are set", "TRAG_ADDRESS"),
    ({"address": HTTPS, "proxy_from": "a.example"}, "'a.example' is no address", "addresses or networks"),
    ({"address": HTTPS, "proxy_from": "0.0.0.0/0"}, "every machine there is", "the proxies alone"),
    ({"address": HTTPS, "proxy_from": "::/0"}, "every machine there is", "the proxies alone"),
    ({"address": HTTPS, "proxy_from": "10.0.0.5", "proxy_user": "X User:"}, "no name of a header", "X-Remote-User"),
    ({"address": "https://localhost", "sso_issuer": ISSUER}, "sso_client is not", "TRAG_SSO_CLIENT"),
    ({"address": "https://localhost", "sso_issuer": "sso.example.org", "sso_client": "a"}, "https:// address", "Copy"),
    ({"sso_client": "a", "sso_roles": "it=admin"}, "sso_client and sso_roles are set, and sso_issuer", "TRAG_SSO_ISS"),
    ({"sso_secret": "hushhush"}, "sso_secret is set, and sso_issuer is not", "remove sso_secret"),
    ({"sso_groups": "roles"}, "sso_groups is set, and sso_issuer is not", "TRAG_SSO_ISSUER"),
    (
        {"sso_issuer": ISSUER, "sso_client": "a", "sso_roles": "it=boss"},
        "'boss' is no role",
        "employee, reviewer, admin",
    ),
    ({"sso_issuer": ISSUER, "sso_client": "a", "sso_units": "it"}, "sso_units: 'it' is not GROUP=VALUE", "group=value"),
]


@pytest.mark.parametrize(("settings", "said", "hint"), HALF)
def test_settings_that_are_half_made_are_refused_with_what_to_do(
    tmp_path: Path, settings: dict[str, str], said: str, hint: str
) -> None:
    with pytest.raises(TragError) as refused:
        serve(Settings(home=tmp_path / "home", **settings))  # type: ignore[arg-type]
    assert (said in refused.value.message, hint in refused.value.hint) == (True, True), refused.value
    assert "hushhush" not in refused.value.message + refused.value.hint
    assert not (tmp_path / "home").exists()


def test_all_that_is_half_made_is_told_at_once(tmp_path: Path) -> None:
    wrong = Settings(home=tmp_path, host="0.0.0.0", sso_issuer="x", sso_roles="it=boss", proxy_user="X User")
    with pytest.raises(TragError) as refused:
        serve(wrong)
    for said in ("host =", "address is not", "sso_client is not", "https:// address", "'boss'", "no name of a header"):
        assert said in refused.value.message, said


@pytest.mark.parametrize(
    "settings",
    [
        {"sso_issuer": ISSUER, "sso_client": "a", "sso_name": "email"},
        {"sso_issuer": "http://localhost:8080/realm", "sso_client": "a", "sso_secret": "b", "sso_roles": "it=admin"},
        {"proxy_user": "X-Remote-User"},
    ],
)
def test_settings_that_are_whole_are_let_through(settings: dict[str, str]) -> None:
    assert list(problems(Settings(address=HTTPS, proxy_from="10.0.0.5, fd00::/8", **settings))) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("address", "proxy"), [(HTTPS, "127.0.0.1"), ("https://localhost", ""), ("", "")])
def test_what_is_served_here_or_behind_a_proxy_is_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, proxy: str
) -> None:
    monkeypatch.setattr("trag.web.serve.open_home", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):  # it came as far as opening the home
        serve(Settings(home=tmp_path / "home", address=address, proxy_from=proxy))


@pytest.mark.parametrize(
    ("host", "family", "shown"),
    [("127.0.0.1", socket.AF_INET, "127.0.0.1"), ("::1", socket.AF_INET6, "[::1]")],
    ids=["IPv4", "IPv6"],
)
def test_the_app_listens_where_it_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    host: str,
    family: socket.AddressFamily,
    shown: str,
) -> None:
    with socket.create_server((host, 0), family=family) as free:
        port = free.getsockname()[1]
    heard: list[tuple[int, tuple[str, int]]] = []

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        heard.extend((each.family, each.getsockname()[:2]) for each in sockets)

    monkeypatch.setattr("trag.web.serve.open_home", lambda settings, later: nullcontext())
    monkeypatch.setattr("trag.web.serve.create_app", lambda home: None)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    serve(Settings(home=tmp_path, host=host, port=port))
    assert heard == [(family, (host, port))]
    assert capsys.readouterr().out == f"Open http://{shown}:{port}\n"


def test_a_port_that_cannot_be_opened_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trag.web.serve.open_home", lambda settings, later: nullcontext())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TragError, match=f"Port {port} on 127") as refused:
            serve(Settings(home=tmp_path, port=port))
    assert refused.value.hint.startswith("Another program listens there")
    elsewhere = Settings(
        home=tmp_path, host="192.0.2.1", address="https://assistant.example.org", proxy_from="127.0.0.1"
    )
    with pytest.raises(TragError, match="Port 7860 on 192") as refused:
        serve(elsewhere)
    assert "TRAG_HOST" in refused.value.hint
