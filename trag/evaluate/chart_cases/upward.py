"""Facts about what is above units: where one sits, whether it is under another, what two have above both.

Material -> Facts of one form each, every unit at most once.  Gold that cannot be written down for sure gives no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from org.chart import Unit
from trag.evaluate.chart_cases.facts import MOST_LISTED, NOTHING, Fact, Material, fact, in_turn
from trag.evaluate.chart_cases.index import holds

_TRIES = 6  # partners looked at for one unit
_LONGEST_PATH = 6  # units above


def where(material: Material) -> Iterator[Fact]:
    """Where a unit sits: its parent."""
    return _parents(material, "simple: where")


def above(material: Material) -> Iterator[Fact]:
    """What is above a unit: its parent."""
    return _parents(material, "simple: above")


def _parents(material: Material, form: str) -> Iterator[Fact]:
    for unit in material.units:
        parent = material.tree.parent(unit)
        item = material.names.item(parent)
        if parent is not unit and item:
            yield fact(form, f"{unit.name} is under {parent.name}.", unit, gold=(item,))


def whether(material: Material) -> Iterator[Fact]:
    """Whether a unit is under another, the root only where there is nothing between."""
    for unit in material.units:
        units = material.tree.above(unit)
        yield from _whether(material, "simple: whether", unit, units[:-1] or units)


def far_whether(material: Material) -> Iterator[Fact]:
    """Whether a unit is under another that is at least two levels above it."""
    for unit in material.units:
        yield from _whether(material, "complex: far whether", unit, material.tree.above(unit)[1:-1])


def _whether(material: Material, form: str, unit: Unit, units: Sequence[Unit]) -> Iterator[Fact]:
    tree, chance = material.tree, material.chance
    if not units:
        return
    if chance.random() < 0.5:
        other = chance.choice(units)
        yield fact(form, f"Yes, {unit.name} is under {other.name}.", unit, other, polarity="yes")
        return
    beside = tree.children(tree.parent(tree.parent(unit)))
    for _ in range(_TRIES):  # beside its parent, right under it, or anywhere
        other = chance.choice(chance.choice([some for some in (beside, tree.children(unit), tree.order) if some]))
        if other.id != unit.id and not tree.is_under(unit, other):
            yield fact(form, f"No, {unit.name} is not under {other.name}.", unit, other, polarity="no")
            return


def path(material: Material) -> Iterator[Fact]:
    """All units above one, up to the top."""
    for unit in material.units:
        units = material.tree.above(unit)
        items = tuple(map(material.names.item, units))
        if 2 <= len(units) <= _LONGEST_PATH and all(items):
            answer = f"{unit.name} is under {', which is under '.join(one.name for one in units)}."
            yield fact("complex: path", answer, unit, gold=items)


def second(material: Material) -> Iterator[Fact]:
    """What is two levels above a unit."""
    for unit in material.units:
        units = material.tree.above(unit)[:2]
        item = material.names.item(units[1]) if len(units) == 2 else ()
        if item and not any(holds(name, form) for name in (units[0].name, *units[0].aliases) for form in item):
            yield fact("complex: second", f"{units[1].name} is two levels above {unit.name}.", unit, gold=(item,))


def kind_above(material: Material) -> Iterator[Fact]:
    """The one unit of a type above a unit, where that is not its parent: "which division is the desk in"."""
    types = material.types
    for unit in material.units:
        units = material.tree.above(unit)
        for found in units[1:-1]:
            noun, others = types.noun(found), [one for one in (unit, *units) if one is not found]
            is_only = noun and not any(
                types.is_of(one, noun) or any(holds(name, noun) for name in (one.name, *one.aliases)) for one in others
            )
            if is_only and (item := material.names.item(found)):
                yield fact("complex: kind above", f"{unit.name} is in {found.name}.", unit, gold=(item,), noun=noun)
                break


def more(material: Material) -> Iterator[Fact]:
    """Whether a unit has more units under it than another, on the next level as in all."""
    tree = material.tree
    for unit in material.parents:
        for _ in range(_TRIES):
            other = material.chance.choice(material.speakable_parents)
            in_all = tree.total(unit) - tree.total(other)
            direct = len(tree.children(unit)) - len(tree.children(other))
            if in_all * direct > 0 and not tree.is_under(unit, other) and not tree.is_under(other, unit):
                yes = "yes" if in_all > 0 else "no"
                answer = f"{tree.total(unit)} units are under {unit.name} and {tree.total(other)} under {other.name}."
                yield fact("complex: more", f"{yes.title()}: {answer}", unit, other, polarity=yes)
                break


def common(material: Material) -> Iterator[Fact]:
    """The closest unit above two, of which neither is above the other."""
    tree, chance = material.tree, material.chance
    for unit in material.units:
        line = (unit, *tree.above(unit))
        for _ in range(_TRIES if len(line) > 1 else 0):
            # The root is the dullest answer.
            place = min(chance.randrange(1, len(line)), chance.randrange(1, len(line)))
            branch = chance.choice(tree.children(line[place]))
            item = material.names.item(line[place])
            if branch.id != line[place - 1].id and item:
                other = chance.choice((branch, *tree.below(branch)[:1000]))
                answer = f"The closest unit above both {unit.name} and {other.name} is {line[place].name}."
                yield fact("common parent: two", answer, unit, other, gold=(item,))
                break


def siblings(material: Material) -> Iterator[Fact]:
    """The other units right under the same parent."""
    tree = material.tree
    for unit in material.units:
        together = tree.children(tree.parent(unit)) if unit.parent is not None else ()
        if 1 < len(together) <= MOST_LISTED + 1:
            others = [other for other in together if other.id != unit.id]
            if labels := material.names.labels(others):
                answer = f"Beside {unit.name}: {'; '.join(other.name for other in others)}."
                yield fact("siblings: others", answer, unit, units=labels)


def no_siblings(material: Material) -> Iterator[Fact]:
    """An only child."""
    for unit in material.units:
        parent = material.tree.parent(unit)
        if parent is not unit and len(material.tree.children(parent)) == 1:
            answer = f"No other unit is directly under {parent.name}."
            yield fact("siblings: nothing", answer, unit, gold=(NOTHING,))


def whether_siblings(material: Material) -> Iterator[Fact]:
    """Whether two units, neither of them the root, have one parent."""
    form, tree, chance = "siblings: whether", material.tree, material.chance
    for unit in material.units:
        parent = tree.parent(unit)
        if parent is unit:
            continue
        other = chance.choice(tree.children(parent) if chance.random() < 0.5 else tree.order)
        if other.parent == unit.parent and other.id != unit.id:
            yield fact(form, f"Yes, both are directly under {parent.name}.", unit, other, polarity="yes")
        elif other.parent not in (None, unit.parent):
            answer = f"No, {unit.name} and {other.name} are not directly under one unit."
            yield fact(form, answer, unit, other, polarity="no")


def kind(material: Material) -> Iterator[Fact]:
    """The type of a unit."""
    for unit in material.units:
        if material.types.is_news(unit):
            yield fact("simple: type", f"{unit.name} is of the type {unit.type}.", unit, gold=((unit.type,),))


def anything(material: Material) -> Iterator[Fact]:
    """Whether there is anything under a unit."""
    for unit in in_turn([iter(material.parents), iter(material.leaves)]):
        yes = "yes" if material.tree.total(unit) else "no"
        answer = f"{yes.title()}, {material.tree.total(unit) or 'no'} units are under {unit.name}."
        yield fact("simple: anything", answer, unit, polarity=yes)
