"""The embedded model, prepared once for the whole run."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from trag.llm.local import LocalModel


@pytest.fixture(scope="session")
def model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose models/ holds the prepared embedded model."""
    home = tmp_path_factory.mktemp("home")
    LocalModel(home).close()
    return home


@pytest.fixture(scope="session")
def model(model_home: Path) -> Iterator[LocalModel]:
    """The embedded model in its own process. Tests that harm the process start their own."""
    with closing(LocalModel(model_home)) as opened:
        yield opened
