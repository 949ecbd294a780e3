"""What the documents of a home are kept in, as one value that every step of an ingest is given, and the vectors of
passages that go into it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trag.ingest.passages import embedded_text
from trag.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.passage import Passage
    from store.records import Records
    from store.vectors import Vectors
    from trag.embed import Embedder

write_lock = threading.RLock()
"""Held while documents are changed: one change at a time, in the one process that owns a home."""


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


def generated_folder(home: Path, document: str) -> Path:
    """The folder in a home of what a model wrote of a document's sections."""
    name = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()
    return home / "cache" / "pairs" / name


def embed(passages: Sequence[Passage], embedder: Embedder, progress: Progress, step: str) -> NDArray[np.float32]:
    """The vectors (n, d) of passages, in batches as the embedder makes them."""
    return embedder.embed_passages(
        [embedded_text(passage) for passage in passages], lambda done, total: progress(step, done, total)
    )


def embed_changed(
    passages: Sequence[Passage], context: IngestContext, progress: Progress, step: str
) -> NDArray[np.float32]:
    """The vectors (n, d) of passages; those of passages that the index has are taken from it, for an id stands for the
    words."""
    import numpy as np

    vectors = context.vectors.vectors_of([passage.id for passage in passages])
    fresh = [passage for passage in passages if passage.id not in vectors]
    vectors |= zip([passage.id for passage in fresh], embed(fresh, context.embedder, progress, step), strict=True)
    found = np.empty((len(passages), context.embedder.dimension), dtype=np.float32)
    for row, passage in enumerate(passages):
        found[row] = vectors[passage.id]
    return found
