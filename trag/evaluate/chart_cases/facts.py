"""A fact of the chart with its gold, before it is put into words; what facts are drawn from; what no chart tells."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, TypeVar

from org.chart import Chart, Unit
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases.index import BODIES, Names, Tree, Types, near, words

MOST_LISTED = 20
"""Units in the gold of a list; nobody asks for a longer one in a chat."""

NOTHING = (
    "no unit", "no units", "no other", "no others", "no one", "no sibling", "no siblings", "no sister", "no peers",
    "nobody", "nothing", "none", "only", "alone", "not have any", "n't have any", "are no", "is no",
)  # fmt: skip
"""An item of gold: the ways to say that there is nothing beside a unit."""
_Item = TypeVar("_Item")
_CANNOT = "The chart does not say."
_INVENTED = (
    "Falconry Desk", "Perfume Archive", "Volcano Liaison Office", "Department of Lighthouses", "Submarine Pool",
    "Circus Relations Team", "Unicorn Grants Section", "Bagpipe Workshop", "Division of Meteorites", "Origami Board",
    "Truffle Inspection Unit", "Glacier Bookings Desk", "Ventriloquism Council", "Beekeeping Directorate",
    "Office of Fireworks", "Gondola Committee", "Tapestry Repair Squad", "Marzipan Secretariat", "Haiku Review Panel",
    "Jousting Service", "Saxophone Bureau", "Alchemy Branch", "Zeppelin Programme", "Hammock Working Group",
    "Department of Riddles", "Ballooning Section", "Puppetry Unit", "Igloo Maintenance Team", "Kaleidoscope Centre",
    "Sorcery Compliance Office", "Treasure Hunting Division", "Walrus Outreach Group", "Yodelling Faculty",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """What a question is about, and a case without its question. `form` is a heading of phrasings.txt."""

    form: str
    case: Case
    unit: Unit | None = None
    other: Unit | None = None
    noun: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Material:
    """What facts are drawn from. The units are those that a question can name: all, those with others under them, and
    those without."""

    tree: Tree
    names: Names
    types: Types
    chance: Random
    units: Spread
    parents: Spread
    leaves: Spread
    speakable_parents: tuple[Unit, ...]


def material(chart: Chart, seed: int) -> Material:
    """All that is needed of a chart, laid out once."""
    tree, chance = Tree(chart), Random(seed)
    names = Names(tree)
    speakable = names.speakable
    above = tuple(unit for unit in speakable if tree.total(unit))
    below = tuple(unit for unit in speakable if not tree.total(unit))
    units, parents, leaves = (Spread(some, tree, chance) for some in (speakable, above, below))
    return Material(tree, names, Types(tree, names), chance, units, parents, leaves, speakable_parents=above)


def fact(
    form: str,
    answer: str,
    unit: Unit | None = None,
    other: Unit | None = None,
    *,
    noun: str = "",
    number: int = 0,
    **gold: Any,
) -> Fact:
    """A fact whose case has no id and question yet; its kind is what stands before the colon of its form, `gold` the
    fields of Case that make an answer right."""
    return Fact(form, Case("", "", form.partition(":")[0], answer, **gold), unit, other, noun, number)


class Spread:
    """Units to ask about, spread evenly over the levels of the tree, and within each over the types of unit."""

    def __init__(self, units: Iterable[Unit], tree: Tree, chance: Random) -> None:
        buckets: dict[int, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
        for unit in units:
            buckets[tree.depth[tree.place[unit.id]]][unit.type].append(unit)
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


def private(material: Material) -> Iterator[Fact]:
    """Something about people that no organization writes down, asked of a real unit; phrasings.txt says what."""
    form = "unanswerable: private"
    for unit in material.units:
        yield fact(form, _CANNOT, unit, refuse=True)


def invented(material: Material) -> Iterator[Fact]:
    """A unit of whose name no word is near any in the chart."""
    form = "unanswerable: invented"
    told = " ".join(unit.description for unit in material.tree.order).casefold()
    for name in material.chance.sample(_INVENTED, len(_INVENTED)):
        own = [word for word in words(name) if word not in ("of", *BODIES)]
        if not any(word in told or any(map(material.names.has_word, near(word))) for word in own):
            yield fact(form, _CANNOT, refuse=True, noun=name)
