"""Files that wait to be looked at before what is in them is activated, there after a reload and a restart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi.concurrency import run_in_threadpool

from store import StoreError, files
from trag.json_lines import kept, to_keep
from trag.version_files import File
from trag.web.forms import received

WAITING = 20
"""How many may wait; the oldest ones make room."""
LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Waiting:
    """A file, or several that belong together: their content hash, the names they came with, whose they are, when they
    came, and their bytes together."""

    id: str
    names: tuple[str, ...]
    by: str
    at: datetime
    size: int

    @property
    def name(self) -> str:
        """What they are called."""
        return ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class WaitingFiles:
    """Those in one folder. Any method may raise StoreError for a failing disk."""

    folder: Path

    def keep(self, given: Sequence[File], by: str) -> Waiting:
        """Keep files; the same content again takes the place of the first."""
        hashes = b"".join(hashlib.sha256(content).digest() for _, content in given)
        names = tuple(shown_name(name) for name, _ in given)
        size = sum(len(content) for _, content in given)
        waiting = Waiting(hashlib.sha256(hashes).hexdigest(), names, by, datetime.now(UTC), size)
        with files.explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._tell(waiting)
        for number, (_, content) in enumerate(given):
            files.write_atomic(self._content(waiting.id, number), content)
        self._make_room()
        return waiting

    async def receive(self, chunks: AsyncIterable[bytes], name: str, by: str) -> Waiting:
        """Keep what comes as a file; when it breaks off, nothing is kept."""
        async with received(chunks, self.folder) as file:
            waiting = Waiting(file.sha256, (shown_name(name),), by, datetime.now(UTC), file.size)
            await run_in_threadpool(self._tell, waiting)
            await run_in_threadpool(file.path.replace, self._content(waiting.id, 0))
        await run_in_threadpool(self._make_room)
        return waiting

    def all(self) -> tuple[Waiting, ...]:
        """All that wait, the newest first."""
        found = (self.find(about.stem) for about in self.folder.glob("*.about"))
        return tuple(sorted(filter(None, found), key=lambda waiting: waiting.at, reverse=True))

    def find(self, id: str) -> Waiting | None:
        """What has that content hash, None when it is not or no longer there."""
        if not re.fullmatch(r"[0-9a-f]{64}", id):
            return None
        try:
            waiting = kept(Waiting, self._about(id).read_bytes())
        except FileNotFoundError:
            return None
        there = (self._content(id, number).is_file() for number in range(len(waiting.names)))
        return waiting if all(there) else None

    def given(self, waiting: Waiting) -> list[File]:
        """The files. Raises StoreError when they have gone meanwhile."""
        try:
            return [(name, self._content(waiting.id, at).read_bytes()) for at, name in enumerate(waiting.names)]
        except FileNotFoundError as error:
            raise StoreError(f"{waiting.name} is no longer here.", "Upload it again.") from error

    def discard(self, id: str) -> None:
        """Forget what has that content hash; what is not there is forgotten already."""
        if re.fullmatch(r"[0-9a-f]{64}", id):
            for path in self.folder.glob(f"{id}.*"):
                path.unlink(missing_ok=True)

    def _tell(self, waiting: Waiting) -> None:
        """Write down what comes, before it does: after a kill between the two there is a note that nobody looks at."""
        files.write_atomic(self._about(waiting.id), to_keep(waiting))

    def _make_room(self) -> None:
        for old in self.all()[WAITING:]:
            self.discard(old.id)

    def _about(self, id: str) -> Path:
        return self.folder / f"{id}.about"

    def _content(self, id: str, number: int) -> Path:
        return self.folder / f"{id}.{number}"


def shown_name(name: str) -> str:
    """A file's name as it may be kept and shown: the last part of a path, without controls, its suffix in letters."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(character for character in last if character.isprintable()).strip()
    stem, suffix = Path(kept).stem, Path(kept).suffix
    if not re.fullmatch(r"\.\w{1,10}", suffix):
        stem, suffix = kept.replace(".", "_"), ""
    return (stem[: LONGEST_NAME - len(suffix)] or "chart") + suffix
