"""What the tests of several rooms begin from."""

import gc
import os
import runpy
from pathlib import Path

import pytest

from store.records import Records
from trag.models import catalogue
from trag.models.catalogue import CatalogueModel

SMALL_READER = Path(__file__).parent / "reader"
runpy.run_path(str(SMALL_READER / "sitecustomize.py"))  # here, and in every process that is started from here
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(SMALL_READER), os.environ.get("PYTHONPATH"))))


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


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    """The real default model, for tests marked `reader`: here, and in processes that are started meanwhile."""
    monkeypatch.setattr(catalogue, "DEFAULT", catalogue.MODELS[0])
    monkeypatch.delenv("PYTHONPATH")
    return catalogue.DEFAULT
