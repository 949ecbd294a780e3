"""The records of a home, made once, and passwords that are hashed as always, only with less work."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from store.records import Records
from trag.people import passwords


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    """One home for every test of the rules: each uses names of its own."""
    with closing(Records(f"sqlite:///{tmp_path_factory.mktemp('people')}/trag.db")) as records:
        yield records


@pytest.fixture
def new_records(tmp_path: Path) -> Iterator[Records]:
    """A home of the test's own."""
    with closing(Records(f"sqlite:///{tmp_path}/trag.db")) as records:
        yield records


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2id with the least work it takes."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    nobodys = hasher.hash("nobody")
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    monkeypatch.setattr(passwords, "_nobodys", lambda: nobodys)
