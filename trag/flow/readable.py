"""What of a book of procedures is open to whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from org.procedures.actions import UNWRITTEN, Source, units
from org.procedures.flows import Book, Procedure

if TYPE_CHECKING:
    from org.chart import Chart, Unit
    from store.library import Library
    from trag.people.permissions import Readers

OpenTo = Callable[[str, "Readers"], bool]
"""Whether who holds these keys may read the document of a name."""


def documents_of(library: Library) -> OpenTo:
    """What says it of the documents of a library; one that is gone is closed."""

    def open_to(document: str, readers: Readers) -> bool:
        found = library.document(document)
        return found is not None and (readers is None or not readers.isdisjoint(found.audience))

    return open_to


def units_of(names: Iterable[str], chart: Chart | None) -> list[Unit]:
    """The units that a book means by these names, none for those that the chart does not have."""
    return [one for name in names if name and chart for one in units(name, chart)]


def is_open(procedure: Procedure, chart: Chart | None, readers: Readers, open_to: OpenTo) -> bool:
    """Whether a procedure is open to who holds these keys: it is for whoever it says, of those who may read the
    document it stands in."""
    if readers is None:
        return True
    if procedure.audience and readers.isdisjoint(one.id for one in units_of(procedure.audience, chart)):
        return False
    return not procedure.source.document or open_to(procedure.source.document, readers)


def open_book(book: Book, chart: Chart | None, readers: Readers, open_to: OpenTo) -> Book:
    """What of the book is open to who holds these keys. An action is closed with its document, and where it stands in a
    procedure that is closed and in none that is open: the words of another step may be like it."""
    if readers is None:
        return book
    opens = cache(lambda document: not document or open_to(document, readers))
    procedures: list[Procedure] = []
    places, closed = set[Source](), set[Source]()
    for one in book.procedures.values():
        open_ = is_open(one, chart, readers, lambda document, _: opens(document))
        (places if open_ else closed).add(one.source)
        procedures += [one] if open_ else []
    closed -= {*places, UNWRITTEN}
    actions = {one.id: one for one in book.actions.values() if opens(one.source.document) and one.source not in closed}
    # What a step was bound to and is closed leaves no trace; what it gave counts as at hand.
    cut = [
        replace(
            one,
            steps=tuple(replace(step, actions=tuple(id for id in step.actions if id in actions)) for step in one.steps),
        )
        for one in procedures
    ]
    return Book.of(actions.values(), cut)
