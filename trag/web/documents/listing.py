"""Which documents a table shows: those with some words in their names, in an order, page by page.

Knows nothing about requests or HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from store.library import Document

MOST = 100
"""Documents on a page."""

ORDERS: dict[str, Callable[[Document], Any]] = {
    "name": lambda document: document.name.casefold(),
    "pages": lambda document: document.pages or 0,
    "passages": lambda document: document.passages,
    "pairs": lambda document: document.pairs,
    "reviews": lambda document: document.reviews,
    "added": lambda document: document.added,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a table is asked for: words, an order (descending with "-" before it), and the first row."""

    words: str = ""
    order: str = "-added"
    first: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asked:
        """What the query of an address asks for; nonsense in it is left alone."""
        order = query.get("order", "")
        first = query.get("first", "")
        return cls(
            " ".join(query.get("words", "").split()),
            order if order.removeprefix("-") in ORDERS else cls().order,
            int(first) if first.isdecimal() and len(first) < 9 else 0,
        )

    def turned(self, column: str) -> str:
        """The order that a press on a column's head asks for: the other way round when it is ordered by that one."""
        first = column if column == "name" else f"-{column}"
        other = f"-{column}" if column == "name" else column
        return other if self.order == first else first


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of one page, and how many there are in all."""

    asked: Asked
    rows: tuple[Document, ...]
    total: int


def listing(documents: Sequence[Document], asked: Asked) -> Listing:
    """The documents that are asked for; those that are equal in the order stay by name."""
    wanted = asked.words.casefold().split()
    found = [each for each in documents if all(word in f"{each.name} {each.by}".casefold() for word in wanted)]
    found.sort(key=ORDERS["name"])
    found.sort(key=ORDERS[asked.order.removeprefix("-")], reverse=asked.order.startswith("-"))
    return Listing(asked, tuple(found[asked.first : asked.first + MOST]), len(found))
