"""From candidates to passages: fuse what the two halves of the search found, and pick good ones unlike each other.

Knows nothing about Chroma, words or documents: it is given ranks and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIVERSITY = 0.2
"""How much MMR minds that passages say the same: 1 - lambda. A little is safe; the usual 0.5 is not on every text.

Measured with MiniLM. On short chunks that overlap by half (tests/store/handbook.md) three passages miss the answers to
3 of 56 questions without MMR, to 3 at 0.2 and to 5 at 0.5. On the organizations in bench/organizations (python -m
bench.retrieval), 50 questions as employees type them, a little MMR costs one right section among three, or none.
"""

_AGREEMENT = 4
"""How far the axis of agreement outweighs those of the vectors. At 1 a passage that only its words find, by an acronym
or a section number, never comes among the first three; at 4 it does, and cosine still tells equals apart."""

_RANK = 60


def fuse(*rankings: Sequence[str]) -> dict[str, float]:
    """How far the rankings agree on each id; 1 is first in all of them.

    Reciprocal rank fusion with its usual constant of 60 (Cormack, Clarke and Büttcher 2009).
    """
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, start=1):
            fused[id] = fused.get(id, 0.0) + (_RANK + 1) / (_RANK + rank) / len(rankings)
    return fused


def diverse(
    vector: NDArray[np.float32],
    vectors: NDArray[np.float32],
    agreement: NDArray[np.float32],
    k: int,
    diversity: float,
) -> list[int]:
    """Positions of the `k` candidates that MMR picks, the most relevant first (T-RAG, section 5.4.2).

    Takes the question's vector (d,), the candidates' (n, d), of unit length, and how far the halves agree on them (n,).

    MMR looks at vectors alone and would forget what the keywords found. So each candidate gets an axis of its own, on
    which the question stands as high as the halves agree on it: relevance becomes agreement and cosine, and no two
    candidates look more alike for it.
    """
    import numpy as np
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    question = np.concatenate([vector, _AGREEMENT * agreement])
    candidates = np.hstack([vectors, _AGREEMENT * np.eye(len(vectors), dtype=np.float32)])
    return maximal_marginal_relevance(question, list(candidates), lambda_mult=1 - diversity, k=k)
