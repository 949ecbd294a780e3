"""Which actions, tables and triggers of a book somebody may use in a workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from org.procedures.actions import Action, Table
from org.procedures.flows import Book
from trag.flow.rights import OpenTo, open_book, units_named

if TYPE_CHECKING:
    from org.chart import Chart
    from trag.people.permissions import Readers


def usable(book: Book, chart: Chart | None, readers: Readers, open_to: OpenTo) -> frozenset[str]:
    """The ids of what is open to who holds these keys: tables for whoever they say, actions too, of those whose
    document and procedure are open, and every trigger. What is closed takes an id with it that is another's too."""
    everything = {*book.actions, *book.tables, *book.triggers}
    if readers is None:
        return frozenset(everything)
    here = open_book(book, chart, readers, open_to).actions
    closed = {one.id for one in book.actions.values() if one.id not in here}
    entries: list[Action | Table] = [*book.actions.values(), *book.tables.values()]
    for one in entries:
        if one.audience and readers.isdisjoint(unit.id for unit in units_named(one.audience, chart)):
            closed.add(one.id)
    return frozenset(everything - closed)
