"""The tree that facts are drawn from: who is above and below whom, and the units of each type, found by bisection.

Chart -> Ground.  Knows nothing about questions, or about what people call a unit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import TypeVar

from org.chart import Chart, Unit

_Item = TypeVar("_Item")


class Ground:
    """A chart laid out in the order of its tree, each unit before those under it; built once for all its facts.

    A unit's place in `order` is `place[its id]`; the units under it are the `size[its place]` that follow.
    """

    def __init__(self, chart: Chart) -> None:
        self.root = chart.root
        self.order: tuple[Unit, ...] = (chart.root, *chart.descendants(chart.root.id))
        self.place = {unit.id: place for place, unit in enumerate(self.order)}
        self.size = [0] * len(self.order)
        self.depth = [0] * len(self.order)
        self._children: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.order[1:]:
            parent = self.parent(unit)
            self.depth[self.place[unit.id]] = self.depth[self.place[parent.id]] + 1
            self._children[parent.id].append(unit)
        for unit in reversed(self.order[1:]):
            self.size[self.place[self.parent(unit).id]] += self.size[self.place[unit.id]] + 1

    def parent(self, unit: Unit) -> Unit:
        """The unit right above; the root is its own."""
        return unit if unit.parent is None else self.order[self.place[unit.parent]]

    def above(self, unit: Unit) -> tuple[Unit, ...]:
        """Every unit above, the closest first."""
        units: list[Unit] = []
        while unit.parent is not None:
            unit = self.parent(unit)
            units.append(unit)
        return tuple(units)

    def children(self, unit: Unit) -> Sequence[Unit]:
        """The units right under it."""
        return self._children.get(unit.id, ())

    def total(self, unit: Unit) -> int:
        """How many units are under it at any depth."""
        return self.size[self.place[unit.id]]

    def below(self, unit: Unit) -> Sequence[Unit]:
        """The units under it at any depth."""
        start = self.place[unit.id] + 1
        return self.order[start : start + self.total(unit)]

    def within(self, places: Sequence[int], unit: Unit) -> Sequence[int]:
        """Those of the ascending `places` that are under the unit."""
        start = self.place[unit.id] + 1
        return places[bisect_left(places, start) : bisect_left(places, start + self.total(unit))]

    def is_under(self, unit: Unit, above: Unit) -> bool:
        """Whether the unit is under the other at any depth; no unit is under itself."""
        return 0 < self.place[unit.id] - self.place[above.id] <= self.total(above)


class Spread:
    """Units to ask about, spread evenly over the levels of the tree, and within each over the types of unit."""

    def __init__(self, units: Iterable[Unit], ground: Ground, chance: Random) -> None:
        buckets: dict[int, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
        for unit in units:
            buckets[ground.depth[ground.place[unit.id]]][unit.type].append(unit)
        self._levels = [[chance.sample(bucket, len(bucket)) for bucket in types.values()] for types in buckets.values()]
        chance.shuffle(self._levels)
        for level in self._levels:
            chance.shuffle(level)
        self._walks = 0
        self._begun = [0] * len(self._levels)

    def __iter__(self) -> Iterator[Unit]:
        """Every unit once. Each walk begins at the next level, in each level at the next type, and there at the next
        unit, so that walks that end early see different ones."""
        begin, self._walks = self._walks, self._walks + 1
        levels = range(len(self._levels))
        yield from in_turn([self._level(level) for level in _from(levels, begin % max(1, len(levels)))])

    def _level(self, level: int) -> Iterator[Unit]:
        begin, self._begun[level] = self._begun[level], self._begun[level] + 1
        types = self._levels[level]
        units = [_from(bucket, begin // len(types) % len(bucket)) for bucket in types]
        yield from in_turn(_from(units, begin % len(units)))


def in_turn(rows: Iterable[Iterator[_Item]]) -> Iterator[_Item]:
    """One item of each row, then the next of each, until all rows are at their end."""
    waiting = deque(rows)
    while waiting:
        row = waiting.popleft()
        for item in islice(row, 1):
            yield item
            waiting.append(row)


def _from(items: Sequence[_Item], start: int) -> Iterator[_Item]:
    """All of them, beginning at one in the middle."""
    yield from islice(items, start, None)
    yield from islice(items, start)
