"""Which documents a table shows, and what of each: those with some words in their names, or with problems, in an order,
page by page.

Knows nothing about requests or HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trag.web.forms import number

if TYPE_CHECKING:
    from store.jobs import Job
    from store.library import Document

MOST = 100
"""Documents on a page."""

ORDERS: dict[str, Callable[[Document], Any]] = {
    "name": lambda document: document.name.casefold(),
    "pages": lambda document: document.pages or 0,
    "pairs": lambda document: document.pairs,
    "reviews": lambda document: document.reviews,
    "added": lambda document: document.added,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a table is asked for: words, an order (descending with "-" before it), the first row, and whether only
    documents with problems."""

    words: str = ""
    order: str = "-added"
    first: int = 0
    problems: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asked:
        """What the query of an address asks for; nonsense in it is left alone."""
        order = query.get("order", "")
        return cls(
            " ".join(query.get("words", "").split()),
            order if order.removeprefix("-") in ORDERS else cls().order,
            number(query.get("first", "")),
            bool(query.get("problems")),
        )

    def turned(self, column: str) -> str:
        """The order that a press on a column's head asks for: the other way round when it is ordered by that one."""
        first = column if column == "name" else f"-{column}"
        other = f"-{column}" if column == "name" else column
        return other if self.order == first else first


@dataclass(frozen=True, slots=True)
class Row:
    """A document, how many sections it has, and what is wrong with it: why a newer version failed, what was odd in it.

    It is searched all the time, also while it is being replaced, and after a newer version failed.
    """

    document: Document
    sections: int
    state: Literal["searched", "replacing", "failed"]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of one page, how many there are in all, and how many documents have problems, whatever is asked for."""

    asked: Asked
    rows: tuple[Row, ...]
    total: int
    troubled: int


def listing(
    documents: Sequence[Document], asked: Asked, jobs: Sequence[Job], sections: Callable[[Document], int]
) -> Listing:
    """The documents that are asked for; those that are equal in the order stay by name. `jobs` are the uploads, the
    newest first; `sections` counts those of a document."""
    latest: dict[str, Job] = {}
    for job in jobs:
        latest.setdefault(job.name, job)
    replacing = {job.name for job in jobs if job.state in ("waiting", "working")}
    failed = {
        each.name: latest[each.name]
        for each in documents
        if each.name in latest and latest[each.name].state == "failed" and latest[each.name].added > each.added
    }

    def row(document: Document) -> Row:
        job = failed.get(document.name)
        state: Literal["searched", "replacing", "failed"] = "failed" if job else "searched"
        said = (f"A newer version failed: {job.message} {job.hint}".rstrip(),) if job else ()
        return Row(
            document,
            sections(document),
            "replacing" if document.name in replacing else state,
            (*said, *document.notes),
        )

    troubled = {each.name for each in documents if each.notes or each.name in failed}
    wanted = asked.words.casefold().split()
    found = [
        each
        for each in documents
        if all(word in f"{each.name} {each.by}".casefold() for word in wanted)
        and (not asked.problems or each.name in troubled)
    ]
    found.sort(key=ORDERS["name"])
    found.sort(key=ORDERS[asked.order.removeprefix("-")], reverse=asked.order.startswith("-"))
    return Listing(asked, tuple(map(row, found[asked.first : asked.first + MOST])), len(found), len(troubled))
