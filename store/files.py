"""Files that must survive: atomic writes, originals kept by content hash, and the lock that gives a folder one owner.

Needs POSIX (flock, fsync on a folder), so Windows is not supported.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from store import StoreError, disk_full

UNFINISHED = ".unfinished"
"""How the name of a file or folder ends that is not whole yet, or only there for a while."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""What the operating system says where there is no space."""
LOCK = "lock"
"""The file in a folder that the process which owns it holds; see `lock`."""
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}

log = logging.getLogger(__name__)


def write_atomic(path: Path, content: bytes) -> None:
    """Write `content` to `path`: after a crash or a power cut the file holds all of it, or what it held before.

    Raises StoreError when the disk is full or the folder may not be written to.
    """
    with atomic(path) as file:
        file.write(content)


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which becomes `path` whole when the block ends, and vanishes when the block raises.

    Raises StoreError when the disk is full or the folder may not be written to.
    """
    with explained(path):
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=UNFINISHED)
        os.close(descriptor)
        unfinished = Path(name)
        try:
            with unfinished.open("wb") as file:  # so that its name is a path, for those who write to one
                # Else whoever comes to own the folder takes it for what a kill left.
                with suppress(OSError):  # a disk that has no locks still takes the file
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield file
                file.flush()
                os.fsync(file.fileno())
                unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def keep(folder: Path, content: bytes, suffix: str) -> str:
    """Keep an original in `folder` under its content hash and `suffix` (".pdf"); returns the sha256 in hex.

    What is there already is written again only if it is damaged.
    """
    if not re.fullmatch(r"(\.\w+)?", suffix):
        raise ValueError(f"a suffix is a dot and letters, or empty; found {suffix!r}")
    sha256 = hashlib.sha256(content).hexdigest()
    path = folder / f"{sha256}{suffix}"
    with explained(path):
        folder.mkdir(parents=True, exist_ok=True)
        kept = path.is_file() and path.read_bytes() == content
    if not kept:
        write_atomic(path, content)
    return sha256


def find(folder: Path, sha256: str) -> Path | None:
    """The original with that content hash, None where it was never kept."""
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        return None
    return next(iter(sorted(folder.glob(f"{sha256}*"))), None)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Own `folder` until the block ends: two processes on one home would damage its search index.

    The kernel frees the lock when its owner dies, however it dies. What writes killed half-way left behind is removed.
    Raises StoreError that names the owner when another process has the folder.
    """
    path = folder / LOCK
    with explained(path):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        file = path.open("a+b")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            owner = file.read().decode("ascii", "replace").strip()
            raise StoreError(
                f"{folder} is already in use" + (f" by process {owner}." if owner else " by another process."),
                "Stop that process first, or set TRAG_HOME to another folder.",
                "The assistant is in use elsewhere.",
            ) from error
        with explained(path):
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
            file.flush()
        for unfinished in _left_behind(folder):
            log.warning("removing %s, which a killed write left behind", unfinished)
            if unfinished.is_dir():
                shutil.rmtree(unfinished)
            else:
                unfinished.unlink(missing_ok=True)
        try:
            yield
        finally:
            # Emptied, never removed: a process that waits on a removed file would lock what nobody else can see.
            file.truncate(0)


def is_held(file: Path) -> bool:
    """Whether a process holds the lock that is this file; none does where there is no such file."""
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _left_behind(folder: Path) -> Iterator[Path]:
    """What writes killed half-way left in a folder; not what another process is writing, or has in a folder that it
    owns."""
    for path in sorted(folder.iterdir()):
        is_folder = path.is_dir() and not path.is_symlink()
        unfinished = path.name.startswith(".") and path.name.endswith(UNFINISHED)
        if not (is_folder or unfinished):
            continue
        try:
            if is_held(path / LOCK if is_folder else path):
                continue
        except OSError:  # one that cannot be opened is another account's, and may be in use
            continue
        if unfinished:
            yield path
        else:
            yield from _left_behind(path)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` last: the name is kept in the folder, not in the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say of `path` in plain words what the operating system refused, as a StoreError; anything unforeseen keeps its
    traceback."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(str(path)) from error
        if error.errno in _REFUSED:
            raise StoreError(
                f"{path} cannot be written: {error.strerror}.",
                f"Let the account that runs this program write to {path.parent}.",
                "The assistant cannot write to its disk.",
            ) from error
        raise
