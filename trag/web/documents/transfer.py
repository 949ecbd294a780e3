"""Question-answer pairs as files for people, which can be imported again: JSON lines, and the rows of a table.

Of every document, whoever may read it: only an admin is given one. Knows nothing about requests, or how a table is
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trag.json_lines import as_line

if TYPE_CHECKING:
    from store.library import Pair


def lines(pairs: Iterable[Pair]) -> str:
    """One JSON object a line, as `trag.ingest.pairs` reads them."""
    rows = (
        {
            "question": pair.question,
            "answer": pair.answer,
            "type": pair.type,
            "document": pair.document,
            "section": pair.section,
            "page": pair.page,
            "source": pair.source,
            "state": pair.state,
            "origin": pair.origin,
        }
        for pair in pairs
    )
    return "".join(f"{as_line(row)}\n" for row in rows)


def rows(pairs: Iterable[Pair]) -> Iterator[tuple[str, ...]]:
    """The pairs as a table that `trag.ingest.pairs` reads, its header first."""
    yield (
        "document", "section", "page", "question", "answer", "type", "state", "searched", "origin", "changed by",
        "source",
    )  # fmt: skip
    for pair in pairs:
        yield (
            pair.document,
            pair.section,
            str(pair.page or ""),
            pair.question,
            pair.answer,
            pair.type,
            pair.state,
            "yes" if pair.searched else "no",
            pair.origin,
            pair.by,
            pair.source,
        )
