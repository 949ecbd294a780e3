"""The search index as files: Chroma in this process, each generation of the index a folder of its own.

The file `current` names the folder in use, so that a new index is complete before it is used, and every trace of what
was deleted goes with the old folder. Chroma's files are believed when they are as the last orderly end left them; after
any other end a child process looks through them first, for damaged ones end the process that searches them (`examine`).

`python -m store.embedded FOLDER` is that child: it exits with 0 when the index finds its own passages. One process at a
time: see `files.lock`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store import StoreError, disk_full
from store.collection import NAME, REINDEX, IndexDamaged, check_embedder, make, probe
from store.files import sync_folder, write_atomic

if TYPE_CHECKING:
    import chromadb
    from chromadb.api.client import Client

_CURRENT = "current"
_SUMS = "sums"
# Bytes that stay free on the disk for journals and the like.
_MARGIN = 32 * 2**20
# An index of a million passages is looked through in about two minutes.
_EXAMINING = 600

log = logging.getLogger(__name__)


class Embedded:
    """The generations in one folder. For one thread at a time."""

    def __init__(self, folder: Path, *, embedder: str, dimension: int) -> None:
        self.folder = folder
        self._embedder = embedder
        self._dimension = dimension
        self._client: Client | None = None
        self._path: Path | None = None

    def open(self) -> chromadb.Collection:
        """The collection in use, an empty one where there is none."""
        pointer = self.folder / _CURRENT
        if not pointer.exists():
            with self.building():
                pass
        current = self.folder / pointer.read_text(encoding="ascii", errors="replace").strip()
        if current not in self._generations():
            raise IndexDamaged(f"The search index {current} is missing.", REINDEX)
        sums = current / _SUMS
        if not sums.is_file():
            _check_links(current)
            _examine(current)
        elif sums.read_bytes() != _sums(current):
            raise IndexDamaged(
                f"The search index {current} is damaged: its files have changed since it was closed.", REINDEX
            )
        # From here on the files change. On the disk, so that after a power cut changed files do not pass for damaged.
        sums.unlink(missing_ok=True)
        sync_folder(current)
        self._path = current
        self._client = _client(current)
        collection = self._client.get_collection(NAME, embedding_function=None)
        check_embedder(collection, self._embedder)
        for left in self._generations():
            if left != current:
                log.info("removing %s, an index that is not in use", left)
                shutil.rmtree(left)
        return collection

    @contextmanager
    def building(self) -> Iterator[chromadb.Collection]:
        """A new, empty collection, which is the one to open next when the block ends, and never was if it raises."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{max((int(other.name) for other in self._generations()), default=0) + 1:06d}"
        try:
            with self.explained():
                path.mkdir()
                client = _client(path)
                try:
                    yield make(client, NAME, self._embedder, self._dimension)
                finally:
                    client.close()
                _blank(path)
                _keep_sums(path)
            # Chroma does not sync its vectors; to open its files for that would drop the locks SQLite has on them.
            os.sync()
            write_atomic(self.folder / _CURRENT, path.name.encode("ascii"))
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise

    def close(self) -> None:
        """Let go of the files."""
        if self._client is not None and self._path is not None:
            self._client.close()
            self._client = None
            if self._path.is_dir():
                _blank(self._path)
                _keep_sums(self._path)

    def check_room(self, size: int) -> None:
        """Refuse beforehand what will not fit: Chroma cannot read an index whose disk filled up under a write."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(self.folder).free < _MARGIN + 4 * size:
            raise disk_full(str(self.folder))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say in plain words what Chroma has no more than an InternalError for: a full disk, a damaged index."""
        from chromadb.errors import InternalError, NotFoundError

        try:
            yield
        except (InternalError, NotFoundError) as error:
            if shutil.disk_usage(self.folder).free < _MARGIN:
                raise disk_full(str(self.folder)) from error
            raise IndexDamaged(f"The search index in {self.folder} cannot be used: {error}", REINDEX) from error

    def _generations(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if path.is_dir() and path.name.isdecimal()]


