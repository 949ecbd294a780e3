"""Passages and their vectors in Chroma: add, delete, search (T-RAG, section 5.4.2: Chroma with MMR).

A search asks two halves for candidates, Chroma for the nearest vectors and `keywords` for shared words, both only among
the documents that the asker may read; `ranking` fuses them and picks.

Each index is a folder of its own, and the file `current` names the one in use: a new index is complete before it is
used, and every trace of what was deleted goes with the old folder. Chroma is given vectors, never texts, so it has no
model to load.

Knows nothing about embedding models, originals, or who asks. One process at a time: see `files.lock`.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import StoreError, disk_full, storable
from store.files import write_atomic
from store.keywords import Keywords
from store.ranking import DIVERSITY, diverse, fuse

if TYPE_CHECKING:
    import chromadb
    import numpy as np
    from chromadb.api.client import Client
    from numpy.typing import NDArray

_REINDEX = "Make the index again from the documents: python -m trag ingest --reindex"
_NAME = "passages"
_CURRENT = "current"
_BATCH = 1000
# SQLite takes 32,766 values in one statement; a filter by document names must stay below.
_VARIABLES = 30_000
_SAMPLE = 32
# Bytes that stay free on the disk for journals and the like.
_MARGIN = 32 * 2**20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence from a document: a question-answer pair made from it, or a section of its own text.

    `text` is what is shown and quoted: the section's words, or a pair's answer; `question` is empty but for pairs.
    `section` is the path of headings ("4 Finance > 4.2 Approval limits"); `page` counts from 1, None without pages.
    `score` is the cosine similarity to the question in [-1, 1], 0 before a search.
    """

    id: str
    kind: str
    document: str
    section: str
    page: int | None
    text: str
    question: str = ""
    score: float = 0.0


class Vectors:
    """The search index of one home. Any thread may call any method; vectors are float32 and of unit length.

    Every method raises StoreError when the index cannot be used: a full disk, a damaged file.
    """

    def __init__(self, folder: Path, *, embedder: str, dimension: int) -> None:
        """Open the index in `folder`, making an empty one where there is none.

        Raises StoreError when it was made by another embedder.
        """
        self._folder = folder
        self._embedder = embedder
        self._dimension = dimension
        self._changing = threading.RLock()  # one change at a time; a rebuild takes long and blocks no search
        self._using = threading.RLock()  # the open index: no search sees half a change
        self._client: Client | None = None
        self._keywords: Keywords | None = None
        self.count()

    def add(self, passages: Sequence[Passage], vectors: NDArray[np.float32]) -> None:
        """Add passages with their vectors, shape (n, dimension); one whose id is known is replaced."""
        _check(passages, vectors, self._dimension)
        with self._changing, self._open_index() as index:
            _check_room(self._folder, passages, vectors)
            self._keywords = None
            _write(index, passages, vectors)

    def delete(self, document: str) -> int:
        """Take a document out of the index; returns how many passages it had. See `compact` for what stays on disk."""
        with self._changing, self._open_index() as index:
            self._keywords = None
            return int(index.delete(where={"document": storable(document)})["deleted"])

    def count(self, kind: str | None = None) -> int:
        """How many passages there are, of one kind or of all."""
        with self._open_index() as index:
            return index.count() if kind is None else len(index.get(where={"kind": kind}, include=[])["ids"])

    def ids(self) -> dict[str, frozenset[str]]:
        """The ids of the passages of each document in the index."""
        with self._open_index() as index:
            found = index.get(include=["metadatas"])
        ids: dict[str, set[str]] = {}
        for id, fields in zip(found["ids"], found["metadatas"] or (), strict=True):
            ids.setdefault(str(fields["document"]), set()).add(id)
        return {document: frozenset(some) for document, some in ids.items()}

    def search(
        self,
        vector: NDArray[np.float32],
        question: str,
        *,
        kinds: Sequence[str],
        k: int,
        fetch: int = 20,
        diversity: float = DIVERSITY,
        documents: Collection[str] | None = None,
    ) -> tuple[Passage, ...]:
        """At most `k` passages for a question and its vector, shape (dimension,), in the order in which MMR picks them.

        Each half proposes `fetch` candidates. `diversity` in [0, 1] is MMR's 1 - lambda. Only passages of `documents`
        (None: all) are looked at, before anything is ranked or counted.
        """
        import numpy as np

        fetch = max(fetch, k)
        with self._open_index() as index:
            keywords = self._words(index)
            readable, wanted = keywords.documents, keywords.kinds & set(kinds)
            if documents is not None:
                readable &= {storable(name) for name in documents}
            if k < 1 or not readable or not wanted:
                return ()
            near = _nearest(index, vector, fetch, _filters(keywords, wanted, readable))
            named = keywords.search(storable(question), fetch, kinds=wanted, documents=readable)
            fused = fuse(near, named)
            candidates = sorted(fused, key=lambda id: -fused[id])[:fetch]
            passages, vectors = _fetch(index, candidates)
        agreement = np.array([fused[id] for id in candidates], dtype=np.float32)
        scores = np.clip(vectors @ vector, -1, 1)
        picked = diverse(vector, vectors, agreement, k, diversity)
        return tuple(replace(passages[position], score=float(scores[position])) for position in picked)

    def rebuild(self, passages: Sequence[Passage], vectors: NDArray[np.float32]) -> None:
        """Make an index of exactly these passages beside the one in use, and switch to it once it is complete."""
        with self._changing:
            reindex(self._folder, passages, vectors, embedder=self._embedder, dimension=self._dimension)
            with self._using:
                self.close()
                self.count()

    def compact(self) -> None:
        """Rewrite the index from what is in it.

        Chroma leaves the words and vectors of what was deleted on disk (its issue 7659); after this they are gone.
        """
        with self._changing:
            with self._open_index() as index:
                ids = index.get(include=[])["ids"]
                passages, vectors = _fetch(index, ids) if ids else ([], _no_vectors(self._dimension))
            self.rebuild(passages, vectors)

    def probe(self) -> tuple[int, int]:
        """(found, tried): how many sampled passages are their own nearest neighbour; fewer found: rebuild the index.

        A damaged vector file makes Chroma lose passages without an error, while `count` still has them.
        """
        with self._open_index() as index:
            return _probe(index)

    def close(self) -> None:
        """Let go of the files; the next call opens them again."""
        with self._using:
            self._keywords = None
            if self._client is not None:
                self._client.close()
                self._client = None

    @contextmanager
    def _open_index(self) -> Iterator[chromadb.Collection]:
        """The index, for one caller at a time."""
        with self._using:
            try:
                with _explained(self._folder):
                    if self._client is None:
                        self._open()
                    yield self._index
            except StoreError:
                self.close()  # once a write has failed, the next one would wait in Chroma for ever
                raise

    def _open(self) -> None:
        pointer = self._folder / _CURRENT
        if not pointer.exists():
            reindex(self._folder, (), _no_vectors(self._dimension), embedder=self._embedder, dimension=self._dimension)
        current = self._folder / pointer.read_text(encoding="ascii", errors="replace").strip()
        if current not in _indexes(self._folder):
            raise StoreError(f"The search index {current} is missing.", _REINDEX)
        self._client = _client(current)
        self._index = self._client.get_collection(_NAME, embedding_function=None)
        maker = (self._index.metadata or {}).get("embedder")
        if maker != self._embedder:
            raise StoreError(
                f"The search index was made by {maker}; the embedder in use is {self._embedder}.", _REINDEX
            )
        for left in _indexes(self._folder):
            if left != current:
                log.info("removing %s, an index that is not in use", left)
                shutil.rmtree(left)

    def _words(self, index: chromadb.Collection) -> Keywords:
        """The keywords of what is in the index now, made again after a change: 3 s for 20,000 long sections."""
        keywords = self._keywords
        if keywords is None:
            found = index.get(include=["metadatas"])
            fields = found["metadatas"] or []
            keywords = Keywords([_passage(id, each) for id, each in zip(found["ids"], fields, strict=True)])
            self._keywords = keywords
        return keywords


