"""The paper's data."""

from pathlib import Path

import pytest

from trag.evaluate.flows.data import Data, read


@pytest.fixture(scope="session")
def folder() -> Path:
    return Path(__file__).parents[4] / "bench" / "flows" / "paper"


@pytest.fixture(scope="session")
def paper(folder: Path) -> Data:
    return read(folder)
