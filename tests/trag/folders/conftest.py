"""A folder to be mirrored, beside a home's stores and the real embedder."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from store.folders import Folder, FolderFile, FolderRun
from store.passage import OPEN
from store.records import Records
from trag.folders.mirroring import Preview, mirror, preview
from trag.ingest import reconciliation
from trag.ingest.context import IngestContext
from trag.ingest.parse import parse
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from trag.embed import Embedder


class Hashes:
    """Vectors that stand for nothing but their text: what is searched is not asked here, and a model takes long."""

    identity, dimension = "hashes", 8

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> np.ndarray:
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint32)[:8] for text in texts]
        found = np.array(rows, dtype=np.float32).reshape(len(texts), 8)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class Mirrored:
    """A folder and the home that mirrors it."""

    def __init__(self, folder: Path, home: Path) -> None:
        embedder = cast("Embedder", Hashes())
        self.folder, self.home = folder, home
        self.records = Records(f"sqlite:///{home / 'trag.db'}")
        self.vectors = reconciliation.open_index(self.records, home / "chroma", embedder)
        self.context = IngestContext(self.records, self.vectors, embedder, home)

    def add(self, **options: Any) -> Folder:
        return self.records.folders.add(Folder("Policies", str(self.folder), **{"audience": OPEN} | options), by="ada")

    def write(self, path: str, text: str, *, age: float = 60.0) -> Path:
        """A file that was written some seconds ago."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {file.stem}\n\n{text}\n", encoding="utf-8")
        moment = time.time() - age
        os.utime(file, (moment, moment))
        return file

    def run(self, progress: Progress = silent, **options: Any) -> FolderRun:
        (folder,) = self.records.folders.all()
        run = self.records.folders.begin(folder.id, "by hand")
        return mirror(folder, self.context, run, progress, **options)

    def preview(self) -> Preview:
        (folder,) = self.records.folders.all()
        return preview(folder, self.context)

    def documents(self) -> dict[str, str]:
        """Each document with its words."""
        library = self.records.library
        return {
            each.name: " ".join(passage.text for passage in library.passages(each.name)) for each in library.documents()
        }

    @property
    def files(self) -> dict[str, FolderFile]:
        (folder,) = self.records.folders.all()
        return self.records.folders.files(folder.id)

    def close(self) -> None:
        self.vectors.close()
        self.records.close()


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser of the sandbox without its process, which takes longer than all else."""
    monkeypatch.setattr("trag.ingest.index.read", lambda content, name, *_: parse(content, Path(name).suffix.lower()))


@pytest.fixture
def make_mirrored(tmp_path: Path, empty_database: Path) -> Iterator[Callable[[], Mirrored]]:
    """Opens the folder and its home, as a new process would."""
    opened: list[Mirrored] = []

    def make() -> Mirrored:
        home = tmp_path / "home"
        if not home.exists():
            home.mkdir()
            shutil.copy(empty_database, home)
            (tmp_path / "share").mkdir()
        opened.append(Mirrored(tmp_path / "share", home))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def mirrored(make_mirrored: Callable[[], Mirrored]) -> Mirrored:
    return make_mirrored()
