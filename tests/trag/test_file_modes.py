"""A home is closed to the other accounts of a machine, and opens all the same where it cannot be."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from trag.doctor import examine
from trag.errors import TragError
from trag.file_modes import check_closed, close_to_others
from trag.home import open_home
from trag.settings import Settings


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home with a document and settings that everybody may read, as what is made is by default."""
    before = os.umask(0o022)
    home = tmp_path / "home"
    (home / "documents").mkdir(parents=True)
    for file in (home / "documents" / "pay.md", home / "trag.toml", home / "lock"):
        file.touch()
        file.chmod(0o644)
    for folder in (home / "documents", home):
        folder.chmod(0o2775)
    yield home
    os.umask(before)


def modes(home: Path) -> dict[str, str]:
    return {path.name: f"{path.stat().st_mode & 0o777:o}" for path in (home, *home.rglob("*"))}


CLOSED = {"home": "700", "documents": "700", "pay.md": "600", "trag.toml": "600", "lock": "600"}


def test_what_was_open_is_closed(home: Path) -> None:
    with pytest.raises(TragError, match="home and 4 more files and folders are open"):
        check_closed(home)
    close_to_others(home)
    assert modes(home) == CLOSED
    check_closed(home)


def test_a_home_of_another_account_opens_as_it_is_and_it_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = modes(home)
    monkeypatch.setattr(os, "geteuid", lambda: 1 + home.stat().st_uid)
    with open_home(Settings(home=home)) as opened:
        assert opened.state().empty
    assert before.items() <= modes(home).items()
    assert f"are open to other accounts of this machine. As the account that it belongs to: chmod -R go= {home}" in (
        caplog.text
    )


def test_a_folder_that_holds_something_else_stays_open_and_the_homes_own_is_closed(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "website").mkdir(mode=0o755)
    close_to_others(home)
    assert modes(home) == CLOSED | {"home": "775", "website": "755"}
    assert "website, which is not the program's" in caplog.text
    home.chmod(0o700)
    check_closed(home)


def test_a_link_out_of_a_home_is_left_alone_and_named_but_for_that_of_public_models(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("models", "chroma"):
        (tmp_path / name).mkdir(mode=0o755)
        (home / name).symlink_to(tmp_path / name)
    close_to_others(home)
    assert modes(home) == CLOSED | {"models": "755", "chroma": "755"}
    monkeypatch.setattr("trag.doctor._model", lambda _: "well")
    monkeypatch.setattr("trag.doctor._encoder", lambda _: "well")
    (found,) = (finding for finding in examine(Settings(home=home)) if finding.what == "other accounts")
    assert (found.well, found.found) == (False, f"{home / 'chroma'} is open to other accounts of this machine.")
    (tmp_path / "chroma").chmod(0o700)
    check_closed(home)
