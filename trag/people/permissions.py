"""What somebody may read: who asks, and the chart in use -> the keys of the audiences that they belong to.

A document is for everyone, or for units of the chart and everybody below them. So somebody holds the keys of their own
unit and of each unit above it, as the chart in use has them: where it no longer has a unit, neither those who were in
it nor a document that was for it gain anything. A reviewer reads as an employee of their unit does: to judge answers
opens no document. An admin reads everything, since an admin says who else may; so does whoever sits at a home without
accounts, and so do exports and the terminal, which only an admin can start, and evaluations, which nobody can start to
whom a document is closed.

Every search, page and list asks here. Knows nothing about how a caller is known, or where documents are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from store.passage import EVERYONE, OPEN, Audience
from trag.errors import TragError
from trag.people import CurrentUser

if TYPE_CHECKING:
    from org.chart import Chart
    from store.library import Document, Library

Readers = frozenset[str] | None
"""The keys that somebody holds, one of which is enough; None for who may read everything."""


def readers(caller: CurrentUser, chart: Chart | None) -> Readers:
    """The keys of a caller, as `Vectors.search` takes them. They hold for this moment: the next question asks again."""
    if caller.may("admin"):
        return None
    if chart is None or caller.unit not in chart.units:
        return frozenset({EVERYONE})
    return frozenset({EVERYONE, *(unit.id for unit in chart.path(caller.unit))})


def audience_of(units: Iterable[str], chart: Chart | None, kept: Audience = OPEN) -> Audience:
    """The audience of units, each told by its id or its name; everyone where there are none.

    Raises TragError that names every one the chart in use does not have, or has several of. Those of `kept`, by their
    ids, may stay though the chart no longer has them.
    """
    wanted = tuple(dict.fromkeys(units))
    found = {unit: (unit,) if unit in kept - OPEN else _meant(unit, chart) for unit in wanted}
    unknown = [unit for unit, ids in found.items() if not ids]
    several = [unit for unit, ids in found.items() if len(ids) > 1]
    if unknown or several:
        told = [f"the chart in use has no unit {unit}" for unit in unknown]
        told += [f"it has several units called {unit}" for unit in several]
        raise TragError(f"Who may read it is not set: {'; '.join(told)}.", "Name units by their ids in the chart.")
    if EVERYONE in chain(*found.values()):
        raise TragError(f'A unit whose id is "{EVERYONE}" would open it to all.', "Give it another id in the chart.")
    return frozenset(chain(*found.values())) or OPEN


def _meant(unit: str, chart: Chart | None) -> tuple[str, ...]:
    if chart is None:
        return ()
    return (unit,) if unit in chart.units else tuple(one.id for one in chart.named(unit))


def may_read(caller: CurrentUser, audience: Audience, chart: Chart | None) -> bool:
    """Whether a caller may read a document of that audience."""
    held = readers(caller, chart)
    return held is None or not held.isdisjoint(audience)


def hidden(caller: CurrentUser, documents: Iterable[Document], chart: Chart | None) -> frozenset[str]:
    """The names of those documents that a caller may not read."""
    held = readers(caller, chart)
    if held is None:
        return frozenset()
    return frozenset(document.name for document in documents if held.isdisjoint(document.audience))


def opened(caller: CurrentUser, names: Iterable[str], library: Library, chart: Chart | None) -> dict[str, bool]:
    """Of documents by their names, whether a caller may read each.

    One that was deleted may have been for others, which nobody knows any more: it is False like one that is for others.
    For who may read everything it is left out.
    """
    found = {name: library.document(name) for name in set(names)}
    everything = readers(caller, chart) is None
    return {
        name: document is not None and may_read(caller, document.audience, chart)
        for name, document in found.items()
        if document is not None or not everything
    }
