"""Whether a file is the published one: its size, and its sha256, which is read again only when the file has changed.

CatalogueModel, file -> nothing, or an error that says what was found.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from store import StoreError
from store.files import write_atomic
from trag.errors import TragError
from trag.models.catalogue import CatalogueModel
from trag.progress import Progress, silent

_PIECE = 1 << 20


def check(model: CatalogueModel, path: Path, progress: Progress = silent) -> None:
    """Raises TragError unless `path` is the published file of `model`. What was found of it stands in a note beside it,
    where one can be written, so that a gigabyte is read once and not at each start."""
    about = path.stat()
    if about.st_size != model.size:
        raise _another(model, path, f"it has {about.st_size:,} bytes, not {model.size:,}")
    if _noted(path, about) == model.sha256:
        return
    found = digest(path, model.size, progress)
    if found != model.sha256:
        raise _another(model, path, f"its sha256 is {found}, not {model.sha256}")
    remember(path, found)


def digest(path: Path, size: int, progress: Progress) -> str:
    """The sha256 of a file of `size` bytes, read from its beginning to its end."""
    found, done = hashlib.sha256(), 0
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            found.update(piece)
            done += len(piece)
            progress("checking", done, size)
    return found.hexdigest()


def remember(path: Path, sha256: str) -> None:
    """Notes the sha256 of the file as it is now. A folder that may not be written to has no notes."""
    with suppress(OSError, StoreError):
        write_atomic(_note(path), json.dumps({"sha256": sha256, "of": _state(path.stat())}).encode())


def _noted(path: Path, about: os.stat_result) -> str:
    """The sha256 that was noted, "" where the file is not as it was then."""
    try:
        note = json.loads(_note(path).read_bytes())
        return str(note["sha256"]) if note["of"] == _state(about) else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _note(path: Path) -> Path:
    return path.with_name(f".{path.name}.checked.json")


def _state(about: os.stat_result) -> list[int]:
    # The time of the change too: a program that copies a file sets the other one back.
    return [about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns]


def _another(model: CatalogueModel, path: Path, found: str) -> TragError:
    return TragError(
        f"{path} is not the published {model.file}: {found}.",
        f"Remove it, and fetch it again: python -m trag models get {model.name}",
    )
