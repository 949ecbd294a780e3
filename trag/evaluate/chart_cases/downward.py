"""Facts about what is under units: lists of it, some of it, how much of it, and that there is none.

Material -> Facts of one form each, every unit at most once.  Where "under" could mean one level or all of them and that
makes a difference, the form says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from org.chart import Unit
from trag.evaluate.cases import Some
from trag.evaluate.chart_cases.facts import MOST_LISTED, Fact, Material, fact

_MOST_EXAMPLES = 400  # units that examples may be taken from
_SEEN = 200  # units looked at for a type to ask about


def children(material: Material) -> Iterator[Fact]:
    """The units right under one."""
    for unit in material.parents:
        yield from _list(material, "list: children", unit, material.tree.children(unit))


def flat(material: Material) -> Iterator[Fact]:
    """The units under one that has a single level under it."""
    for unit in material.parents:
        if material.tree.total(unit) == len(material.tree.children(unit)):
            yield from _list(material, "list: flat", unit, material.tree.children(unit))


def below(material: Material) -> Iterator[Fact]:
    """The units at every level under one that has several levels under it."""
    for unit in material.parents:
        if material.tree.total(unit) > len(material.tree.children(unit)):
            yield from _list(material, "list: below", unit, material.tree.below(unit))


def of_type(material: Material) -> Iterator[Fact]:
    """The units of a type under one; the form says so when they are on several levels."""
    for unit, noun, found in _typed(material):
        is_direct = all(one.parent == unit.id for one in found)
        yield from _list(material, "list: of type" if is_direct else "list: of type below", unit, found, noun)


def _list(material: Material, form: str, unit: Unit, found: Sequence[Unit], noun: str = "") -> Iterator[Fact]:
    if len(found) <= MOST_LISTED and (labels := material.names.labels(found)):
        answer = f"Under {unit.name}: {'; '.join(one.name for one in found)}."
        yield fact(form, answer, unit, units=labels, noun=noun)


def some(material: Material) -> Iterator[Fact]:
    """Two or three of the units right under one that has more."""
    for unit in material.parents:
        yield from _some(material, "list: some", unit, material.tree.children(unit))


def some_of_type(material: Material) -> Iterator[Fact]:
    """Two or three of the units of a type under one that has more."""
    for unit, noun, found in _typed(material):
        yield from _some(material, "list: some of type", unit, found, noun)


def _some(material: Material, form: str, unit: Unit, found: Sequence[Unit], noun: str = "") -> Iterator[Fact]:
    if 3 <= len(found) <= _MOST_EXAMPLES and (labels := material.names.labels(found)):
        number = material.chance.choice((2, 3)) if len(found) > 3 else 2
        answer = f"For example {'; '.join(one.name for one in found[:number])}."
        yield fact(form, answer, unit, some=(Some(labels, number),), noun=noun, number=number)


def nothing(material: Material) -> Iterator[Fact]:
    """A unit with nothing under it, asked what is."""
    for unit in material.leaves:
        yield fact("list: nothing", f"No unit is under {unit.name}.", unit, count=0)


def none_of_type(material: Material) -> Iterator[Fact]:
    """A unit with others under it, asked for those of a type of which there are none."""
    for unit in material.parents if material.types.nouns else ():
        noun = material.chance.choice(material.types.nouns)
        found = material.types.under(noun, unit)
        if found is not None and not found:
            yield fact("list: none of type", f"No {noun} is under {unit.name}.", unit, count=0, noun=noun)


def count_children(material: Material) -> Iterator[Fact]:
    """How many are right under a unit."""
    for unit in material.parents:
        number = len(material.tree.children(unit))
        yield fact("count: children", f"{number} directly under {unit.name}.", unit, count=number)


def count_below(material: Material) -> Iterator[Fact]:
    """How many are under a unit at every level."""
    for unit in material.parents:
        number = material.tree.total(unit)
        if number > len(material.tree.children(unit)):
            yield fact("count: below", f"{number} under {unit.name}, at every level.", unit, count=number)


def count_of_type(material: Material) -> Iterator[Fact]:
    """How many of a type are under a unit at every level."""
    for unit, noun, found in _typed(material):
        answer = f"{len(found)} of the type {noun} under {unit.name}, at every level."
        yield fact("count: of type", answer, unit, count=len(found), noun=noun)


def count_everywhere(material: Material) -> Iterator[Fact]:
    """How many of a type the whole chart has."""
    form, root = "count: of type everywhere", material.tree.root
    for noun in material.chance.sample(material.types.nouns, len(material.types.nouns)):
        found = material.types.under(noun, root)
        if found and not material.types.is_of(root, noun):
            yield fact(form, f"{len(found)} of the type {noun} in all.", count=len(found), noun=noun)


def count_none(material: Material) -> Iterator[Fact]:
    """A unit with nothing under it, asked how much is."""
    for unit in material.leaves:
        yield fact("count: none", f"None are under {unit.name}.", unit, count=0)


def _typed(material: Material) -> Iterator[tuple[Unit, str, Sequence[Unit]]]:
    """Units, each with a type that some of those under it have, and all under it of that type."""
    for unit in material.parents:
        seen = islice(material.tree.below(unit), _SEEN)
        nouns = list(filter(None, dict.fromkeys(map(material.types.noun, seen))))
        if nouns:
            noun = material.chance.choice(nouns)
            if found := material.types.under(noun, unit):
                yield unit, noun, found
