"""What the documents of a home are kept in, as one value that every step of an ingest is given.

Knows nothing about how anything gets there.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.records import Records
    from store.vectors import Vectors
    from trag.embed import Embedder

changing = threading.RLock()
"""Held by whoever changes documents: one at a time, in the one process that owns a home."""


@dataclass(frozen=True, slots=True)
class IngestContext:
    """The records, which are the truth; the index that is kept in line with them; the encoder whose vectors are in it;
    and the folder of the home, in which files of documents lie."""

    records: Records
    vectors: Vectors
    embedder: Embedder
    home: Path

    @property
    def originals(self) -> Path:
        """The documents as they were given, each under its content hash."""
        return self.home / "documents"

    @property
    def uploads(self) -> Path:
        """What waits in the line of uploads, or can be tried again, each under its content hash."""
        return self.home / "waiting"

    @property
    def pages(self) -> Path:
        """Pages as they were drawn, a folder for each content hash."""
        return self.home / "cache" / "pages"

    def written(self, document: str) -> Path:
        """The folder of what a model wrote of a document's sections."""
        return written(self.home, document)


def written(home: Path, document: str) -> Path:
    """The folder in a home of what a model wrote of a document's sections."""
    name = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()
    return home / "cache" / "pairs" / name
