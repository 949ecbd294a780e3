"""What differs between two charts, told as a person would: units added, removed, moved, renamed, edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields

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
    added = tuple(unit for unit in after.units.values() if unit.id not in kept)
    removed = tuple(unit for unit in before.units.values() if unit.id not in same)
    order = tuple(after.units)
    in_order = (*(same[unit] for unit in before.units if unit in same), *(unit.id for unit in added))
    return Changes(added, removed, tuple(changed), order=() if in_order == order else order)


def _matched(before: Chart, after: Chart) -> Mapping[str, str]:
    """The id after for each id before that is still there. Each unit and each name is looked at again only when a match
    may have changed what is true of it, so that the time goes with the units, however they are renamed or moved."""
    same: dict[str, str] = {}
    gone, come = _by_name(before), _by_name(after)  # without those that are matched
    place = {(unit.parent, unit.name.casefold()): unit for unit in after.units.values()}
    fresh: list[Unit] = []  # matched, and the units under it still to be looked for
    names = dict.fromkeys(gone)  # of which one alone may be left on either side

    def match(old: Unit, new: Unit) -> None:
        same[old.id] = new.id
        fresh.append(old)
        for left, unit in ((gone, old), (come, new)):
            name = unit.name.casefold()
            del left[name][unit.id]
            names[name] = None

    match(before.root, after.root)
    for unit in before.units.values():
        new = after.units.get(unit.id)
        if new is not None and unit.parent is not None and new.parent is not None:
            match(unit, new)
    while fresh:
        while fresh:
            above = fresh.pop()
            for old in before.children(above.id):
                name = old.name.casefold()
                new = place.get((same[above.id], name))
                if old.id not in same and new is not None and new.id in come[name]:
                    match(old, new)
        looked, names = names, {}
        for name in looked:
            if len(gone.get(name, ())) == len(come.get(name, ())) == 1:
                match(*gone[name].values(), *come[name].values())
    return same


def _by_name(chart: Chart) -> dict[str, dict[str, Unit]]:
    """The units of each name by their id."""
    named: dict[str, dict[str, Unit]] = defaultdict(dict)
    for unit in chart.units.values():
        named[unit.name.casefold()][unit.id] = unit
    return named


_FIELDS = tuple(field.name for field in fields(Unit) if field.name not in _PLACE)
