"""Chart files that wait to be looked at, each under its content hash in a folder of the home.

chunks -> a file on the disk -> Upload, there after a reload and after a restart
Knows nothing about charts, pages or what becomes of a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi.concurrency import run_in_threadpool

from store import StoreError, files
from trag.web.forms import received

KEPT = 20
"""Files that may wait; the oldest ones make room."""
LONGEST_NAME = 120

_DESCRIBED = ".about"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that waits: its content hash, the name it came with, whose it is, when it came, and its bytes."""

    id: str
    name: str
    by: str
    at: datetime
    size: int


@dataclass(frozen=True, slots=True)
class Uploads:
    """The files in one folder. Any method may raise StoreError for a failing disk."""

    folder: Path

    async def receive(self, chunks: AsyncIterable[bytes], name: str, by: str) -> Upload:
        """Keep what comes; when it breaks off, nothing is kept. The same content again takes the place of the first."""
        async with received(chunks, self.folder) as file:
            upload = Upload(file.sha256, shown_name(name), by, datetime.now(UTC), file.size)
            await run_in_threadpool(self._keep, upload, file.path)
        return upload

    def all(self) -> tuple[Upload, ...]:
        """Every file that waits, the newest first."""
        return tuple(sorted(self._all(), key=lambda upload: upload.at, reverse=True))

    def find(self, id: str) -> Upload | None:
        """The file with that content hash, None when it is not or no longer there."""
        if not re.fullmatch(r"[0-9a-f]{64}", id) or not self._content(id).is_file():
            return None
        try:
            about = json.loads(self._about(id).read_text("utf-8"))
        except FileNotFoundError:
            return None
        return Upload(id, about["name"], about["by"], datetime.fromisoformat(about["at"]), about["size"])

    def content(self, upload: Upload) -> bytes:
        """What is in the file. Raises StoreError when it has gone meanwhile."""
        try:
            return self._content(upload.id).read_bytes()
        except FileNotFoundError as error:
            raise StoreError(f"{upload.name} is no longer here.", "Upload it again.") from error

    def discard(self, id: str) -> None:
        """Forget a file; one that is not there is forgotten already."""
        if re.fullmatch(r"[0-9a-f]{64}", id):
            self._content(id).unlink(missing_ok=True)
            self._about(id).unlink(missing_ok=True)

    def _keep(self, upload: Upload, unfinished: Path) -> None:
        about = asdict(upload) | {"at": upload.at.isoformat()}
        # What it is comes before the file itself: a kill between the two leaves a note that nobody looks at.
        files.write_atomic(self._about(upload.id), json.dumps(about, ensure_ascii=False).encode())
        unfinished.replace(self._content(upload.id))
        for old in self.all()[KEPT:]:
            self.discard(old.id)

    def _all(self) -> Iterator[Upload]:
        for about in self.folder.glob(f"*{_DESCRIBED}"):
            upload = self.find(about.stem)
            if upload is not None:
                yield upload

    def _content(self, id: str) -> Path:
        return self.folder / id

    def _about(self, id: str) -> Path:
        return self.folder / f"{id}{_DESCRIBED}"


def shown_name(name: str) -> str:
    """A file's name as it may be kept and shown: the last part of a path, without controls, its suffix in letters."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(character for character in last if character.isprintable()).strip()
    stem, suffix = Path(kept).stem, Path(kept).suffix
    if not re.fullmatch(r"\.\w{1,10}", suffix):
        stem, suffix = kept.replace(".", "_"), ""
    return (stem[: LONGEST_NAME - len(suffix)] or "chart") + suffix
