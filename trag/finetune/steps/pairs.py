"""Requests with the steps, tables and triggers that they are about, and others that they are not about.

cases, catalogue -> requests with places in the catalogue -> places that are not theirs, drawn three ways

Bechard and Marquez Ayala (2024), section 3.1: each request makes a pair with each of its steps and with its table, and
pairs that are wrong with entries drawn by chance, by words (BM25) or as the nearest by the vectors that are being
learned (ANCE, Xiong et al. 2020).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from store.keywords import Keywords
from trag.workflow.suggesting import text_of

if TYPE_CHECKING:
    import numpy as np

    from org.procedures.actions import Action, Table, Trigger
    from org.procedures.flows import Book
    from trag.evaluate.workflows.cases import Cases

Drawn = Literal["random", "bm25", "ance"]
"""How entries are drawn that a request is not about."""
WAYS: tuple[Drawn, ...] = get_args(Drawn)
WRONG = 1
"""Wrong pairs to a right one, of each way."""
_NEAREST = 30
"""Of how many that are nearest by words or vectors they are drawn: the first few would be the same in every epoch."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of a book's steps, tables and triggers, all in a row, and where each kind of them begins and ends."""

    texts: tuple[str, ...]
    kinds: tuple[range, range, range]

    def kind(self, place: int) -> int:
        """The number of the kind that an entry is of."""
        return next(number for number, kind in enumerate(self.kinds) if place in kind)


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for, and the places in the catalogue that it is about."""

    text: str
    about: tuple[int, ...]


Near = Sequence[Sequence[Sequence[int]]]
"""Of each request and each kind places that are not its own, out of which wrong ones are drawn."""


def catalogue(book: Book) -> Catalogue:
    """What the entries of a book are read as."""
    sizes = (len(book.actions), len(book.tables), len(book.triggers))
    starts = (0, sizes[0], sizes[0] + sizes[1])
    entries: tuple[Action | Table | Trigger, ...] = (
        *book.actions.values(),
        *book.tables.values(),
        *book.triggers.values(),
    )
    first, second, third = (range(start, start + size) for start, size in zip(starts, sizes, strict=True))
    return Catalogue(tuple(map(text_of, entries)), (first, second, third))


def requests(cases: Cases) -> tuple[Request, ...]:
    """The requests of some cases; those about nothing but logic are left out."""
    book = cases.book
    places = [
        dict(zip(ids, kind, strict=True))
        for ids, kind in zip((book.actions, book.tables, book.triggers), catalogue(book).kinds, strict=True)
    ]
    found = []
    for case in cases.cases:
        names = (case.gold.actions, (case.gold.table,), (case.gold.trigger,))
        about = {of[name] for of, named in zip(places, names, strict=True) for name in named if name}
        if about:
            found.append(Request(case.request, tuple(sorted(about))))
    return tuple(found)


def anywhere(catalogue: Catalogue, requests: Sequence[Request]) -> Near:
    """All, near or not."""
    return [[_others(request, kind) for kind in catalogue.kinds] for request in requests]


def near_by_words(catalogue: Catalogue, requests: Sequence[Request]) -> Near:
    """The nearest by BM25: those that share a word."""
    import numpy as np

    found: list[list[list[int]]] = [[] for _ in requests]
    for kind in catalogue.kinds:
        words = Keywords()
        words.add([catalogue.texts[place] for place in kind])
        everything = np.ones(len(kind), dtype=np.bool_)
        for nearest, request in zip(found, requests, strict=True):
            ranked = words.search(request.text, _NEAREST + len(request.about), living=everything, readable=everything)
            nearest.append(_others(request, [kind[row] for row in ranked.tolist()]))
    return found


def near_by_vectors(catalogue: Catalogue, requests: Sequence[Request], asked: np.ndarray, entries: np.ndarray) -> Near:
    """The nearest by the vectors of requests (n, d) and of the catalogue's entries (m, d)."""
    similar = asked @ entries.T
    found = []
    for request, row in zip(requests, similar, strict=True):
        ranked = (row[kind.start : kind.stop].argsort()[::-1] for kind in catalogue.kinds)
        found.append(
            [
                _others(request, [kind[each] for each in order[: _NEAREST + len(request.about)].tolist()])
                for kind, order in zip(catalogue.kinds, ranked, strict=True)
            ]
        )
    return found


def wrong(
    catalogue: Catalogue, request: Request, among: Sequence[Sequence[Sequence[int]]], chance: random.Random
) -> list[int]:
    """Places that a request is not about: some for each that it is about, of the same kind, out of each of `among`."""
    drawn = []
    for number in map(catalogue.kind, request.about):
        for near in among:
            drawn += chance.sample(near[number], min(WRONG, len(near[number])))
    return drawn


def _others(request: Request, places: Sequence[int]) -> list[int]:
    return [place for place in places if place not in request.about]
