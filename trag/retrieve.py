"""Which passages a question gets: the nearest question-answer pairs, and sections of the documents where no pair is
near.

The paper retrieves 3 pairs by MMR (T-RAG, section 5.4.2); documents that nobody has made pairs from are answered
from their sections.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from store.passage import OPEN
from store.vectors import Passage, Vectors

if TYPE_CHECKING:
    import numpy as np

NEAR = 0.8
"""Cosine similarity from which a pair is so near the question that no section is needed beside the pairs."""


def passages(
    question: str,
    vector: np.ndarray,
    vectors: Vectors,
    *,
    pairs: int,
    sections: int,
    readers: Collection[str] | None = OPEN,
) -> tuple[Passage, ...]:
    """At most `pairs` pairs and `sections` sections, the best score first. `vector` (d,) is the question's.

    `readers` holds the keys of whoever asks, None for who may read everything: without it only what everyone may read
    is found. Whether a pair is near enough is decided among those that the asker may read.
    """
    found = vectors.search(vector, question, kinds=("qa",), k=pairs, readers=readers) if pairs else ()
    if sections and not (found and found[0].score >= NEAR):
        found += vectors.search(vector, question, kinds=("section",), k=sections, readers=readers)
    return tuple(sorted(found, key=lambda passage: -passage.score))