def reindex(
    folder: Path, passages: Sequence[Passage], vectors: NDArray[np.float32], *, embedder: str, dimension: int
) -> None:
    """Make a complete index in `folder` for the next `Vectors` to open, whatever embedder or state the present one has.

    Raises StoreError when there is no room or the new index does not find its own passages; the present one stays.
    """
    _check(passages, vectors, dimension)
    folder.mkdir(parents=True, exist_ok=True)
    _check_room(folder, passages, vectors)
    path = folder / f"{max((int(other.name) for other in _indexes(folder)), default=0) + 1:06d}"
    try:
        with _explained(folder):
            path.mkdir()
            client = _client(path)
            try:
                index = client.create_collection(
                    _NAME,
                    embedding_function=None,
                    metadata={"embedder": embedder, "dimension": dimension},
                    # A search this wide takes a millisecond more; recall on 10,000 random vectors goes from 0.5 to 0.9.
                    configuration={"hnsw": {"space": "cosine", "ef_search": 400}},
                )
                _write(index, passages, vectors)
                found, tried = _probe(index)
                if index.count() != len(passages) or found < tried:
                    raise StoreError(f"The new search index {path} does not find its own passages.", "Try once more.")
            finally:
                client.close()
        # Chroma does not sync its vectors; to open its files for that would drop the locks SQLite has on them.
        os.sync()
        write_atomic(folder / _CURRENT, path.name.encode("ascii"))
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise


def _client(path: Path) -> Client:
    from chromadb import PersistentClient
    from chromadb.api.client import Client
    from chromadb.config import Settings

    client = PersistentClient(path=str(path), settings=Settings(anonymized_telemetry=False))
    assert isinstance(client, Client)  # its declared type does not know how to close
    return client


def _indexes(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir() and path.name.isdecimal()]


def _no_vectors(dimension: int) -> NDArray[np.float32]:
    import numpy as np

    return np.empty((0, dimension), dtype=np.float32)


