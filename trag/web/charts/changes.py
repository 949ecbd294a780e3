"""What another chart would change, as a person reads it: whole branches rather than every unit, and words for fields.

Chart, Chart, Changes -> groups of rows.  Knows nothing about pages; org/changes.py tells what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from org.changes import Change, Changes
from org.chart import Chart, Unit
from org.linking import disambiguation

Kind = Literal["added", "removed", "moved", "renamed", "edited"]

FIELDS = {
    "name": "Name",
    "type": "Type",
    "aliases": "Also called",
    "head": "Head",
    "email": "E-mail",
    "code": "Code",
    "attributes": "Other columns",
    "description": "About",
}
"""What people call the fields of a unit."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A field of a unit before and after, "" for none."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Row:
    """One unit that differs: its name, the unit above it ("" at the top), and as its group needs them the units that
    came or went with it, where it was, and what was edited."""

    name: str
    under: str
    below: int = 0
    before: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """The changes of one kind: how many units, and the rows that say so, in the order of the chart."""

    kind: Kind
    count: int
    rows: tuple[Row, ...]


def groups(before: Chart, after: Chart, changes: Changes) -> tuple[Group, ...]:
    """The groups that have something in them: what came and went first, then what is elsewhere or otherwise."""
    rows: dict[Kind, tuple[int, Iterable[Row]]] = {
        "added": (len(changes.added), _branches(after, changes.added)),
        "removed": (len(changes.removed), _branches(before, changes.removed)),
        "moved": (
            len(changes.moved),
            (_moved(before, after, change) for change in changes.moved),
        ),
        "renamed": (
            len(changes.renamed),
            (Row(c.after.name, _above(after, c.after), before=c.before.name) for c in changes.renamed),
        ),
        "edited": (
            len(changes.edited),
            (Row(c.after.name, _above(after, c.after), edits=edits(c)) for c in changes.edited),
        ),
    }
    return tuple(Group(kind, count, tuple(found)) for kind, (count, found) in rows.items() if count)


def edits(change: Change) -> tuple[Edit, ...]:
    """The fields of a unit that changed beside its name and its place."""
    return tuple(
        Edit(FIELDS.get(field, field), told(getattr(change.before, field)), told(getattr(change.after, field)))
        for field in change.edited
    )


def told(value: str | Sequence[str] | Sequence[tuple[str, str]]) -> str:
    """A field of a unit in one line."""
    if isinstance(value, str):
        return value
    return " · ".join(each if isinstance(each, str) else f"{each[0]}: {each[1]}" for each in value)


def lines(groups: Sequence[Group]) -> Iterator[tuple[str, ...]]:
    """Every row of every group as a table, its header first."""
    yield "change", "unit", "under", "before", "after", "units with it"
    for group in groups:
        for row in group.rows:
            for edit in row.edits:
                yield group.kind, row.name, row.under, f"{edit.field}: {edit.before}", f"{edit.field}: {edit.after}", ""
            if not row.edits:
                after = {"moved": row.under, "renamed": row.name}.get(group.kind, "")
                yield group.kind, row.name, row.under, row.before, after, str(row.below or "")


def _branches(chart: Chart, units: Sequence[Unit]) -> Iterator[Row]:
    """The topmost of these units, each with how many of them are under it."""
    ids = {unit.id for unit in units}
    for unit in units:
        if unit.parent not in ids:
            below = sum(other.id in ids for other in chart.descendants(unit.id))
            yield Row(unit.name, _above(chart, unit), below)


def _moved(before: Chart, after: Chart, change: Change) -> Row:
    """A unit that is under another, the two by their whole paths where they would be called the same."""
    was, now = _above(before, change.before), _above(after, change.after)
    if was == now:
        was, now = (
            " > ".join(unit.name for unit in chart.path(moved.id)[:-1])
            for chart, moved in ((before, change.before), (after, change.after))
        )
    return Row(change.after.name, now, before=was)


def _above(chart: Chart, unit: Unit) -> str:
    """The unit above, with what tells it from others of its name; "" for the topmost."""
    return disambiguation.called(chart.unit(unit.parent), chart) if unit.parent else ""
