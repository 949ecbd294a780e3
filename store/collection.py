"""What is asked of one Chroma collection: write passages, read them, find the nearest.

Chroma is given vectors, never texts, so it has no model to load. It is asked in steps that SQLite's limit on values in
a statement, and a server's on the size of a request, allow.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from store import StoreError
from store.passage import Audience, Passage, audience_field, to_audience, to_fields, to_passage

if TYPE_CHECKING:
    import chromadb
    import numpy as np
    from chromadb.api.client import Client
    from numpy.typing import NDArray

NAME = "passages"
REINDEX = "Make the index again from the documents: python -m trag ingest --reindex"

# A search this wide takes a millisecond more; recall on 10,000 random vectors goes from 0.5 to 0.9.
_SETTINGS: Any = {"hnsw": {"space": "cosine", "ef_search": 400}}
_BATCH = 1000
_READ = 5000
_SAMPLE = 32


UNUSABLE = "The search index cannot be used now."


class IndexDamaged(StoreError):
    """The index cannot be used as it is, and a new one made from the documents can."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, UNUSABLE)


class OtherEncoder(StoreError):
    """The index was made by another encoder than the one in use, with whose vectors its own do not compare."""


def make(client: Client, name: str, embedder: str, dimension: int) -> chromadb.Collection:
    """A new collection, which remembers its embedder."""
    return client.create_collection(
        name, embedding_function=None, metadata={"embedder": embedder, "dimension": dimension}, configuration=_SETTINGS
    )


def check_embedder(collection: chromadb.Collection, embedder: str) -> None:
    """Raises OtherEncoder for a collection that another embedder made."""
    maker = (collection.metadata or {}).get("embedder")
    if maker != embedder:
        message = f"The search index was made by {maker}; the embedder in use is {embedder}."
        raise OtherEncoder(message, REINDEX, UNUSABLE)


def fill(
    collection: chromadb.Collection,
    passages: Sequence[Passage],
    vectors: NDArray[np.float32],
    audiences: Sequence[Audience],
) -> None:
    """Write all that a new collection is to hold. Raises StoreError when it does not find it."""
    write(collection, passages, vectors, audiences)
    found, tried = probe(collection)
    if collection.count() != len(passages) or found < tried:
        raise StoreError("The new search index does not find its own passages.", "Try once more.")


def write(
    collection: chromadb.Collection,
    passages: Sequence[Passage],
    vectors: NDArray[np.float32],
    audiences: Sequence[Audience],
) -> None:
    """Add passages, each with its audience, or put them in the place of those with their ids."""
    for start in range(0, len(passages), _BATCH):
        some = slice(start, start + _BATCH)
        fields: Any = [to_fields(*each) for each in zip(passages[some], audiences[some], strict=True)]
        collection.upsert(ids=[passage.id for passage in passages[some]], embeddings=vectors[some], metadatas=fields)


def remove(collection: chromadb.Collection, ids: Sequence[str]) -> None:
    """Take out the passages with those ids."""
    for start in range(0, len(ids), _BATCH):
        collection.delete(ids=list(ids[start : start + _BATCH]))


def set_audience(collection: chromadb.Collection, ids: Sequence[str], audience: Audience) -> None:
    """Let other people read the passages with those ids; their vectors stay as they are."""
    for start in range(0, len(ids), _BATCH):
        some = list(ids[start : start + _BATCH])
        collection.update(ids=some, metadatas=[{"audience": audience_field(audience)}] * len(some))


def read(collection: chromadb.Collection) -> Iterator[tuple[list[Passage], list[Audience | None], NDArray[np.float32]]]:
    """All that is there, some thousands at a time: passages, their audiences, their vectors of shape (n, dimension)."""
    import numpy as np

    for start in range(0, collection.count(), _READ):
        found = collection.get(limit=_READ, offset=start, include=["metadatas", "embeddings"])
        fields: Any = found["metadatas"]
        passages = [to_passage(id, each) for id, each in zip(found["ids"], fields, strict=True)]
        yield passages, [to_audience(each) for each in fields], np.asarray(found["embeddings"], dtype=np.float32)


def nearest(collection: chromadb.Collection, vector: NDArray[np.float32], k: int) -> list[str]:
    """Ids of the `k` nearest of all, best first."""
    return collection.query(query_embeddings=vector, n_results=k, include=["distances"])["ids"][0]


def probe(collection: chromadb.Collection, sample: int = _SAMPLE) -> tuple[int, int]:
    """(found, tried): how many sampled passages are their own nearest neighbour; all are in an index that is whole."""
    from chromadb.errors import InternalError

    pages = (collection.get(limit=_READ, offset=start, include=[]) for start in range(0, collection.count(), _READ))
    ids = [id for page in pages for id in page["ids"]]
    sampled = random.sample(ids, min(sample, len(ids)))
    found = 0
    for id in sampled:
        try:
            vector = collection.get(ids=[id], include=["embeddings"])["embeddings"]
        except InternalError:  # the vector is gone
            continue
        answer = collection.query(query_embeddings=vector, n_results=1, include=["distances"])
        # A passage with the same words stands in the same place, and may be named instead.
        found += answer["ids"] == [[id]] or bool(answer["distances"] and answer["distances"][0][:1] < [1e-5])
    return found, len(sampled)
