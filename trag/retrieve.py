"""Which passages a question gets: the nearest question-answer pairs, and sections of the documents where no pair is
near.

The paper retrieves 3 pairs by MMR (T-RAG, section 5.4.2); documents that nobody has made pairs from are answered
from their sections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.vectors import Passage, Vectors

if TYPE_CHECKING:
    import numpy as np

NEAR = 0.8
"""Cosine similarity from which a pair is so near the question that no section is needed beside the pairs."""


def passages(question: str, vector: np.ndarray, vectors: Vectors, *, pairs: int, sections: int) -> tuple[Passage, ...]:
    """At most `pairs` pairs and `sections` sections, the best score first. `vector` (d,) is the question's."""
    found = vectors.search(vector, question, kinds=("qa",), k=pairs) if pairs else ()
    if sections and not (found and found[0].score >= NEAR):
        found += vectors.search(vector, question, kinds=("section",), k=sections)
    return tuple(sorted(found, key=lambda passage: -passage.score))
