"""The search index: passages and their vectors in, the best passages for a question out (T-RAG, section 5.4.2: Chroma
with MMR).

A search asks two halves for candidates, Chroma for the nearest vectors (`collection`) and `keywords` for shared words,
both only among the passages that the asker may read (`catalog`); `index` fuses them and picks. The index is kept in
files (`embedded`) or on a Chroma server (`server`), in generations: a new one is complete before it is used.

One process at a time: see `files.lock`.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store import StoreError, storable
from store import collection as chroma
from store.catalog import Held
from store.collection import IndexDamaged, OtherEncoder
from store.embedded import Embedded
from store.index import DIVERSITY, Index
from store.passage import EVERYONE, OPEN, Audience, Passage, audience_field, stored
from store.server import Server

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EVERYONE", "IndexDamaged", "OtherEncoder", "Passage", "Vectors", "make_empty"]


class Vectors:
    """The search index of one home. Any thread may call any method; vectors are float32 and of unit length.

    Every method raises StoreError when the index cannot be used: a full disk, a server that is away; IndexDamaged when
    it must be made again.
    """

    def __init__(self, folder: Path, *, embedder: str, dimension: int, server: str = "") -> None:
        """Open the index in `folder`, or at the address `server` if there is one, making an empty one where there is
        none.

        Takes 0.2 ms a passage. Raises OtherEncoder when another embedder made it.
        """
        self._dimension = dimension
        self._place = _place(folder, embedder, dimension, server)
        self._changing = threading.RLock()  # one change at a time; a rebuild takes long and blocks no search
        self._using = threading.RLock()  # the open index: no search sees half a change
        self._index: Index | None = None
        self._leaving: frozenset[str] = frozenset()  # deleted documents that Chroma may still have
        self._expected: dict[str, tuple[Passage, Audience]] = {}
        self.count()

    def expect(self, passages: Sequence[Passage], *, audience: Collection[str]) -> None:
        """Let searches find passages by their words until they come with their vectors, by `add` or `put`. The next
        opening knows nothing of them. `audience` as in `add`."""
        given = _audience(audience)
        with self._changed_index() as index:
            index.expect({passage.id: (passage, given) for passage in map(stored, passages)})

    def add(self, passages: Sequence[Passage], vectors: NDArray[np.float32], *, audience: Collection[str]) -> None:
        """Add passages with their vectors, shape (n, dimension); one whose id is known is replaced.

        `audience` holds the keys of who may read them.
        """
        _check(passages, vectors, self._dimension)
        given = _audience(audience)
        with self._changed_index() as index:
            self._place.check_room(_size(passages, vectors))
            index.add(passages, vectors, given)

    def put(
        self, document: str, passages: Sequence[Passage], vectors: NDArray[np.float32], *, audience: Collection[str]
    ) -> None:
        """Make `passages` all that is searched of a document. No search sees the document without its passages.

        `audience` as in `add`.
        """
        _check(passages, vectors, self._dimension)
        if any(passage.document != document for passage in passages):
            raise ValueError(f"a passage of another document among those of {document!r}")
        new = {passage.id for passage in passages}
        given = _audience(audience)
        with self._changed_index() as index:
            self._place.check_room(_size(passages, vectors))
            index.add(passages, vectors, given)
            index.remove([id for id in index.catalog.of_document(document) if id not in new])
            self._leaving -= {storable(document)}

    def delete(self, document: str) -> int:
        """Take a document out of the index; returns how many passages it had. See `compact` for what stays on disk.

        From the call on no search finds it, also where this raises and it is still in the index.
        """
        with self._changing:
            self._leaving |= {storable(document)}
            with self._changed_index() as index:
                ids = index.catalog.of_document(document)
                index.remove(ids)
            self._leaving -= {storable(document)}
            return len(ids)

    def remove(self, ids: Collection[str]) -> None:
        """Take single passages out of the index; ids that it does not have are left alone."""
        with self._changed_index() as index:
            index.remove([id for id in ids if id in index.catalog])

    def set_audience(self, document: str, audience: Collection[str]) -> int:
        """Let those with one of these keys read a document, and nobody else; returns how many passages it has."""
        given = _audience(audience)
        with self._changed_index() as index:
            ids = index.catalog.of_document(document)
            index.set_audience(ids, given)
            return len(ids)

    def count(self, kind: str | None = None) -> int:
        """How many passages there are, of one kind or of all."""
        with self._open_index() as index:
            return len(index.catalog) if kind is None else index.catalog.count(kind)

    def languages(self) -> frozenset[str]:
        """The languages that documents are written in, by their ISO 639-1 codes; English where none could be told."""
        with self._open_index() as index:
            return frozenset(index.keywords.languages)

    def ids(self) -> dict[str, frozenset[str]]:
        """The ids of the passages of each document in the index."""
        with self._open_index() as index:
            return {document: frozenset(held) for document, held in index.catalog.documents().items()}

    def audiences(self) -> dict[str, frozenset[str]]:
        """Who may read each document in the index."""
        with self._open_index() as index:
            return {document: next(iter(held.values())) for document, held in index.catalog.documents().items()}

    def held(self, document: str | None = None) -> dict[str, Held]:
        """What the index has, with vectors, of each document in it, or of one; 1 µs a passage."""
        with self._open_index() as index:
            return index.catalog.held(document, without=index.expected)

    def vectors_of(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors, shape (dimension,), of those of these passages that the index has."""
        with self._open_index() as index:
            known = [id for id in ids if id in index.catalog and id not in index.expected]
            return dict(zip(known, index.vectors(known), strict=True))

    def search(
        self,
        vector: NDArray[np.float32],
        question: str,
        *,
        kinds: Collection[str],
        k: int,
        readers: Collection[str] | None,
        without: Collection[str] = (),
        fetch: int = 20,
        diversity: float = DIVERSITY,
    ) -> tuple[Passage, ...]:
        """At most `k` passages for a question and its vector, shape (dimension,), in the order in which MMR picks them.

        Each half proposes `fetch` candidates. `diversity` in [0, 1] is MMR's 1 - lambda. `readers` holds the keys of
        whoever asks (None: one who may read everything): what they may not read is left out before anything is counted,
        and so are the documents that are called as in `without`.
        """
        with self._open_index() as index:
            left_out = self._leaving.union(map(storable, without))
            readable = index.catalog.readable(kinds, readers, without=left_out)
            return index.search(vector, storable(question), k, readable, fetch=max(fetch, k), diversity=diversity)

    def rebuild(
        self,
        passages: Sequence[Passage],
        vectors: NDArray[np.float32],
        *,
        audiences: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """Make an index of exactly these passages beside the one in use, and switch to it once it is complete.

        `audiences` names who may read which document: one that is not in it nobody. None: everything is for everyone.
        Raises StoreError when there is no room or the new index does not find its own passages; the present one stays.
        """
        _check(passages, vectors, self._dimension)
        with self._changing:
            index = _build(self._place, passages, vectors, audiences)
            with self._using:
                self.close()
                with self._place.explained():
                    index.collection = self._place.open()
                index.expected = self._expected
                index.expect_again()
                self._index = index

    def compact(self) -> None:
        """Rewrite the index from what is in it.

        Chroma leaves the words and vectors of what was deleted on disk (its issue 7659); after this they are gone.
        """
        with self._changing:
            with self._open_index() as index:
                ids = [id for held in index.catalog.documents().values() for id in held if id not in index.expected]
                passages, vectors = index.catalog.passages(ids), index.vectors(ids)
            self.rebuild(passages, vectors, audiences=self.audiences())

    def probe(self) -> tuple[int, int]:
        """(found, tried): how many sampled passages are their own nearest neighbour; fewer found: rebuild the index.

        A damaged vector file makes Chroma lose passages without an error, while `count` still has them.
        """
        with self._open_index() as index:
            return chroma.probe(index.collection)

    def close(self) -> None:
        """Let go of the files or the connection; the next call opens them again."""
        with self._using:
            self._index = None
            self._place.close()

    @contextmanager
    def _open_index(self) -> Iterator[Index]:
        """The index, for one caller at a time."""
        with self._using:
            try:
                with self._place.explained():
                    if self._index is None:
                        index = Index(self._dimension, self._expected)
                        index.load(self._place.open())
                        self._index = index
                    yield self._index
            except StoreError:
                self.close()  # once a write has failed, the next one would wait in Chroma for ever
                raise

    @contextmanager
    def _changed_index(self) -> Iterator[Index]:
        """The index, for one change at a time."""
        with self._changing, self._open_index() as index:
            try:
                yield index
            except BaseException:
                self.close()  # what is in memory may be something else than what Chroma has by now
                raise
            if index.wasteful:
                self.close()


def make_empty(folder: Path, *, embedder: str, dimension: int, server: str = "") -> None:
    """Make an empty index for the next `Vectors` to open, whatever encoder or state the present one has."""
    with _place(folder, embedder, dimension, server).building():
        pass


def _build(
    place: Embedded | Server,
    passages: Sequence[Passage],
    vectors: NDArray[np.float32],
    audiences: Mapping[str, Collection[str]] | None,
) -> Index:
    """A new generation in that place, and what is kept of it in memory."""
    place.check_room(_size(passages, vectors))
    known = {document: _audience(keys) for document, keys in (audiences or {}).items()}
    nobody: Audience = frozenset()
    given = [OPEN if audiences is None else known.get(passage.document, nobody) for passage in passages]
    passages = [stored(passage) for passage in passages]
    with place.building() as collection:
        chroma.fill(collection, passages, vectors, given)
    index = Index(vectors.shape[1], {})
    index.remember(passages, given, vectors)
    return index


def _place(folder: Path, embedder: str, dimension: int, server: str) -> Embedded | Server:
    if server:
        return Server(server, folder, embedder=embedder, dimension=dimension)
    return Embedded(folder, embedder=embedder, dimension=dimension)


def _audience(keys: Collection[str]) -> Audience:
    audience_field(keys)  # raises ValueError for keys that cannot be kept
    return frozenset(map(storable, keys))


def _check(passages: Sequence[Passage], vectors: NDArray[np.float32], dimension: int) -> None:
    if vectors.shape != (len(passages), dimension):
        raise ValueError(f"{len(passages)} passages and vectors of shape {vectors.shape}, dimension {dimension}")
    if len({passage.id for passage in passages}) != len(passages):
        raise ValueError("two passages have the same id")


def _size(passages: Sequence[Passage], vectors: NDArray[np.float32]) -> int:
    """Bytes that they take at least."""
    texts = sum(len(passage.text) + len(passage.question) + len(passage.section) for passage in passages)
    return int(vectors.nbytes) + texts
