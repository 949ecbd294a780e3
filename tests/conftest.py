"""What the tests of several rooms begin from."""

import gc
from pathlib import Path

import pytest

from store.records import Records


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """What is imported stays: to look through all of it again and again would take a tenth of a run."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that is up to date and holds nothing, to be copied: its migrations take longer than most tests."""
    place = tmp_path_factory.mktemp("empty") / "trag.db"
    Records(f"sqlite:///{place}").close()
    return place
