"""Files of procedures that wait to be looked at before they are activated, there after a reload and a restart."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from store import StoreError, files
from trag.procedures import File
from trag.web.charts.reviews import shown_name

WAITING = 20
"""Drafts that may wait; the oldest ones make room."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One file, or a CSV of actions and one of procedures: their hash, their names, whose they are, when they came, and
    their bytes together."""

    id: str
    names: tuple[str, ...]
    by: str
    at: datetime
    size: int

    @property
    def name(self) -> str:
        """What the files are called."""
        return ", ".join(self.names)


class Drafts:
    """The drafts in one folder. Any method may raise StoreError for a failing disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, given: Sequence[File], by: str) -> Draft:
        """Keep files; the same content again takes the place of the first."""
        hashes = b"".join(hashlib.sha256(content).digest() for _, content in given)
        names = tuple(shown_name(name) for name, _ in given)
        size = sum(len(content) for _, content in given)
        draft = Draft(hashlib.sha256(hashes).hexdigest(), names, by, datetime.now(UTC), size)
        with files.explained(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        for number, (_, content) in enumerate(given):
            files.write_atomic(self._content(draft.id, number), content)
        about = {"names": names, "by": by, "at": draft.at.isoformat(), "size": size}
        files.write_atomic(self._about(draft.id), json.dumps(about).encode())  # last: what it names is there
        for old in self.all()[WAITING:]:
            self.discard(old.id)
        return draft

    def all(self) -> tuple[Draft, ...]:
        """Every draft, the newest first."""
        found = (self.find(about.stem) for about in self._folder.glob("*.about"))
        return tuple(sorted(filter(None, found), key=lambda draft: draft.at, reverse=True))

    def find(self, id: str) -> Draft | None:
        """The draft of that hash, None when it is not or no longer there."""
        if not re.fullmatch("[0-9a-f]{64}", id):
            return None
        try:
            about = json.loads(self._about(id).read_bytes())
        except FileNotFoundError:
            return None
        return Draft(id, tuple(about["names"]), about["by"], datetime.fromisoformat(about["at"]), about["size"])

    def given(self, draft: Draft) -> list[File]:
        """The files of a draft. Raises StoreError when they have gone meanwhile."""
        try:
            return [(name, self._content(draft.id, at).read_bytes()) for at, name in enumerate(draft.names)]
        except FileNotFoundError as error:
            raise StoreError(f"{draft.name} is no longer here.", "Upload it again.") from error

    def discard(self, id: str) -> None:
        """Forget a draft; one that is not there is forgotten already."""
        if re.fullmatch("[0-9a-f]{64}", id):
            self._about(id).unlink(missing_ok=True)
            for content in self._folder.glob(f"{id}.*"):
                content.unlink(missing_ok=True)

    def _about(self, id: str) -> Path:
        return self._folder / f"{id}.about"

    def _content(self, id: str, number: int) -> Path:
        return self._folder / f"{id}.{number}"
