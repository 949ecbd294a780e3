"""What the documents of a home are kept in, as one value that every step of an ingest is given.

Knows nothing about how anything gets there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.records import Records
    from store.vectors import Vectors
    from trag.embed import Embedder


@dataclass(frozen=True, slots=True)
class Stock:
    """The records, which are the truth; the index that is kept in line with them; the encoder whose vectors are in it;
    and the folder of the documents as they were given."""

    records: Records
    vectors: Vectors
    embedder: Embedder
    originals: Path
