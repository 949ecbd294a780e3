"""Every phrase that may name a unit of a chart, and which names have a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from org.chart import Chart
from org.linking import names
from org.linking.names import BODIES, OFFICES, Word

_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a unit as people write it."""

    unit: str
    written: str


@dataclass(frozen=True, slots=True)
class Index:
    """What a phrase, in canonical words, may mean: `given` has the names and aliases of the chart, `derived` what else
    these are called (names.other_names). `types` gives a type of the chart by its phrase, `kinds` are the single words
    for a kind of unit, the chart's types among them. `keys` are the canonical words of all given names, `units` whose
    each is; `having` gives the places of those that have a word, `akin` of those of units of a kind like it."""

    chart: Chart
    given: Mapping[str, Sequence[Name]]
    derived: Mapping[str, Sequence[Name]]
    types: Mapping[str, str]
    kinds: frozenset[str]
    keys: Sequence[str]
    units: Sequence[str]
    having: Mapping[str, Set[int]]
    akin: Mapping[str, Set[int]]

    def with_all(self, words: Sequence[Word]) -> list[str]:
        """The units that have a name with all these words, in whatever order, or with all but the kind, which is like
        theirs: "finance department" for the Finance Division. A name that lacks no more than its kind goes first."""
        wanted = {word.text for word in words}
        said = wanted & self.kinds
        if said == wanted:
            return []
        found = _in_all([self.having.get(word, _NOTHING) for word in wanted])
        if not found and len(said) == 1 and not any(word.plural for word in words if word.text in said):
            found = _in_all([self.akin[word] if word in said else self.having.get(word, _NOTHING) for word in wanted])
        whole = [at for at in found if wanted.issuperset(set(self.keys[at].split(" ")) - self.kinds)]
        return list(dict.fromkeys(self.units[at] for at in sorted(whole or found)))

    def having_any(self, words: Set[str]) -> set[str]:
        """The units that have a name with any of these words but the kinds."""
        return {self.units[at] for word in words - self.kinds for at in self.having.get(word, ())}


def _in_all(places: Sequence[Set[int]]) -> Set[int]:
    """What all the sets have, beginning with the smallest, for some have all names of a large chart."""
    first, *others = sorted(places, key=len)
    return frozenset(first).intersection(*others) if first else _NOTHING


def build(chart: Chart) -> Index:
    """The index of all names, aliases, and what follows from them."""
    types: dict[str, str] = {}
    # of a unit without a type, the kind that its name tells
    for unit_type in (*chart.types, *(names.kind_in(unit.name) for unit in chart.units.values() if not unit.type)):
        key = names.key(unit_type)
        types.setdefault(key, unit_type)
        if key.count(" ") >= 2:  # "SIG" for a special interest group
            types.setdefault("".join(word[0] for word in key.split(" ")), unit_type)
    own = {kind for kind in types if kind and " " not in kind}
    given: dict[str, list[Name]] = defaultdict(list)
    derived: dict[str, list[Name]] = defaultdict(list)
    keys: list[str] = []
    units: list[str] = []
    having: dict[str, set[int]] = defaultdict(set)
    akin: dict[str, set[int]] = {kind: set() for kind in own}
    offices: set[int] = set()
    bodies: set[int] = set()
    for unit in chart.units.values():
        of_type = names.key(unit.type).split(" ")
        for written in dict.fromkeys((unit.name, *unit.aliases)):
            key = names.key(written)
            given[key].append(Name(unit.id, written))
            if not written.isascii() and (spelled := names.key(names.spelled_out(written))) != key:
                given[spelled].append(Name(unit.id, written))
            for other in names.other_names(written):
                derived[names.key(other)].append(Name(unit.id, other))
            words = key.split(" ")
            place = len(keys)
            for word in words:
                having[word].add(place)
            for word in {*words, *of_type}:
                if word in own:
                    akin[word].add(place)
                if word in OFFICES:
                    offices.add(place)
                if word in BODIES:
                    bodies.add(place)
            keys.append(key)
            units.append(unit.id)
    akin |= dict.fromkeys(BODIES, bodies) | dict.fromkeys(OFFICES - BODIES, offices)
    akin |= dict.fromkeys(OFFICES & BODIES, offices | bodies)
    return Index(chart, dict(given), dict(derived), types, OFFICES | BODIES | own, keys, units, dict(having), akin)
