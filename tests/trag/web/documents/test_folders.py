"""The pages of the folders: one added, looked at, mirrored, its readers changed, asked about, and removed."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from tests.trag.web.documents.conftest import Opened, served
from trag.web.documents.page import DocumentsPage

FORM = {
    "name": "Policies",
    "every": "60",
    "most_gone": "50",
    "share_gone": "10",
    "table": "",
    "person": "",
    "password": "",
}


@pytest.fixture
def share(tmp_path: Path) -> Path:
    share = tmp_path / "share"
    for path in ("a.md", "hr/b.md"):
        write(share / path, f"Words of {path}.")
    return share


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# {file.stem}\n\n{text}\n")
    os.utime(file, (time.time() - 60,) * 2)


def text(answer: object) -> str:
    return re.sub(r"\s+", " ", BeautifulSoup(answer.text, "lxml").get_text(" "))  # type: ignore[attr-defined]


def pages(client: TestClient) -> DocumentsPage:
    return client.documents  # type: ignore[attr-defined,no-any-return]


def test_a_folder_is_added_looked_at_mirrored_and_removed(opened: Opened, tmp_path: Path, share: Path) -> None:
    with opened(tmp_path / "home") as home, served(home) as client:
        assert "Add a folder" in text(client.get("/documents/folders"))
        refused = client.post("/documents/folders", data=FORM | {"address": str(share)})
        assert refused.status_code == 422
        assert "Who may read it is not said" in text(refused)
        assert str(share) in refused.text
        added = client.post("/documents/folders", data=FORM | {"address": str(share), "readers": "nobody"})
        shown = text(added)
        assert "Policies is added" in shown
        assert "New: 2" in shown
        assert "hr/b.md" in shown
        (folder,) = home.records.folders.all()
        assert folder.paused
        assert folder.audience == frozenset()
        path = f"/documents/folders/{folder.id}"
        assert "It is looked at next" in text(client.post(f"{path}/run", data={"begin": "1"}))
        pages(client).folders.work_off()
        assert {each.name: each.audience for each in home.records.library.documents()} == {
            "a.md": frozenset(),
            "hr/b.md": frozenset(),
        }
        assert "2 new" in text(client.get(path))
        document = next(
            each
            for each in client.get("/documents").text.split('"')
            if each.startswith("/documents/") and len(each) == 43
        )
        assert "From the folder Policies" in text(client.get(document))

        said = client.post(f"{path}/set", data=FORM | {"readers": "everyone", "table": "hr,nobody"})
        assert "Saved." in text(said)
        audiences = home.records.library.audiences()
        assert (audiences["a.md"], audiences["hr/b.md"]) == (frozenset({"everyone"}), frozenset())
        assert "row 1 (x): " in text(client.post(f"{path}/set", data=FORM | {"readers": "everyone", "table": "x,"}))

        for name in ("a.md", "hr/b.md"):
            (share / name).unlink()
        client.post(f"{path}/run")
        pages(client).folders.work_off()
        assert "2 of 2 documents would go." in text(client.get(path))
        assert "Run, and let 2 documents go" in text(client.get(f"{path}?preview=1"))
        client.post(f"{path}/run", data={"let_go": "2"})
        pages(client).folders.work_off()
        assert home.records.library.documents() == ()

        assert "Policies is mirrored no more; its documents stay." in text(client.post(f"{path}/remove"))
        assert client.get(path).status_code == 404


def test_a_folder_that_is_gone_is_told(opened: Opened, tmp_path: Path, share: Path) -> None:
    with opened(tmp_path / "home") as home, served(home) as client:
        client.post("/documents/folders", data=FORM | {"address": str(share), "readers": "everyone"})
        (folder,) = home.records.folders.all()
        share.rename(tmp_path / "elsewhere")
        answer = client.get(f"/documents/folders/{folder.id}?preview=1")
        assert answer.status_code == 200
        assert "cannot be read" in text(answer)
        assert client.get("/documents/folders/progress?folder=none").status_code == 200
