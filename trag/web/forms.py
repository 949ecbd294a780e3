"""What a browser sends with a form: its fields, numbers in them, and files, written to the disk as they come."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import ImmutableMultiDict

from store import disk_full
from store.files import FULL, UNFINISHED
from trag.errors import TragError
from trag.json_lines import made
from trag.record import LONGEST_REMARK
from trag.web.language import later

DIGITS = 10
"""Those of the longest number that is read."""
Filled = TypeVar("Filled")


async def filled(request: Request) -> ImmutableMultiDict[str, str]:
    """The fields of a form, each as often as it was sent."""
    async with request.form() as form:
        return ImmutableMultiDict([(name, value) for name, value in form.multi_items() if isinstance(value, str)])


Form = Annotated[ImmutableMultiDict[str, str], Depends(filled)]
"""The fields of a form as a route takes them: read before it, so that it can be a plain function, run in a thread."""


def number(text: str, otherwise: int = 0) -> int:
    """A whole number from 0 on, `otherwise` for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else otherwise


def filled_in(kind: type[Filled], form: Mapping[str, str]) -> Filled:
    """What the fields of a form say, in their types; others are left alone. Raises TragError for all that is wrong."""
    try:
        return made(kind, dict(form), "ignore")
    except ValueError as problems:
        raise TragError(f"The form cannot be used: {problems}.", "Correct it and try again.") from problems


def remark(text: str) -> str:
    """A comment on an answer, or a corrected one, as it is kept. Raises TragError for one that is too long."""
    kept = text.replace("\r\n", "\n").strip()
    if len(kept) > LONGEST_REMARK:
        raise TragError(
            later("A text may have %(most)s characters, this one has %(found)s.", most=LONGEST_REMARK, found=len(kept)),
            later("Shorten it."),
        )
    return kept


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
        with _explained(folder), os.fdopen(descriptor, "wb") as file:  # what fails once fails again when it is closed
            async for chunk in chunks:
                await run_in_threadpool(file.write, chunk)
                sha256.update(chunk)
                size += len(chunk)
            await run_in_threadpool(file.flush)
            await run_in_threadpool(os.fsync, descriptor)
        yield Upload(path, sha256.hexdigest(), size)
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(str(folder)) from error
        raise
