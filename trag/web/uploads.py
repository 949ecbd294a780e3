"""What a browser sends, taken down as it comes: chunks -> a file on the disk, never whole in memory.

Knows nothing about what is in it, or what becomes of it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fastapi.concurrency import run_in_threadpool

from store import disk_full
from store.files import FULL, UNFINISHED


@dataclass(frozen=True, slots=True)
class Upload:
    """A whole file: where it is, its content hash, and its bytes."""

    path: Path
    sha256: str
    size: int


@asynccontextmanager
async def received(chunks: AsyncIterable[bytes], folder: Path) -> AsyncIterator[Upload]:
    """What comes, as a file in `folder` until the block ends, unless it is moved away.

    When it breaks off, nothing is kept. Raises StoreError when the disk is full.
    """
    await run_in_threadpool(folder.mkdir, parents=True, exist_ok=True)
    with _explained(folder):
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=UNFINISHED)
    path = Path(name)
    try:
        sha256, size = hashlib.sha256(), 0
        with os.fdopen(descriptor, "wb") as file:
            async for chunk in chunks:
                with _explained(folder):
                    await run_in_threadpool(file.write, chunk)
                sha256.update(chunk)
                size += len(chunk)
            with _explained(folder):
                await run_in_threadpool(_flush, file)
        yield Upload(path, sha256.hexdigest(), size)
    finally:
        path.unlink(missing_ok=True)


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(str(folder)) from error
        raise
