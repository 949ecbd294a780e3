"""A written organization in a home of its own: its documents read, indexed, and found as people's are.

Written -> Home.  Knows nothing about what is learned from it.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trag.errors import TragError
from trag.evaluate import program
from trag.finetune.dataset import organizations
from trag.finetune.dataset.organizations import Written
from trag.home import Home, open_home
from trag.progress import silent
from trag.settings import Settings


@contextmanager
def filled(written: Written) -> Iterator[Home]:
    """A home with its documents, gone with the block. Raises TragError when one of them cannot be read."""
    with tempfile.TemporaryDirectory() as folder, open_home(Settings(home=Path(folder))) as home:
        results = home.ingest([written.folder / organizations.DOCUMENTS], replace=False, progress=silent)
        if failed := [result for result in results if result.failed]:
            raise TragError(f"{written.slug}: " + "; ".join(f"{one.name}: {one.told}" for one in failed))
        yield home


def made_of(folder: Path, chosen: str) -> str:
    """A hash of all that follows from an organization depends on: its files, what was `chosen`, and this program."""
    digest = hashlib.sha256(f"{chosen} {program.commit()}".encode())
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"\0{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:12]
