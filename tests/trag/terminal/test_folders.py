"""Folders from the terminal: added, looked at, listed, and what is wrong with what was typed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from trag.terminal.main import main


def test_a_folder_is_added_looked_at_run_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    share = tmp_path / "share"
    share.mkdir()
    (share / "a.md").write_text("# Rules\n\nTwo sign.\n")
    os.utime(share / "a.md", (time.time() - 60,) * 2)

    def job(*words: str, status: int = 0) -> str:
        assert main(["folders", *words]) == status
        return "".join(capsys.readouterr())

    assert "Who may read it is not said." in job("add", "Policies", str(share), status=1)
    assert "the chart in use has no unit Desk" in job("add", "Policies", str(share), "--readers", "Desk", status=1)
    assert "cannot be read" in job("add", "Policies", str(tmp_path / "none"), "--readers", "everyone", status=1)
    assert "Policies is added, and paused." in job("add", "Policies", str(share), "--readers", "nobody", "--every", "5")
    (tmp_path / "groups.csv").write_text("staff,nobody\nother,everyone\n")
    (tmp_path / "acl").write_text(
        "# file: .\n# group: staff\ngroup::r-x\nother::r-x\n\n# file: a.md\ngroup:staff:r--\n"
    )
    rights = job("rights", str(share), "--groups", str(tmp_path / "groups.csv"), "--acl", str(tmp_path / "acl"))
    assert rights == "a.md,nobody\nThe folder itself: --readers everyone\n"
    assert "There is no file" in job("rights", str(share), "--groups", str(tmp_path / "none.csv"), status=1)
    assert "is that folder, or one in it" in job("add", "More", str(share), "--readers", "everyone", status=1)
    assert "readers: nobody" in job("list")
    assert "readers: everyone" in job("set", "Policies", "--readers", "everyone")
    assert "(paused)" not in job("resume", "Policies")
    assert "There is no folder called None." in job("log", "None", status=1)
    assert "Policies is mirrored no more." in job("remove", "Policies")
    assert job("list") == ""