def _check(passages: Sequence[Passage], vectors: NDArray[np.float32], dimension: int) -> None:
    if vectors.shape != (len(passages), dimension):
        raise ValueError(f"{len(passages)} passages and vectors of shape {vectors.shape}, dimension {dimension}")
    if len({passage.id for passage in passages}) != len(passages):
        raise ValueError("two passages have the same id")


def _check_room(folder: Path, passages: Sequence[Passage], vectors: NDArray[np.float32]) -> None:
    """Refuse beforehand what will not fit: Chroma cannot read an index whose disk filled up under a write."""
    size = vectors.nbytes + sum(
        len(passage.text) + len(passage.question) + len(passage.section) for passage in passages
    )
    if shutil.disk_usage(folder).free < _MARGIN + 4 * size:
        raise disk_full(str(folder))


def _write(index: chromadb.Collection, passages: Sequence[Passage], vectors: NDArray[np.float32]) -> None:
    fields = _fields(passages)
    for start in range(0, len(passages), _BATCH):
        some = slice(start, start + _BATCH)
        index.upsert(ids=[passage.id for passage in passages[some]], embeddings=vectors[some], metadatas=fields[some])


def _fields(passages: Sequence[Passage]) -> list[Mapping[str, Any]]:
    """What Chroma keeps beside each vector; `position` counts within the document.

    The text is a field too: as a Chroma document it would be indexed for a search of its own, at twice the size.
    """
    fields: list[Mapping[str, Any]] = []
    positions: dict[str, int] = {}
    for passage in passages:
        positions[passage.document] = position = positions.get(passage.document, -1) + 1
        texts = {name: storable(getattr(passage, name)) for name in ("kind", "document", "section", "text", "question")}
        # A page of None is said, else a replaced passage would keep the page it had.
        fields.append({**texts, "page": passage.page, "position": position})
    return fields


def _passage(id: str, fields: Mapping[str, Any]) -> Passage:
    page = fields.get("page")
    return Passage(id, fields["kind"], fields["document"], fields["section"], page, fields["text"], fields["question"])


def _filters(keywords: Keywords, kinds: Collection[str], documents: Collection[str]) -> list[Any]:
    """Chroma's conditions for passages of those kinds and documents, as many as it takes to stay within SQLite's limit.

    A condition costs Chroma more than the search does, so one that keeps everything is left out.
    """
    of_kind: list[Any] = [] if keywords.kinds <= set(kinds) else [{"kind": {"$in": sorted(kinds)}}]
    every: list[list[Any]] = [of_kind]
    if not keywords.documents <= set(documents):
        names = sorted(documents)
        starts = range(0, len(names), _VARIABLES)
        every = [[*of_kind, {"document": {"$in": names[start : start + _VARIABLES]}}] for start in starts]
    return [{"$and": each} if len(each) > 1 else each[0] if each else None for each in every]


def _nearest(index: chromadb.Collection, vector: NDArray[np.float32], k: int, filters: list[Any]) -> list[str]:
    """Ids of the `k` passages nearest to the vector among those that pass one of the filters, best first."""
    found: list[tuple[float, str]] = []
    for where in filters:
        answer = index.query(query_embeddings=vector, n_results=k, where=where, include=["distances"])
        found += zip((answer["distances"] or [[]])[0], answer["ids"][0], strict=True)
    return [id for _, id in sorted(found)[:k]]


def _fetch(index: chromadb.Collection, ids: Sequence[str]) -> tuple[list[Passage], NDArray[np.float32]]:
    """The passages with those ids, at least one, and their vectors, in that order."""
    import numpy as np

    found = index.get(ids=list(ids), include=["metadatas", "embeddings"])
    place = {id: position for position, id in enumerate(found["ids"])}
    fields = found["metadatas"] or []
    vectors = np.asarray(found["embeddings"], dtype=np.float32)
    return [_passage(id, fields[place[id]]) for id in ids], vectors[[place[id] for id in ids]]


def _probe(index: chromadb.Collection) -> tuple[int, int]:
    from chromadb.errors import InternalError

    ids = index.get(include=[])["ids"]
    sample = random.sample(ids, min(_SAMPLE, len(ids)))
    found = 0
    for id in sample:
        try:
            vector = index.get(ids=[id], include=["embeddings"])["embeddings"]
        except InternalError:  # the vector is gone
            continue
        nearest = index.query(query_embeddings=vector, n_results=1, include=["distances"])
        # A passage with the same words stands in the same place, and may be named instead.
        found += nearest["ids"] == [[id]] or bool(nearest["distances"] and nearest["distances"][0][:1] < [1e-5])
    return found, len(sample)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Say in plain words what Chroma has no more than an InternalError for: a full disk, a damaged index."""
    from chromadb.errors import InternalError, NotFoundError

    try:
        yield
    except (InternalError, NotFoundError) as error:
        if shutil.disk_usage(folder).free < _MARGIN:
            raise disk_full(str(folder)) from error
        raise StoreError(f"The search index in {folder} cannot be used: {error}", _REINDEX) from error
