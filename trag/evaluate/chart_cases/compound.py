"""Facts for compound questions (T-RAG, section 6.2): two things about a unit, or one about each of two.

Material -> Facts of one form each, every unit first at most once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from org.chart import Unit
from trag.evaluate.cases import Some
from trag.evaluate.chart_cases.facts import MOST_LISTED, Fact, Material, fact
from trag.evaluate.chart_cases.index import holds

_TRIES = 6  # partners looked at for one unit
_FEW = 8  # units of a list that is half of an answer


def parent_and_type(material: Material) -> Iterator[Fact]:
    """What is above a unit, and its type."""
    for unit, parent, item in _placed(filter(material.types.is_news, material.units), material):
        if not any(holds(name, unit.type) for name in item):
            answer = f"{unit.name} is of the type {unit.type} and under {parent.name}."
            yield fact("compound: parent and type", answer, unit, gold=(item, (unit.type,)))


def parent_and_children(material: Material) -> Iterator[Fact]:
    """What is right above a unit, and what is right under it."""
    for unit, parent, item in _placed(material.parents, material):
        found = material.tree.children(unit)
        if len(found) <= _FEW and (labels := material.names.labels(found)):
            answer = f"{unit.name} is under {parent.name}; under it: {'; '.join(one.name for one in found)}."
            yield fact("compound: parent and children", answer, unit, gold=(item,), units=labels)


def parent_and_count(material: Material) -> Iterator[Fact]:
    """What is right above a unit, and how many are right under it."""
    for unit, parent, item in _placed(material.parents, material):
        number = len(material.tree.children(unit))
        answer = f"{unit.name} is under {parent.name}; {number} directly under it."
        yield fact("compound: parent and count", answer, unit, gold=(item,), count=number)


def two_parents(material: Material) -> Iterator[Fact]:
    """What is above each of two units."""
    for unit, parent, item in _placed(material.units, material):
        for _ in range(_TRIES):
            other = material.chance.choice(material.names.speakable)
            beyond = material.tree.parent(other)
            if beyond is parent or beyond is other or other is unit:
                continue
            second = material.names.item(beyond)
            if second and not any(holds(a, b) or holds(b, a) for a in item for b in second):
                answer = f"{unit.name} is under {parent.name}, and {other.name} is under {beyond.name}."
                yield fact("compound: two parents", answer, unit, other, gold=(item, second))
                break


def two_lists(material: Material) -> Iterator[Fact]:
    """What is right under each of two units."""
    for unit, other in _pairs(material):
        found = (*material.tree.children(unit), *material.tree.children(other))
        if len(found) <= MOST_LISTED and (labels := material.names.labels(found)):
            answer = f"Under {unit.name} and {other.name}: {'; '.join(one.name for one in found)}."
            yield fact("compound: two lists", answer, unit, other, units=labels)


def some_and_some(material: Material) -> Iterator[Fact]:
    """Two of the units right under one, and two of those right under another."""
    for unit, other in _pairs(material):
        found = [material.tree.children(one) for one in (unit, other)]
        if all(3 <= len(units) <= MOST_LISTED for units in found):
            groups = tuple(Some(material.names.labels(units), 2) for units in found)
            if all(group.units for group in groups):
                answer = f"For example {'; '.join(one.name for units in found for one in units[:2])}."
                yield fact("compound: some and some", answer, unit, other, some=groups, number=2)


def _placed(units: Iterable[Unit], material: Material) -> Iterator[tuple[Unit, Unit, tuple[str, ...]]]:
    """Units with their parents, and how an answer names those."""
    for unit in units:
        parent = material.tree.parent(unit)
        if parent is not unit and (item := material.names.item(parent)):
            yield unit, parent, item


def _pairs(material: Material) -> Iterator[tuple[Unit, Unit]]:
    """Two units with others under each, neither under the other."""
    tree = material.tree
    for unit in material.parents:
        for _ in range(_TRIES):
            other = material.chance.choice(material.speakable_parents)
            if unit.id != other.id and not tree.is_under(unit, other) and not tree.is_under(other, unit):
                yield unit, other
                break
