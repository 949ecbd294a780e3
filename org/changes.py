"""What differs between two charts, told as a person would: added, removed, moved, renamed, edited.

Chart, Chart -> Changes -> applied to the first chart, the second one.  Knows nothing about files or about who asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from org.chart import Chart, Unit

_PLACE = ("id", "name", "parent")


@dataclass(frozen=True, slots=True)
class Change:
    """One unit before and after. `moved`: it is under another unit than before, wherever that one is now. `edited`
    names the fields that changed beside its name and its place ("type", "aliases", ...)."""

    before: Unit
    after: Unit
    moved: bool
    renamed: bool
    edited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that makes one chart another. `changed` holds each unit whose record differs at all, also where only
    its id does because a unit above it has another name; `order` holds all ids where the order of units differs."""

    added: tuple[Unit, ...]
    removed: tuple[Unit, ...]
    changed: tuple[Change, ...]
    order: tuple[str, ...]

    @property
    def moved(self) -> tuple[Change, ...]:
        """The units that are under another unit."""
        return tuple(change for change in self.changed if change.moved)

    @property
    def renamed(self) -> tuple[Change, ...]:
        """The units with another name."""
        return tuple(change for change in self.changed if change.renamed)

    @property
    def edited(self) -> tuple[Change, ...]:
        """The units of which something else changed."""
        return tuple(change for change in self.changed if change.edited)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.order)


def compare(before: Chart, after: Chart) -> Changes:
    """The changes from one chart to another. Units are the same by their id, else by their place and name, else, where
    only one on either side is left with a name, by that name alone; the roots are always the same unit."""
    same = _matched(before, after)
    changed: list[Change] = []
    for old in before.units.values():
        new = after.units.get(same.get(old.id, ""))
        if new is not None and new != old:
            above = same.get(old.parent) if old.parent else None
            edited = tuple(name for name in _FIELDS if getattr(old, name) != getattr(new, name))
            changed.append(Change(old, new, above != new.parent, old.name != new.name, edited))
    kept = set(same.values())
    changes = Changes(
        added=tuple(unit for unit in after.units.values() if unit.id not in kept),
        removed=tuple(unit for unit in before.units.values() if unit.id not in same),
        changed=tuple(changed),
        order=(),
    )
    order = tuple(after.units)
    as_before = tuple(unit.id for unit in _units(changes, before)) == order
    return changes if as_before else replace(changes, order=order)


def apply(changes: Changes, chart: Chart) -> Chart:
    """The chart that the changes lead to from the one that they were told from."""
    units = {unit.id: unit for unit in _units(changes, chart)}
    return Chart([units[unit] for unit in changes.order] if changes.order else units.values())


def _units(changes: Changes, chart: Chart) -> Iterator[Unit]:
    removed = {unit.id for unit in changes.removed}
    after = {change.before.id: change.after for change in changes.changed}
    yield from (after.get(unit.id, unit) for unit in chart.units.values() if unit.id not in removed)
    yield from changes.added


def _matched(before: Chart, after: Chart) -> Mapping[str, str]:
    """The id after for each id before that is still there."""
    same = {before.root.id: after.root.id}
    taken = {after.root.id}

    def match(old: Unit, new: Unit) -> None:
        same[old.id] = new.id
        taken.add(new.id)

    for unit in before.units.values():
        if unit.id in after.units and unit.id not in same and unit.id not in taken:
            match(unit, after.units[unit.id])
    while True:
        known = len(same)
        for old in before.descendants(before.root.id):  # from the top, so that a unit's parent is matched before it
            if old.id in same or old.parent not in same:
                continue
            name = old.name.casefold()
            beside = [new for new in after.children(same[old.parent]) if new.id not in taken]
            if found := next((new for new in beside if new.name.casefold() == name), None):
                match(old, found)
        gone, come = _left(before, same), _left(after, taken)
        for name, units in gone.items():
            if len(units) == len(come.get(name, ())) == 1:
                match(units[0], come[name][0])
        if len(same) == known:
            return same


def _left(chart: Chart, matched: Mapping[str, str] | set[str]) -> dict[str, list[Unit]]:
    """The units without a match, by name."""
    left: dict[str, list[Unit]] = defaultdict(list)
    for unit in chart.units.values():
        if unit.id not in matched:
            left[unit.name.casefold()].append(unit)
    return left


_FIELDS = tuple(field.name for field in fields(Unit) if field.name not in _PLACE)
