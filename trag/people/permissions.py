"""Who asks, in which role, and what they may read: a user and the chart in use -> the keys of audiences that they hold.

A document is for everyone, or for units of the chart and everybody below them. So somebody holds the keys of their own
unit and of each unit above it, as the chart in use has them: where it no longer has a unit, neither those who were in
it nor a document that was for it gain anything. A reviewer reads as an employee of their unit does: to judge answers
opens no document. An admin reads everything, since an admin says who else may; so does whoever sits at a home without
accounts, and so do exports and the terminal, which only an admin can start, and evaluations, which nobody can start to
whom a document is closed. Every search, page and list asks here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from store.passage import EVERYONE, OPEN, Audience
from store.person import Person, Role
from trag.errors import TragError

if TYPE_CHECKING:
    from org.chart import Chart
    from store.library import Document, Library
    from store.standing import Validity

ROLES: tuple[Role, ...] = ("employee", "reviewer", "admin")
"""What somebody may do; each may do all that those before it may."""
Readers = frozenset[str] | None
"""The keys that somebody holds, one of which is enough; None for who may read everything."""


def role_of(word: str) -> Role | None:
    """The role that a word names, None where it names none."""
    return next((role for role in ROLES if role == word), None)


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """Who asks: the id of a person, the name they sign in with and the one that is shown, their role, and the id of
    their unit in the chart, "" for none."""

    person: str
    name: str
    shown: str
    role: Role
    unit: str = ""

    local: ClassVar[CurrentUser]
    """Whoever sits at the machine of a home without accounts: one person, who may do everything."""

    @classmethod
    def of(cls, person: Person) -> CurrentUser:
        """A person of the records as somebody who asks."""
        return cls(person.id, person.name, person.shown, person.role, person.unit)

    def may(self, role: Role) -> bool:
        """Whether they may do what is asked of that role."""
        return ROLES.index(self.role) >= ROLES.index(role)


CurrentUser.local = CurrentUser("local", "local", "You", "admin")


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
    found: dict[str, tuple[str, ...]] = {}
    for unit in dict.fromkeys(units):
        if unit in kept - OPEN or (chart and unit in chart.units):
            found[unit] = (unit,)
        else:
            found[unit] = tuple(one.id for one in chart.named(unit)) if chart else ()
    unknown = [unit for unit, ids in found.items() if not ids]
    several = [unit for unit, ids in found.items() if len(ids) > 1]
    if unknown or several:
        told = [f"the chart in use has no unit {unit}" for unit in unknown]
        told += [f"it has several units called {unit}" for unit in several]
        raise TragError(f"Who may read it is not set: {'; '.join(told)}.", "Name units by their ids in the chart.")
    if EVERYONE in chain(*found.values()):
        raise TragError(f'A unit whose id is "{EVERYONE}" would open it to all.', "Give it another id in the chart.")
    return frozenset(chain(*found.values())) or OPEN


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


def opened(caller: CurrentUser, names: Iterable[str], library: Library, chart: Chart | None) -> dict[str, str]:
    """Of documents by their names, what each that a caller may read is called; "" for the others.

    One that was deleted may have been for others, which nobody knows any more: it is "" like one that is for others.
    For who may read everything it is left out.
    """
    found = {name: library.document(name) for name in set(names)}
    everything = readers(caller, chart) is None
    return {
        name: document.called if document is not None and may_read(caller, document.audience, chart) else ""
        for name, document in found.items()
        if document is not None or not everything
    }


def owns(caller: CurrentUser, validity: Validity) -> bool:
    """Whether somebody is the owner of a document: they, or their unit. What a file says of its owner gives no rights
    until an admin has saved it."""
    if not validity.by:
        return False
    return (caller.unit != "" and caller.unit == validity.unit) or caller.name == validity.person


def may_set(caller: CurrentUser, validity: Validity) -> bool:
    """Whether somebody may say when a document is valid: an admin, or its owner."""
    return caller.may("admin") or owns(caller, validity)
