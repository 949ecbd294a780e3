"""An open index: the Chroma collection, and what is kept of it in memory so that a search need not ask for it.

Each change goes to Chroma first, and to memory once Chroma has it; where Chroma fails, the whole is opened anew. A
search fuses what its two halves found, and picks good candidates unlike each other.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from store import collection as chroma
from store.catalog import Catalog
from store.keywords import Keywords
from store.language import ENGLISH, language
from store.passage import OPEN, Audience, Passage, stored

if TYPE_CHECKING:
    import chromadb
    import numpy as np
    from numpy.typing import NDArray

# So few passages are compared one by one sooner than Chroma is asked: 2 ms.
_FEW = 5000
# Rows of removed passages that are worth opening the index anew for.
_WASTE = 10_000

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
_TOLD_BY = 20
"""Passages that a document's language is told by."""

log = logging.getLogger(__name__)


class Index:
    """A collection with its catalog, keywords and vectors, and passages that are not in it yet and found by their words
    alone. For one thread at a time."""

    def __init__(self, dimension: int, expected: dict[str, tuple[Passage, Audience]]) -> None:
        """`expected` are the passages, by id, that have no vector yet; what gets one leaves it."""
        import numpy as np

        self.collection: chromadb.Collection
        self.expected = expected
        self.catalog = Catalog()
        self.keywords = Keywords()
        self._vectors: NDArray[np.float32] = np.empty((0, dimension), dtype=np.float32)  # with room for more rows

    @property
    def wasteful(self) -> bool:
        """Whether more memory goes to passages that were removed than to those that are there."""
        return len(self.catalog.ids) > 2 * len(self.catalog) + _WASTE

    def load(self, collection: chromadb.Collection) -> None:
        """Read all that is in the collection: 0.2 ms a passage."""
        self.collection = collection
        old = []
        for passages, audiences, vectors in chroma.read(collection):
            self.remember(passages, [audience or frozenset() for audience in audiences], vectors)
            old += [passage.id for passage, audience in zip(passages, audiences, strict=True) if audience is None]
        if old:  # from before there were audiences
            self.set_audience(old, OPEN)
        for document, held in self.catalog.documents().items():
            if len(set(held.values())) > 1:  # after a kill: those who may read all of it
                log.warning("the audience of %s was being changed when the program ended", document)
                self.set_audience(list(held), frozenset.intersection(*held.values()))
        self.expect_again()

    def expect(self, some: Mapping[str, tuple[Passage, Audience]]) -> None:
        """Let searches find these passages, by id, by their words; those that are there stay as they are."""
        import numpy as np

        new = {id: each for id, each in some.items() if id not in self.catalog}
        self.expected |= new
        vectors = np.zeros((len(new), self._vectors.shape[1]), dtype=np.float32)
        self.remember([passage for passage, _ in new.values()], [audience for _, audience in new.values()], vectors)

    def expect_again(self) -> None:
        """After an opening: what was expected, and is not in the collection by now, is expected still."""
        before = dict(self.expected)
        self.expected.clear()
        self.expect(before)

    def remember(
        self, passages: Sequence[Passage], audiences: Sequence[Audience], vectors: NDArray[np.float32]
    ) -> None:
        """Keep in memory what the collection holds, as the collection holds it."""
        import numpy as np

        start, stop = len(self.catalog.ids), len(self.catalog.ids) + len(passages)
        if stop > len(self._vectors):
            room = np.empty((max(stop, start + start // 2), self._vectors.shape[1]), dtype=np.float32)
            room[:start] = self._vectors[:start]
            self._vectors = room
        self._vectors[start:stop] = vectors
        self.catalog.add(passages, audiences)
        texts = [f"{each.section}\n{each.question}\n{each.text}" for each in passages]
        of_document: dict[str, list[str]] = {}
        for passage, text in zip(passages, texts, strict=True):
            of_document.setdefault(passage.document, []).append(text)
        # Told again at each opening, from what of a document comes at once: a hundredth of what reading it takes.
        told = {name: language("\n".join(some[:_TOLD_BY]), surely=True) for name, some in of_document.items()}
        self.keywords.add(texts, [told[each.document] or ENGLISH for each in passages])

    def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the passages with those ids, shape (n, dimension), in that order."""
        return self._vectors[self.catalog.rows(ids)]

    def nearest(self, vector: NDArray[np.float32], k: int, readable: NDArray[np.bool_]) -> list[str]:
        """Ids of the `k` nearest among the readable passages, best first.

        Chroma's own filter takes 200 ms where half of 100,000 passages may be read, thirty times the search. So where
        many may be read Chroma is asked for more than `k`, as many as should hold `k` readable ones; what is left
        without the others is what a search among the readable alone would find. If they are too few, or few may be
        read, all the readable are compared.
        """
        import numpy as np

        if self.expected:
            readable = readable.copy()
            readable[self.catalog.rows(list(self.expected))] = False
        there, held = int(readable.sum()), len(self.catalog) - len(self.expected)
        if there > _FEW:
            ask = k if there == held else int(1.5 * k * held / there) + k
            found = chroma.nearest(self.collection, vector, min(ask, held))
            kept = [id for id, row in zip(found, self.catalog.rows(found), strict=True) if readable[row]]
            if len(kept) >= k:
                return kept[:k]
        rows = np.flatnonzero(readable)
        every = self._vectors[: len(readable)]
        # Where many may be read, to copy theirs takes longer than to look at all.
        nearness = (every @ vector)[rows] if 4 * len(rows) > len(every) else every[rows] @ vector
        if len(rows) > k:
            best = np.argpartition(-nearness, k)[:k]
            rows, nearness = rows[best], nearness[best]
        return [self.catalog.ids[row] for row in rows[np.argsort(-nearness, kind="stable")]]

    def search(
        self,
        vector: NDArray[np.float32],
        question: str,
        k: int,
        readable: NDArray[np.bool_],
        *,
        fetch: int,
        diversity: float,
    ) -> tuple[Passage, ...]:
        """At most `k` of the readable passages, in the order in which MMR picks them from `fetch` candidates of each
        half; their scores are cosine similarities."""
        import numpy as np

        if k < 1 or not readable.any():
            return ()
        near = self.nearest(vector, fetch, readable)
        rows = self.keywords.search(question, fetch, living=self.catalog.living, readable=readable)
        fused = fuse(near, [self.catalog.ids[row] for row in rows])
        candidates = sorted(fused, key=lambda id: -fused[id])[:fetch]
        vectors = self.vectors(candidates)
        agreement = np.array([fused[id] for id in candidates], dtype=np.float32)
        picked = diverse(vector, vectors, agreement, k, diversity)
        scores = np.clip(vectors[picked] @ vector, -1, 1)
        passages = self.catalog.passages([candidates[position] for position in picked])
        return tuple(replace(passage, score=float(score)) for passage, score in zip(passages, scores, strict=True))

    def add(self, passages: Sequence[Passage], vectors: NDArray[np.float32], audience: Audience) -> None:
        """Add passages, or put them in the place of those with their ids, for those people to read."""
        passages = [stored(passage) for passage in passages]
        given = [audience] * len(passages)
        chroma.write(self.collection, passages, vectors, given)
        self.remember(passages, given, vectors)
        for passage in passages:
            self.expected.pop(passage.id, None)

    def remove(self, ids: Sequence[str]) -> None:
        """Take out the passages with those ids."""
        chroma.remove(self.collection, [id for id in ids if id not in self.expected])
        self.catalog.remove(ids)
        for id in ids:
            self.expected.pop(id, None)

    def set_audience(self, ids: Sequence[str], audience: Audience) -> None:
        """Let other people read the passages with those ids."""
        chroma.set_audience(self.collection, [id for id in ids if id not in self.expected], audience)
        self.catalog.set_audience(ids, audience)
        self.expected |= {id: (self.expected[id][0], audience) for id in ids if id in self.expected}


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
    vector: NDArray[np.float32], vectors: NDArray[np.float32], agreement: NDArray[np.float32], k: int, diversity: float
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
