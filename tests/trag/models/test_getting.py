"""A model fetched in the background of an app: watched, stopped, gone on with, and refused."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from store.records import Records
from tests.model_hub import CONTENT, MODEL, Server
from trag.errors import TragError
from trag.models import catalogue, fetching
from trag.models.getting import ModelFetch

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def fetch(empty_database: Path, tmp_path: Path, hub: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelFetch]:
    """Of an app whose catalogue has the hub of this machine."""
    database = tmp_path / "trag.db"
    database.write_bytes(empty_database.read_bytes())
    monkeypatch.setattr(fetching, "HUB", hub.address)
    with closing(Records(f"sqlite:///{database}")) as records, closing(ModelFetch(records.audit)) as fetch:
        yield fetch


def wait(fetch: ModelFetch, state: str) -> None:
    end = time.monotonic() + 30
    while fetch.now is None or fetch.now.state != state:
        assert time.monotonic() < end, fetch.now
        time.sleep(0.01)


def test_a_fetch_is_stopped_and_gone_on_with_where_it_was(fetch: ModelFetch, hub: Server) -> None:
    hub.slow = 0.05
    fetch.begin(MODEL, by="ada")
    with pytest.raises(TragError, match="A fetch is running already"):
        fetch.begin(MODEL, by="ben")
    while not (fetch.now and fetch.now.about.done):
        time.sleep(0.01)
    fetch.stop()
    wait(fetch, "stopped")
    part = MODEL.path.with_name(f"{MODEL.file}.part")
    have = part.stat().st_size
    assert 0 < have < len(CONTENT)
    assert not MODEL.path.exists(), "nothing half is a model"
    hub.slow = 0.0
    fetch.begin(MODEL, by="ben", where="10.0.0.1")
    wait(fetch, "done")
    assert hub.asked[-1][1] == f"bytes={have}-"
    assert MODEL.path.read_bytes() == CONTENT
    (event,) = fetch._audit.page(what="model fetched")
    assert (event.who, event.about, event.where, event.result) == ("ben", "tiny", "10.0.0.1", MODEL.sha256)


def test_another_file_than_the_published_is_thrown_away_and_said(fetch: ModelFetch) -> None:
    fetch.begin(replace(MODEL, sha256="0" * 64), by="ada")
    wait(fetch, "failed")
    assert fetch.now
    assert "is not the published tiny.gguf" in fetch.now.problem
    assert [path.name for path in catalogue.folder().iterdir() if path.name.startswith("tiny")] == []


def test_without_room_nothing_begins(fetch: ModelFetch, hub: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "shutil", SimpleNamespace(disk_usage=lambda _: SimpleNamespace(free=10_000_000)))
    with pytest.raises(TragError, match=r"GiB free, and tiny needs 0\.3"):
        fetch.begin(MODEL, by="ada")
    assert (fetch.now, hub.asked) == (None, [])
