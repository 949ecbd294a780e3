"""Which passages a question gets: the nearest question-answer pairs, and sections of the documents where no pair is
near.

The paper retrieves 3 pairs by MMR (T-RAG, section 5.4.2); documents that nobody has made pairs from are answered
from their sections. Where somebody weighs passages, those that are found are ranked once more by their odds to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from store.passage import OPEN, Passage
from store.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np

NEAR = 0.8
"""Cosine similarity from which a pair is so near the question that no section is needed beside the pairs."""
CANDIDATES = 10
"""Pairs, and sections, among which the likeliest to answer are looked for."""
_NEARNESS = 15.0  # what cosine similarity counts beside log-odds


def passages(
    question: str,
    vector: np.ndarray,
    vectors: Vectors,
    *,
    pairs: int,
    sections: int,
    readers: Collection[str] | None = OPEN,
    weigh: Callable[[Sequence[Passage]], np.ndarray] | None = None,
) -> tuple[Passage, ...]:
    """At most `pairs` pairs and `sections` sections, the best first: those of the highest score, or where `weigh` gives
    the log-odds (n,) that passages answer, of the highest score and odds together. `vector` (d,) is the question's.

    `readers` holds the keys of whoever asks, None for who may read everything: without it only what everyone may read
    is found. Whether a pair is near enough is decided among those that the asker may read.
    """

    def searched(kind: str, k: int) -> list[tuple[float, Passage]]:
        found = vectors.search(vector, question, kinds=(kind,), k=max(k, CANDIDATES) if weigh else k, readers=readers)
        odds = weigh(found) if weigh else [0.0] * len(found)
        strengths = (_NEARNESS * passage.score + one for passage, one in zip(found, odds, strict=True))
        return sorted(zip(strengths, found, strict=True), key=lambda pair: -pair[0])[:k]

    ranked = searched("qa", pairs) if pairs else []
    if sections and not any(passage.score >= NEAR for _, passage in ranked):
        ranked += searched("section", sections)
    return tuple(passage for _, passage in sorted(ranked, key=lambda pair: -pair[0]))
