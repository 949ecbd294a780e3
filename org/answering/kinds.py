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
from org.finding.kinds import LESSER


@dataclass(frozen=True, slots=True)
class _Index:
    """`place` of a unit's id in the order of the tree; the places and the units of each type, in that order, and under
    "* office" those of the types that end in it."""

    place: dict[str, int]
    places: dict[str, list[int]]
    units: dict[str, list[Unit]]


_ANY = "* "

_indexes: WeakKeyDictionary[Chart, _Index] = WeakKeyDictionary()


def of_type(noun: str, unit: str, chart: Chart) -> list[Unit]:
    """The units of a type under the one with the id `unit`, at any depth, in the order of the tree.

    Where none of them is of just this type, those of the types that end in it: country offices are offices.
    """
    index = _indexes.get(chart)
    if index is None:
        index = _indexes[chart] = _index(chart)
    start = index.place[unit]
    end = start + chart.total(unit) + 1
    for key in (type_key(noun), _ANY + type_key(noun)):
        places = index.places.get(key, [])
        if found := index.units.get(key, [])[bisect_right(places, start) : bisect_left(places, end)]:
            return found
    return []


def is_of_type(unit: Unit, noun: str) -> bool:
    """Whether a unit is of a type, or of one that ends in it. One without a type is of the kind that its name tells."""
    return type_key(noun) in _keys(unit)


@lru_cache(maxsize=4096)
def type_key(noun: str) -> str:
    """The canonical form of a type."""
    return names.key(noun)


def _keys(unit: Unit) -> list[str]:
    """The type of a unit, and the wider ones that it ends in: "regional field office", "field office", "office". A head
    of department is no department."""
    noun = unit.type or names.kind_in(unit.name)
    words = type_key(names.head_name(noun) or noun).split(" ")
    wider = [" ".join(words[place:]) for place in range(len(words))]
    return list(dict.fromkeys([type_key(noun), *([] if LESSER.intersection(words) else wider)]))


def _index(chart: Chart) -> _Index:
    place: dict[str, int] = {}
    places: dict[str, list[int]] = defaultdict(list)
    units: dict[str, list[Unit]] = defaultdict(list)
    for number, unit in enumerate((chart.root, *chart.descendants(chart.root.id))):
        place[unit.id] = number
        exact, *wider = _keys(unit)
        for key in (exact, *(_ANY + key for key in wider)):
            places[key].append(number)
            units[key].append(unit)
    return _Index(place, dict(places), dict(units))
