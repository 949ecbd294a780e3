"""A hub on this machine, and a folder of the catalogue of one test alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import model_hub
from tests.model_hub import Server
from trag.models import catalogue, fetching


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """It has MODEL, and whoever fetches again from it does so at once."""
    monkeypatch.setattr(fetching, "PAUSE", 0.0)
    with model_hub.serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the catalogue keeps files, of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    catalogue.folder().mkdir(parents=True)
    return catalogue.folder()
