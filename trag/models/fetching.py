"""A recommended model fetched from a hub: in pieces that survive a broken connection, checked before it is used.

Recommended -> FILE.part -> sha256 -> FILE, FILE.sha256.  Beside `trag.embed` the one place that downloads anything,
and only when somebody tells it to. Knows nothing about what the file is for.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import os
import shutil
import time
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from store import disk_full, files
from trag.errors import TragError
from trag.models.recommended import HUB, Recommended
from trag.progress import Progress

_PIECE = 1 << 20
_SECONDS = 30.0
_ATTEMPTS = 5
"""Connections in a row that may bring nothing."""
_SPARE = 256 << 20
"""Bytes that must stay free on the disk."""
PAUSE = 2.0
"""Seconds between two attempts, and more with each that brings nothing."""


def fetch(model: Recommended, folder: Path, *, hub: str = HUB, progress: Progress) -> Path:
    """The file in `folder`, which is made. What came of an earlier attempt is gone on with.

    Raises TragError when the hub cannot be reached, with where to put the file by hand; when the disk has no room; when
    somebody else is fetching it; and when what came, or what is there, is not the published file. Raises StoreError
    when the folder may not be written to.
    """
    if not hub.startswith(("https://", "http://")):
        raise TragError(f"{hub!r} is no address of a hub.", f"It begins with https://, as {HUB} does.")
    target = folder / model.file
    with files.explained(target):
        folder.mkdir(parents=True, exist_ok=True)
    if target.exists():
        _check(target, model, progress)
        _describe(target, model)
        return target
    part = folder / f"{model.file}.part"
    # Without a buffer: what counts as fetched is in the file, and nothing is left to be written when it is closed.
    with files.explained(part), part.open("ab", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TragError(f"{model.name} is being fetched already.", "Wait until that has ended.") from error
        _refuse_full_disk(model, folder, file.tell())
        _complete(model, file, hub, target, progress)
        os.fsync(file.fileno())
        try:
            _check(part, model, progress)
        except TragError:
            part.unlink()
            raise
        part.replace(target)
    _describe(target, model)
    return target


def by_hand(model: Recommended, target: Path, hub: str = HUB) -> str:
    """What to do where no hub can be reached."""
    return (
        f"On a machine with a network, download {model.address(hub)} ({model.bytes:,} bytes, sha256 {model.sha256}), "
        f"put it at {target}, and give the same command again: it checks the file."
    )


def _complete(model: Recommended, file: BinaryIO, hub: str, target: Path, progress: Progress) -> None:
    """Fetches what `file` lacks, over as many connections as it takes."""
    failed = 0
    while (have := file.tell()) < model.bytes:
        try:
            _receive(model, file, hub, progress)
            failure = "it ended early"
        except HTTPError as error:
            error.close()
            raise TragError(
                f"{hub} does not give {model.file}: {error.code} {error.reason}.", by_hand(model, target, hub)
            ) from error
        except (URLError, OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in files.FULL:
                raise disk_full(str(target)) from error
            failure = str(getattr(error, "reason", "") or error or type(error).__name__)
        failed = 0 if file.tell() > have else failed + 1
        if failed == _ATTEMPTS or (failed and not have):
            kept = f" {file.tell():,} bytes are kept, and the same command goes on from there." if file.tell() else ""
            raise TragError(f"{hub} cannot be reached: {failure}.{kept}", by_hand(model, target, hub))
        if file.tell() < model.bytes:
            time.sleep(PAUSE * failed)


def _receive(model: Recommended, file: BinaryIO, hub: str, progress: Progress) -> None:
    """One connection: appends what it brings."""
    have = file.tell()
    headers = {"Accept-Encoding": "identity", "User-Agent": "trag"}
    request = Request(model.address(hub), headers=headers)  # noqa: S310  (its scheme was looked at)
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
        if have and (answer.status != 206 or not _goes_on(answer.headers.get("Content-Range", ""), have)):
            file.truncate(have := 0)  # it knows no ranges, and begins anew
            file.seek(0)
        while piece := answer.read(_PIECE):
            have += len(piece)
            if have > model.bytes:
                file.truncate(0)
                file.seek(0)
                raise TragError(
                    f"{hub} gives more than the {model.bytes:,} bytes of {model.file}.",
                    "It is another file: use a sound hub.",
                )
            while piece:
                piece = piece[file.write(piece) :]
            progress("fetching", have, model.bytes)


def _goes_on(content_range: str, have: int) -> bool:
    return content_range.startswith(f"bytes {have}-")


def _check(file: Path, model: Recommended, progress: Progress) -> None:
    """Raises TragError unless it is the published file."""
    digest, done = hashlib.sha256(), 0
    with file.open("rb") as content:
        while piece := content.read(_PIECE):
            digest.update(piece)
            done += len(piece)
            progress("checking", done, model.bytes)
    if digest.hexdigest() != model.sha256:
        raise TragError(
            f"{file} is not the published {model.file}: its sha256 is {digest.hexdigest()}, not {model.sha256}.",
            f"Remove {file.name} if it is still there, and fetch it again.",
        )


def _describe(target: Path, model: Recommended) -> None:
    """Beside the file, what it must always be, and the template that it lacks."""
    if model.template:
        files.write_atomic(target.with_name(f"{target.name}.jinja"), model.template.encode())
    files.write_atomic(target.with_name(f"{target.name}.sha256"), f"{model.sha256}  {target.name}\n".encode())


def _refuse_full_disk(model: Recommended, folder: Path, have: int) -> None:
    free, needed = shutil.disk_usage(folder).free, model.bytes - have + _SPARE
    if free < needed:
        raise TragError(
            f"{folder} has {free / 2**30:.1f} GiB free, and {model.name} needs {needed / 2**30:.1f}.",
            "Free some space, or set TRAG_HOME to a larger disk.",
        )
