"""What another chart would change: in rows as a person reads it, and marked on the units laid out for the picture and
the outline.

Chart, Chart, Changes -> groups of rows; Chart (and Changes) -> Layout -> JSON of flat arrays.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from org.changes import Change, Changes
from org.chart import Chart, Unit
from org.linking import disambiguation
from trag.web.language import gettext as _
from trag.web.language import later

Kind = Literal["added", "removed", "moved", "renamed", "edited"]
Node = tuple[bool, str]
"""A unit by whether it was removed, and its id in the chart that has it."""

FIELDS = {
    "name": later("Name"),
    "type": later("Type"),
    "aliases": later("Also called"),
    "head": later("Head"),
    "email": later("E-mail"),
    "code": later("Code"),
    "attributes": later("Other columns"),
    "description": later("About"),
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


@dataclass(frozen=True, slots=True)
class Layout:
    """Units, each before those under it; for each the place of the one above it (-1: none), and where it differs its
    marks: "+" added, "-" removed, ">" moved, "=" renamed, "*" edited.

    What was removed stands where it stood, so that what is lost is seen.
    """

    units: tuple[Unit, ...]
    above: tuple[int, ...]
    marks: Mapping[int, str]
    changes: Mapping[int, Change]
    origins: Mapping[int, str]
    """The name of the unit that a moved one was under."""

    def to_json(self) -> bytes:
        """names, above, types (places in kinds), kinds; aliases and marks by place, of those that have any."""
        kinds: dict[str, int] = {"": 0}
        arrays = {
            "names": [unit.name for unit in self.units],
            "above": self.above,
            "types": [kinds.setdefault(unit.type, len(kinds)) for unit in self.units],
            "kinds": list(kinds),
            "aliases": {place: unit.aliases for place, unit in enumerate(self.units) if unit.aliases},
            "marks": self.marks,
        }
        return json.dumps(arrays, ensure_ascii=False, separators=(",", ":")).encode()

    def details(self, place: int) -> dict[str, list[tuple[str, str]]]:
        """What is known of one unit beside its place, and what was otherwise before. IndexError where there is none."""
        unit, change = self.units[place], self.changes.get(place)
        facts = [
            (_("Also called"), as_text(unit.aliases)),
            (_("Head"), unit.head),
            (_("E-mail"), unit.email),
            (_("Code"), unit.code),
        ]
        before: list[tuple[str, str]] = []
        if change and change.moved:
            before.append((_("Under"), self.origins.get(place, "")))
        if change and change.renamed:
            before.append((_("Name"), change.before.name))
        before += [(_(edit.field), edit.before) for edit in edits(change)] if change else []
        return {
            "facts": [fact for fact in (*facts, *unit.attributes, (_("About"), unit.description)) if fact[1]],
            "before": before,
        }


def groups(before: Chart, after: Chart, changes: Changes) -> tuple[Group, ...]:
    """The groups that have something in them: what came and went first, then what is elsewhere or otherwise."""
    rows: dict[Kind, Iterable[Row]] = {
        "added": _branches(after, changes.added),
        "removed": _branches(before, changes.removed),
        "moved": [_moved(before, after, change) for change in changes.moved],
        "renamed": [Row(c.after.name, _above(after, c.after), before=c.before.name) for c in changes.renamed],
        "edited": [Row(c.after.name, _above(after, c.after), edits=edits(c)) for c in changes.edited],
    }
    found = ((kind, len(getattr(changes, kind)), tuple(of)) for kind, of in rows.items())
    return tuple(Group(kind, count, of) for kind, count, of in found if count)


def edits(change: Change) -> tuple[Edit, ...]:
    """The fields of a unit that changed beside its name and its place."""
    return tuple(
        Edit(FIELDS.get(field, field), as_text(getattr(change.before, field)), as_text(getattr(change.after, field)))
        for field in change.edited
    )


def as_text(value: str | Sequence[str] | Sequence[tuple[str, str]]) -> str:
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


def layout(chart: Chart, before: Chart | None = None, changes: Changes | None = None) -> Layout:
    """The units of a chart; with what changed since `before`, also those that it no longer has."""
    changed = {change.after.id: change for change in changes.changed} if changes else {}
    added = {unit.id for unit in changes.added} if changes else set()
    gone = _gone(changes) if changes else {}
    units: list[Unit] = []
    above: list[int] = []
    marks: dict[int, str] = {}
    waiting: list[tuple[Node, Unit, int]] = [((False, chart.root.id), chart.root, -1)]
    while waiting:
        node, unit, parent = waiting.pop()
        place = len(units)
        units.append(unit)
        above.append(parent)
        if node[0]:
            marks[place] = "-"
        elif unit.id in added:
            marks[place] = "+"
        elif change := changed.get(unit.id):
            marks[place] = ">" * change.moved + "=" * change.renamed + "*" * bool(change.edited)
        waiting += [((True, lost.id), lost, place) for lost in reversed(gone.get(node, ()))]
        if not node[0]:
            waiting += [((False, child.id), child, place) for child in reversed(chart.children(unit.id))]
    marks = {place: mark for place, mark in marks.items() if mark}
    kept = {place: changed[units[place].id] for place, mark in marks.items() if mark not in "+-"}
    origins = {
        place: disambiguation.called(before.unit(change.before.parent), before)
        for place, change in kept.items()
        if before and change.moved and change.before.parent
    }
    return Layout(tuple(units), tuple(above), marks, kept, origins)


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


def _gone(changes: Changes) -> Mapping[Node, list[Unit]]:
    """The removed units under what they were under: another removed one, or a unit that is still there."""
    removed = {unit.id for unit in changes.removed}
    now = {change.before.id: change.after.id for change in changes.changed}
    gone: dict[Node, list[Unit]] = defaultdict(list)
    for unit in changes.removed:
        parent = unit.parent or ""  # the top of a chart is never removed
        gone[parent in removed, parent if parent in removed else now.get(parent, parent)].append(unit)
    return gone
