"""The units of each type under any unit, found without walking the whole tree.

Chart -> places of the units of a type in the order of the tree, kept as long as the chart is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

from org.chart import Chart, Unit
from org.finding import names


@dataclass(frozen=True, slots=True)
class _Index:
    """`place` of a unit's id in the order of the tree; the places and the units of each type, in that order."""

    place: dict[str, int]
    places: dict[str, list[int]]
    units: dict[str, list[Unit]]


_indexes: WeakKeyDictionary[Chart, _Index] = WeakKeyDictionary()


def of_type(noun: str, unit: str, chart: Chart) -> list[Unit]:
    """The units of a type under the one with the id `unit`, at any depth, in the order of the tree."""
    index = _indexes.get(chart)
    if index is None:
        index = _indexes[chart] = _index(chart)
    places = index.places.get(type_key(noun), [])
    start = index.place[unit]
    return index.units.get(type_key(noun), [])[
        bisect_right(places, start) : bisect_left(places, start + chart.total(unit) + 1)
    ]


def is_of_type(unit: Unit, noun: str) -> bool:
    """Whether a unit is of a type. One without a type is of the kind that its name tells."""
    return type_key(unit.type or names.kind_in(unit.name)) == type_key(noun)


@lru_cache(maxsize=4096)
def type_key(noun: str) -> str:
    """The canonical form of a type."""
    return names.key(noun)


def _index(chart: Chart) -> _Index:
    place: dict[str, int] = {}
    places: dict[str, list[int]] = defaultdict(list)
    units: dict[str, list[Unit]] = defaultdict(list)
    for number, unit in enumerate((chart.root, *chart.descendants(chart.root.id))):
        place[unit.id] = number
        key = type_key(unit.type or names.kind_in(unit.name))
        places[key].append(number)
        units[key].append(unit)
    return _Index(place, dict(places), dict(units))
