"""A home of the release before, and what becomes of its index under its own encoder and under another."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from store.records import Records
from store.vectors import Vectors
from trag.ingest import reconciliation
from trag.ingest.context import IngestContext

if TYPE_CHECKING:
    from trag.embed import Embedder

BEFORE = Path(__file__).parent / "home_of_before.tar.gz"
"""Written by `python -m trag ingest` of git commit 47b41c61: two documents, three passages."""


class Killed(BaseException):
    """Ends the program on the spot."""


class Encoder:
    """Vectors that stand for nothing but their text; it is killed after so many texts."""

    def __init__(self, identity: str, dimension: int, most: int = 100) -> None:
        self.identity, self.dimension, self.left, self.embedded = identity, dimension, most, 0

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> np.ndarray:
        if self.left < len(texts):
            raise Killed
        self.left -= len(texts)
        self.embedded += len(texts)
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) for text in texts]
        rows = [np.random.default_rng(seed).normal(size=self.dimension) for seed in seeds]
        found = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with tarfile.open(BEFORE) as tar:
        tar.extractall(tmp_path, filter="data")
    return tmp_path / "home"


@contextmanager
def opened(home: Path, encoder: Encoder) -> Iterator[Vectors]:
    with (
        closing(Records(f"sqlite:///{home / 'trag.db'}")) as records,
        closing(reconciliation.open_index(records, home / "chroma", cast("Embedder", encoder))) as vectors,
    ):
        reconciliation.reconcile(IngestContext(records, vectors, cast("Embedder", encoder), home))
        yield vectors


def test_a_home_of_the_release_before_opens_as_it_is(home: Path) -> None:
    same = Encoder("all-MiniLM-L6-v2@53aa51172d14", 384, most=0)
    with opened(home, same) as vectors:
        assert sorted(vectors.held()) == ["leave.md", "travel.md"]
        assert vectors.count() == 3


def test_another_encoder_is_noticed_and_goes_on_after_a_kill(home: Path) -> None:
    with pytest.raises(Killed), opened(home, Encoder("other@1", 16, most=2)):
        pass
    other = Encoder("other@1", 16)
    with opened(home, other) as vectors:
        assert vectors.count() == 3
        assert 0 < other.embedded < 3
        (vector,) = Encoder("other@1", 16).embed_passages(["x"])
        assert len(vectors.search(vector, "trains", kinds=["section"], k=3, readers=None)) == 3


def test_what_another_encoder_left_half_made_is_not_taken(home: Path) -> None:
    with pytest.raises(Killed), opened(home, Encoder("other@1", 16, most=2)):
        pass
    third = Encoder("third@1", 16)
    with opened(home, third) as vectors:
        assert third.embedded == vectors.count() == 3