def examine(path: Path) -> tuple[int, int]:
    """In the child: open a generation and search it until nearly every passage was seen; see `collection.probe`."""
    client = _client(path)
    try:
        collection = client.get_collection(NAME, embedding_function=None)
        # A search follows the links of some 400 passages, so these many leave one in a hundred unseen.
        return probe(collection, 32 + collection.count() // 100)
    finally:
        client.close()


def _check_links(path: Path) -> None:
    """Raises IndexDamaged where a kill came between the number of vectors and the last of their links, which Chroma
    writes in this order. It would take what stands in memory for their lengths, and the next write for gigabytes."""
    for header in path.glob("*/header.bin"):
        try:
            content = header.read_bytes()
            (count,) = struct.unpack_from("<Q", content, 20)
            (most,) = struct.unpack_from("<Q", content, 60)
            links = (header.parent / "link_lists.bin").read_bytes()
            end = 0
            for _ in range(count):
                (size,) = struct.unpack_from("<I", links, end)
                end += 4 + size
                if size % (4 * most + 4) or end > len(links):
                    raise ValueError(f"no list of links ends at byte {end}")
        except (OSError, ValueError, struct.error) as error:
            reason = "the links between its vectors are not whole."
            raise IndexDamaged(f"The search index {path} is damaged: {reason}", REINDEX) from error


def _examine(path: Path) -> None:
    """Have a generation looked through by a child process. Raises IndexDamaged when the child dies or finds losses."""
    log.info("looking through the search index %s, which was not closed", path)
    command = [sys.executable, "-m", "store.embedded", str(path)]
    try:
        child = subprocess.run(
            command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=_EXAMINING, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise IndexDamaged(f"The search index {path} is damaged: it cannot be looked through.", REINDEX) from error
    if child.returncode:
        reason = " ".join(child.stderr.split())[-300:]
        if child.returncode < 0:
            reason = f"searching it ends with {signal.Signals(-child.returncode).name}."
        raise IndexDamaged(f"The search index {path} is damaged: {reason}", REINDEX)


def _client(path: Path) -> Client:
    from chromadb import PersistentClient
    from chromadb.api.client import Client
    from chromadb.config import Settings

    client = PersistentClient(path=str(path), settings=Settings(anonymized_telemetry=False))
    assert isinstance(client, Client)  # its declared type does not know how to close
    return client


def _blank(path: Path) -> None:
    """Zero what the files of vectors have beyond the vectors: Chroma writes what happened to be in memory there, which
    may be words of a document that is deleted. Only while nobody has them open, for it does so at each opening."""
    for header in path.glob("*/header.bin"):
        try:
            room, used, size = struct.unpack_from("<3Q", header.read_bytes(), 12)
            for name, each in (("data_level0.bin", size), ("length.bin", 4)):
                with (header.parent / name).open("r+b") as file:
                    beyond = file.seek(0, os.SEEK_END) - used * each
                    if 0 < beyond <= (room - used) * each:  # else it is damaged
                        file.seek(used * each)
                        file.write(bytes(beyond))
        except (OSError, struct.error) as error:
            log.warning("the files in %s are left as they are: %s", header.parent, error)


def _sums(path: Path) -> bytes:
    """The content hashes of the files of vectors: 0.1 s for 100,000. Not of the database, which tells damage itself."""
    lines = []
    for file in sorted(path.glob("*/*")):
        with file.open("rb") as content:
            lines.append(f"{hashlib.file_digest(content, 'sha256').hexdigest()}  {file.relative_to(path)}\n")
    return "".join(lines).encode()


def _keep_sums(path: Path) -> None:
    try:
        write_atomic(path / _SUMS, _sums(path))
    except StoreError as error:  # no room: the next start looks through the index instead
        log.warning("%s", error)


def main() -> None:
    """Examine the folder in the arguments."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found, tried = examine(Path(sys.argv[1]))
    if found < tried:
        sys.exit(f"it finds {found} of {tried} of its own passages.")


if __name__ == "__main__":
    main()
