"""The types of unit that a question can ask for, and the units of each under any unit.

Ground, Names -> Types.  A type is left out where a person could mean more by the word than the chart does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

from org.chart import Unit
from trag.evaluate.chart_cases.ground import Ground
from trag.evaluate.chart_cases.names import Names, key, plural, singular, words

_GENERAL = frozenset("body element entity item level node organisation organization part thing unit".split())
"""What people call any unit, whatever its type."""


class Types:
    """The types of a chart by their words; built once for all its facts."""

    def __init__(self, ground: Ground, names: Names) -> None:
        self._ground, self._names = ground, names
        self._places: dict[str, list[int]] = defaultdict(list)
        spelled: dict[str, str] = {}
        for place, unit in enumerate(ground.order):
            if noun := unit.type.strip():
                self._places[_kind(noun)].append(place)
                spelled.setdefault(_kind(noun), noun)
        self._alike: dict[str, list[int]] = {}
        by_word: dict[str, set[str]] = defaultdict(set)
        for kind in spelled:
            for word in kind.split():
                by_word[word].add(kind)
        self._plain = {
            kind: noun
            for kind, noun in spelled.items()
            if kind and not _GENERAL.intersection((kind, key(noun))) and _is_alone(kind, by_word)
        }
        self.nouns: tuple[str, ...] = tuple(self._plain.values())
        """Each type that can be asked for, as the chart first spells it."""

    def noun(self, unit: Unit) -> str:
        """The unit's type as people would say it, "" where they would mean more by it than the chart does."""
        return self._plain.get(_kind(unit.type), "")

    def is_news(self, unit: Unit) -> bool:
        """Whether the unit has such a type, and its names do not tell it already."""
        kind = _kind(unit.type)
        names = (unit.name, *unit.aliases)
        return kind in self._plain and not any(all(word in name.casefold() for word in kind.split()) for name in names)

    def is_of(self, unit: Unit, noun: str) -> bool:
        """Whether the chart gives the unit this type."""
        return _kind(unit.type) == _kind(noun)

    def under(self, noun: str, unit: Unit) -> Sequence[Unit] | None:
        """The units of a plain type under a unit, in the order of the tree; None where a person could count others in,
        as their names say that type and the chart another."""
        kind = _kind(noun)
        if self._ground.within(self._named_alike(kind), unit):
            return None
        return [self._ground.order[place] for place in self._ground.within(self._places.get(kind, []), unit)]

    def _named_alike(self, kind: str) -> list[int]:
        if kind not in self._alike:
            noun = self._plain[kind]
            found = {place for form in (noun, plural(noun)) for place in self._names.holding(words(form))}
            self._alike[kind] = sorted(place for place in found if _kind(self._ground.order[place].type) != kind)
        return self._alike[kind]


@lru_cache(maxsize=4096)
def _kind(noun: str) -> str:
    """What the spellings of one type share, singular or plural, whatever the order of its words."""
    return " ".join(sorted(set(singular(noun).split())))


def _is_alone(kind: str, by_word: Mapping[str, Set[str]]) -> bool:
    """Whether no other type has all the words of this one: a "standing committee" is a committee too."""
    rows = sorted((by_word[word] for word in kind.split()), key=len)
    return sum(all(other in row for row in rows[1:]) for other in rows[0]) == 1
