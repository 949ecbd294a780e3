"""python -m trag people, and where the app may be served."""

import io
import re
from pathlib import Path

import pytest

import app
from trag import cli
from trag.errors import TragError
from trag.settings import Settings

PASSWORD = "violet kettle orbit"


@pytest.mark.slow
def test_an_admin_is_made_listed_and_given_a_link(
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


@pytest.mark.parametrize(
    "settings",
    [
        {"host": "0.0.0.0"},
        {"host": "192.168.1.5"},
        {"host": "0.0.0.0", "address": "http://assistant.example.org"},
        {"address": "assistant.example.org"},
        {"address": "https://"},
        {"address": "https://example.org/assistant"},
    ],
    ids=str,
)
def test_nobody_is_served_beyond_this_machine_without_tls_and_accounts(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with pytest.raises(TragError):
        app.serve(Settings(home=tmp_path / "home", **settings))  # type: ignore[arg-type]
    assert not (tmp_path / "home").exists()
