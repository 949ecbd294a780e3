"""Files of procedures that wait to be looked at before they are activated, there after a reload and a restart."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from store import files
from trag.procedures import File
from trag.web.charts.reviews import shown_name

WAITING = 20
"""Drafts that may wait; the oldest ones make room."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One file, or a CSV of actions and one of procedures: their hash, whose they are and when they came."""

    id: str
    given: tuple[File, ...]
    by: str
    at: datetime

    @property
    def name(self) -> str:
        """What the files are called."""
        return ", ".join(name for name, _ in self.given)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(len(content) for _, content in self.given)


class Drafts:
    """The drafts in one folder. Any method may raise StoreError for a failing disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, given: Sequence[File], by: str) -> Draft:
        """Keep files; the same content again takes the place of the first."""
        named = tuple((shown_name(name), content) for name, content in given)
        id = hashlib.sha256(b"\0".join(hashlib.sha256(content).digest() for _, content in named)).hexdigest()
        draft = Draft(id, named, by, datetime.now(UTC))
        kept = [[name, b64encode(content).decode()] for name, content in named]
        text = json.dumps({"by": by, "at": draft.at.isoformat(), "files": kept})
        with files.explained(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        files.write_atomic(self._path(id), text.encode())
        for old in self.all()[WAITING:]:
            self.discard(old.id)
        return draft

    def all(self) -> tuple[Draft, ...]:
        """Every draft, the newest first."""
        found = (self.find(path.stem) for path in self._folder.glob("*.json"))
        return tuple(sorted(filter(None, found), key=lambda draft: draft.at, reverse=True))

    def find(self, id: str) -> Draft | None:
        """The draft of that hash, None when it is not or no longer there."""
        if not re.fullmatch("[0-9a-f]{64}", id):
            return None
        try:
            about = json.loads(self._path(id).read_bytes())
        except FileNotFoundError:
            return None
        given = tuple((name, b64decode(content)) for name, content in about["files"])
        return Draft(id, given, about["by"], datetime.fromisoformat(about["at"]))

    def discard(self, id: str) -> None:
        """Forget a draft; one that is not there is forgotten already."""
        if re.fullmatch("[0-9a-f]{64}", id):
            self._path(id).unlink(missing_ok=True)

    def _path(self, id: str) -> Path:
        return self._folder / f"{id}.json"
