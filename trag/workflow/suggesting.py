"""Which steps, tables and triggers of a book a request may be about.

request -> it and stretches of its words -> the nearest by vectors and by words -> suggestions

Bechard and Marquez Ayala (2024) search once for the whole request and miss steps of long ones (section 5.4). Here each
stretch of some words is a search of its own; no rule of a language says where a request falls into parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from store.keywords import Keywords
from trag.workflow.record import Kind, Suggestion

if TYPE_CHECKING:
    from org.procedures.actions import Action, Table, Trigger
    from org.procedures.flows import Book

Encode = Callable[[Sequence[str]], "np.ndarray"]
"""Texts to vectors (n, d) of unit length."""
LEARNED = Path(__file__).with_name("encoder.safetensors")
"""What the embedded encoder learned for this (`open_embedder("", LEARNED)`); `python -m trag finetune steps` makes it
anew."""
STEPS, TABLES = 15, 10
"""How many are suggested, as in the paper (section 4.2)."""
LENGTHS = (4, 8)
"""Words of a stretch, each of which overlaps with half of the next. With every stretch of 3, 5, 8 and 12 words, five
times as many, no more steps of 106 requests are found (docs/RESULTS.md)."""
BY_WORDS = 1.5
"""What the reciprocal rank by words counts beside cosine similarities."""
UNFIT, LEAST = 0.74, 5
"""The cosine similarity below which no entry of a book may say what a stretch of LENGTHS[0] words does, and how many
such words in a row may be a part of the request that nothing fits: `trag.workflow.drafting` weighs it."""
_FIRST = 10  # places that count about as much as the first


@dataclass(frozen=True)
class Words:
    """How alike the stretches of a request's words are to what was suggested for it: `spans` (p, 2) are their first
    words and those after their last, the whole request first, `alike` (p, k) cosine similarities."""

    spans: np.ndarray
    alike: np.ndarray
    places: Mapping[str, int]
    """The column of each suggestion, which is also its rank from 0."""

    @cached_property
    def middles(self) -> np.ndarray:
        """How far on in the request the middle of each stretch is, 0 to 1, shape (p,)."""
        return np.asarray(self.spans.mean(axis=1) / self.spans[0, 1])


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The likeliest first, and how alike the words of the request are to each kind of them; `unfit` are the first words
    and those after the last of parts of the request that nothing may fit of all that may be used."""

    steps: tuple[Suggestion, ...]
    tables: tuple[Suggestion, ...]
    triggers: tuple[Suggestion, ...]
    words: Mapping[Kind, Words]
    unfit: tuple[tuple[int, int], ...] = ()


class Suggester:
    """Suggests of one book. May be used from several threads; to encode 500 entries takes some 5 s on two cores."""

    def __init__(
        self, book: Book, encode: Encode, *, lengths: Sequence[int] = LENGTHS, by_words: float = BY_WORDS
    ) -> None:
        """`lengths` are those of stretches, () for the whole request alone; `by_words` is what BM25 counts."""
        self.book = book
        self._encode, self._lengths, self._by_words = encode, lengths, by_words
        self._steps, self._tables, self._triggers = (
            _Index(tuple(each.values()), encode) for each in (book.actions, book.tables, book.triggers)
        )

    def suggest(self, request: str, *, usable: Collection[str] | None = None) -> Suggestions:
        """What a request may be about, of the ids that are `usable`, None for all."""
        said = request.split() or [""]
        spans = _spans(len(said), self._lengths)
        parts = [" ".join(said[first:end]) for first, end in spans]
        vectors = self._encode(parts)
        words: dict[Kind, Words] = {}
        best = np.full(len(parts), -1.0)

        def nearest(kind: Kind, index: _Index, most: int) -> tuple[Suggestion, ...]:
            found, alike, own = index.nearest(kind, request, parts, vectors, most, usable, self._by_words)
            np.maximum(best, own, out=best)
            words[kind] = Words(np.array(spans), alike, {one.name: place for place, one in enumerate(found)})
            return found

        return Suggestions(
            nearest("step", self._steps, STEPS),
            nearest("table", self._tables, TABLES),
            nearest("trigger", self._triggers, STEPS),
            words,
            _unfit(spans, best),
        )


class _Index:
    def __init__(self, entries: Sequence[Action | Table | Trigger], encode: Encode) -> None:
        self.ids = [entry.id for entry in entries]
        texts = [text_of(entry) for entry in entries]
        self._vectors = encode(texts) if entries else None
        self._words = Keywords()
        self._words.add(texts)

    def nearest(
        self,
        kind: Kind,
        request: str,
        parts: Sequence[str],
        vectors: np.ndarray,
        most: int,
        usable: Collection[str] | None,
        by_words: float,
    ) -> tuple[tuple[Suggestion, ...], np.ndarray, np.ndarray]:
        """The suggestions, how alike every part is to each of them, shape (p, k), and to the nearest of all that may be
        used, shape (p,)."""
        if self._vectors is None:
            return (), np.zeros((len(parts), 0)), np.full(len(parts), -1.0)
        rows = np.array([usable is None or id in usable for id in self.ids])
        similar = vectors @ self._vectors.T
        scores = similar[0] + similar.max(axis=0)
        found = self._words.search(request, 10 * most, living=np.ones_like(rows), readable=rows)
        scores[found] += by_words / (np.arange(len(found)) + _FIRST)
        scores[~rows] = -np.inf
        best = [place for place in (-scores).argsort()[:most].tolist() if rows[place]]
        suggested = tuple(
            Suggestion(kind, self.ids[place], round(float(scores[place]), 4), parts[int(similar[:, place].argmax())])
            for place in best
        )
        return suggested, similar[:, best], similar[:, rows].max(axis=1, initial=-1.0)


def text_of(entry: Action | Table | Trigger) -> str:
    """What an entry is read as."""
    return f"{entry.title}: {entry.description}"


def _unfit(spans: Sequence[tuple[int, int]], best: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The runs of words of which no short stretch that they are in is near enough to anything."""
    fits = np.full(spans[0][1], -1.0)
    for (first, end), alike in zip(spans, best, strict=True):
        if end - first == LENGTHS[0]:
            fits[first:end] = np.maximum(fits[first:end], alike)
    bare = np.concatenate([[False], (fits > -1) & (fits < UNFIT), [False]])
    edges = np.flatnonzero(bare[1:] != bare[:-1]).reshape(-1, 2).tolist()
    return tuple((first, end) for first, end in edges if end - first >= LEAST)


def _spans(count: int, lengths: Sequence[int]) -> list[tuple[int, int]]:
    """All of so many words, and stretches of some lengths, the last of each at the end."""
    stretches = [
        (first, first + length)
        for length in lengths
        if length <= count
        for first in (*range(0, count - length, length // 2), count - length)
    ]
    return list(dict.fromkeys([(0, count), *stretches]))
