"""What briefings are written about when they are measured: units and topics of a home, drawn by chance.

chart, sections -> units that many sections name (head), that one or two do (tail), headings (topic) -> Names
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from org.linking.entities import Organization
from store.passage import Passage

Set = Literal["head", "tail", "topic"]
SETS: tuple[Set, ...] = get_args(Set)
_MANY = 3
"""Sections from which on a unit is one of the head."""
_WORDS = range(2, 8)
"""Words that a heading has which is a topic."""


@dataclass(frozen=True, slots=True)
class Name:
    """A unit or a topic, and the set it is of: one of SETS, or of a file."""

    set: str
    name: str


def draw(organization: Organization, passages: Iterable[Passage], *, number: int, seed: int) -> tuple[Name, ...]:
    """At most `number` names, the sets in turn, the same ones for the same home and seed; fewer where a home has no
    more."""
    sections = [one for one in passages if one.kind == "section"]
    chance = random.Random(seed)
    of_sets = {set: chance.sample(names, len(names)) for set, names in _found(organization, sections).items()}
    return tuple(_in_turn(of_sets, number))


def _found(organization: Organization, sections: Sequence[Passage]) -> dict[Set, list[str]]:
    finder, chart = organization.finder, organization.chart
    named = Counter[str]()
    topics: dict[str, None] = {}
    for section in sections:
        text = f"{section.section}\n{section.text}"
        mentions = finder.find(text) if finder else ()
        named.update({one.units[0] for one in mentions if len(one.units) == 1})
        heading = section.section.split(" > ")[-1].lstrip("0123456789.§() ")
        if len(heading.split()) in _WORDS and not (finder and finder.find(heading)):
            topics.setdefault(heading)
    found: dict[Set, list[str]] = {"head": [], "tail": [], "topic": sorted(topics)}
    for unit, count in sorted(named.items()):
        if chart and unit != chart.root.id and len(chart.named(chart.unit(unit).name)) == 1:
            found["head" if count >= _MANY else "tail"].append(chart.unit(unit).name)
    return found


def _in_turn(of_sets: dict[Set, list[str]], number: int) -> Iterator[Name]:
    left = {set: list(names) for set, names in of_sets.items()}
    while number > 0 and any(left.values()):
        for set in SETS:
            if left[set] and number > 0:
                number -= 1
                yield Name(set, left[set].pop())
