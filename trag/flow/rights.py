"""What of the written procedures is open to somebody."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from org.procedures.actions import UNWRITTEN, Source, units
from org.procedures.flows import Book, Procedure

if TYPE_CHECKING:
    from org.chart import Chart, Unit
    from store.library import Library
    from trag.people.permissions import Readers

OpenTo = Callable[[str, "Readers"], bool]
"""Whether who holds these keys may read the document of a name."""


def open_book(book: Book, chart: Chart | None, readers: Readers, open_to: OpenTo) -> Book:
    """What of a book is open to who holds these keys. A procedure is for whoever it says, of those who may read the
    document it stands in. An action is closed with its document, and where it stands in a procedure that is closed and
    in none that is open: the words of another step may be like it."""
    if readers is None:
        return book
    sources = [one.source for one in book.procedures.values()] + [one.source for one in book.actions.values()]
    documents = {each for each in {one.document for one in sources} if not each or open_to(each, readers)}
    procedures: list[Procedure] = []
    places, closed = set[Source](), set[Source]()
    for one in book.procedures.values():
        units_of = {each.id for each in units_named(one.audience, chart)}
        is_open = one.source.document in documents and not (one.audience and readers.isdisjoint(units_of))
        (places if is_open else closed).add(one.source)
        procedures += [one] if is_open else []
    closed -= {*places, UNWRITTEN}
    actions = {
        one.id: one for one in book.actions.values() if one.source.document in documents and one.source not in closed
    }
    # What a step was bound to and is closed leaves no trace; what it gave counts as at hand.
    cut = [
        replace(
            one,
            steps=tuple(replace(step, actions=tuple(id for id in step.actions if id in actions)) for step in one.steps),
        )
        for one in procedures
    ]
    return Book.of(actions.values(), cut)


def units_named(names: Iterable[str], chart: Chart | None) -> list[Unit]:
    """The units that actions and audiences name."""
    return [one for name in names if name and chart for one in units(name, chart)]


def documents_of(library: Library) -> OpenTo:
    """Who may read which documents of a library; one that is gone is closed to everybody."""

    def open_to(document: str, readers: Readers) -> bool:
        found = library.document(document)
        return found is not None and (readers is None or not readers.isdisjoint(found.audience))

    return open_to
