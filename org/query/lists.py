"""The functions of an expression that find units: up, down, beside, by name, by description, by any column.

Units -> Units, in time that goes with the size of the chart at most.  Knows nothing about how expressions are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

from org import disambiguation
from org.chart import Chart, Unit
from org.query import QueryError, sentences, types
from org.query.matching import holding, words
from org.query.sentences import FEW, label, line, sentence
from org.query.values import Units

COLUMNS = ("description", "head", "email", "code")
"""The columns of every chart that say something of a unit beside its place; the others go by their headers."""

_TOLD = 3
"""Units found by words of which the words are told."""

_columns: WeakKeyDictionary[Chart, tuple[str, ...]] = WeakKeyDictionary()


def top(chart: Chart) -> Units:
    """The unit at the top."""
    return Units((chart.root,), told=sentences.placed(chart.root, chart))


def everything(noun: str, chart: Chart) -> Units:
    """All units of the chart, or those of a type."""
    found = _of_type((chart.root, *chart.descendants(chart.root.id)), noun, chart)
    return Units(found, noun=_noun(noun, chart), place="in the chart", is_typed=bool(noun))


def parent(some: Units, noun: str, chart: Chart) -> Units:
    """The unit right above each, or the nearest above of a type. From a unit that was itself found upward, the way from
    where it began is told."""
    start = some.start or (some.units[0] if len(some.units) == 1 else None)
    meant = kinds(noun, chart) if noun else frozenset()
    found = {unit.id: _above(unit, meant, chart) for unit in some.units}
    told = []
    for unit in some.units[:FEW]:
        above = found[unit.id]
        if above and noun:
            told.append(sentence(f"{label(start or unit, chart)} is under {label(above, chart)}"))
        elif above and start and unit is not start:
            told.append(sentence(f"{label(start, chart)} is {sentences.chain(start, chart, above)}"))
        elif above or not noun or unit.parent is None:
            told.append(sentences.parent(unit, chart))
        else:
            told.append(f"No {line(noun)} is above {label(unit, chart)}. {sentences.placed(unit, chart)}")
    told += [f"{len(some.units) - FEW:,} more are left out."] if len(some.units) > FEW else []
    return Units(
        _unique(above for above in found.values() if above),
        about=some.units,
        noun=_noun(noun, chart),
        place=f"{'' if noun else 'directly '}above {sentences.names(some.units, chart)}",
        told=" ".join(told),
        is_typed=bool(noun),
        start=start,
    )


def _above(unit: Unit, kinds: frozenset[str], chart: Chart) -> Unit | None:
    """The nearest unit above of any of the types, right above where there are none."""
    while unit.parent is not None:
        unit = chart.unit(unit.parent)
        if not kinds or unit.type in kinds:
            return unit
    return None


def path(some: Units, chart: Chart) -> Units:
    """The units above each, up to the top."""
    above: dict[str, Unit] = {}
    for unit in some.units:
        one = unit
        while one.parent is not None and one.parent not in above:
            one = chart.unit(one.parent)
            above[one.id] = one
    return Units(
        tuple(above.values()),
        about=some.units,
        noun=_noun("", chart),
        place=f"above {sentences.names(some.units, chart)}",
        told=_each(some.units, chart, sentences.placed),
    )


def children(some: Units, noun: str, chart: Chart) -> Units:
    """The units directly under each; where there are none of a type, a note says how many are further below."""
    found = _of_type([child for unit in some.units for child in chart.children(unit.id)], noun, chart)
    where = sentences.names(some.units, chart)
    note = ""
    if not found and (further := descendants(some, noun, chart).units):
        note = f"Further below it, {sentences.are(len(further), _noun(noun, chart))} there."
    return Units(found, some.units, _noun(noun, chart), f"directly under {where}", note, is_typed=bool(noun))


def descendants(some: Units, noun: str, chart: Chart) -> Units:
    """The units under each at any depth."""
    below: list[Unit] = []
    end = -1
    for unit in sorted(some.units, key=lambda unit: chart.place(unit.id)):
        if chart.place(unit.id) > end:  # else it is under another of them, and so is all that is under it
            below += chart.descendants(unit.id)
            end = chart.place(unit.id) + chart.total(unit.id)
    place = f"under {sentences.names(some.units, chart)}"
    found = _of_type(below, noun, chart)
    return Units(found, some.units, _noun(noun, chart), place, is_typed=bool(noun))


def siblings(some: Units, noun: str, chart: Chart) -> Units:
    """The other units directly under the unit that each is under."""
    beside = Counter(unit.parent for unit in some.units if unit.parent is not None)
    given = {unit.id for unit in some.units}
    together = (child for above in beside for child in chart.children(above) if beside[above] > (child.id in given))
    found = _of_type(together, noun, chart)
    name = sentences.names(some.units, chart)
    told = ""
    if not beside:
        told = _each(some.units, chart, sentences.parent)
    elif not found and not noun and len(some.units) == 1:
        told = sentence(f"{name} is the only unit directly under {label(chart.unit(next(iter(beside))), chart)}")
    other = f"other {_noun(noun, chart) or 'unit'}"
    place = f"directly under the same unit as {name}"
    return Units(found, some.units, other, place, told=told, is_typed=bool(noun))


def common(some: Units, chart: Chart) -> Units | None:
    """The closest unit above all of several."""
    if len(some.units) < 2:
        return None
    first, last = (pick(some.units, key=lambda unit: chart.place(unit.id)) for pick in (min, max))
    above = chart.common(first.id, last.id)  # what the outermost two share, all between them do
    number = "both" if len(some.units) == 2 else "all of"
    told = sentence(
        f"the closest unit above {number} {sentences.names(some.units, chart, FEW)} is {label(above, chart)}"
    )
    return Units((above,), some.units, place=f"above {sentences.names(some.units, chart)}", told=told)


def named(text: str, noun: str, chart: Chart) -> Units | None:
    """The units with these words in a name or an alias, None when there are none."""
    exact = _of_type(disambiguation.sharing(text, chart), noun, chart)
    found = exact or _search(text, noun, chart, lambda unit: (unit.name, *unit.aliases))
    if not found:
        return None
    return Units(found, (), _noun(noun, chart), f'named with "{line(text)}"', is_typed=bool(noun), is_deep=True)


def described(text: str, noun: str, chart: Chart) -> Units | None:
    """The units with these words in their description, None when there are none; of a few what it says."""
    found = _search(text, noun, chart, lambda unit: (unit.description,))
    if not found:
        return None
    why = [sentences.described(unit, chart) for unit in found] if len(found) <= _TOLD else []
    place = f'described with "{line(text)}"'
    return Units(found, (), _noun(noun, chart), place, " ".join(why), is_typed=bool(noun), is_deep=True)


def where(column: str, text: str, chart: Chart) -> Units | None:
    """The units with these words in a column, None when there are none; of a few what it says, where that is more."""
    header = spelled(column, chart)
    found = _search(text, "", chart, lambda unit: tuple(filter(None, (cell(unit, header),))))
    if not found:
        return None
    more = [unit for unit in found if words(cell(unit, header)) != words(text)] if len(found) <= _TOLD else []
    why = [sentences.cell(unit, header, cell(unit, header), chart) for unit in more]
    place = f'listed with "{line(text)}" as {line(header)}'
    return Units(found, (), _noun("", chart), place, " ".join(why))


def _search(text: str, noun: str, chart: Chart, texts: Callable[[Unit], Sequence[str]]) -> tuple[Unit, ...]:
    return tuple(holding(text, _of_type(chart.units.values(), noun, chart), texts))


def cell(unit: Unit, header: str) -> str:
    """What stands in a column about a unit, "" for nothing."""
    if header in COLUMNS:
        return str(getattr(unit, header))
    return next((text for name, text in unit.attributes if name == header), "")


def columns(chart: Chart) -> tuple[str, ...]:
    """The columns in which the chart says anything about a unit, beside its place, names and type."""
    if chart not in _columns:
        units = chart.units.values()
        own = [header for header in COLUMNS if any(getattr(unit, header) for unit in units)]
        _columns[chart] = (*own, *dict.fromkeys(header for unit in units for header, _ in unit.attributes))
    return _columns[chart]


def spelled(column: str, chart: Chart) -> str:
    """A column as the chart spells it. Raises QueryError for one that it does not have."""
    known = columns(chart)
    wanted = " ".join(column.casefold().split())
    found = next((header for header in known if " ".join(header.casefold().split()) == wanted), None)
    if found is None:
        raise QueryError(
            f"The chart has no column {line(column, 80)}.", f"It has: {line(', '.join(known) or 'none', 400)}."
        )
    return found


def _of_type(units: Iterable[Unit], noun: str, chart: Chart) -> tuple[Unit, ...]:
    """Those of the units that are of a type, each once."""
    if not noun:
        return _unique(units)
    meant = kinds(noun, chart)
    return _unique(unit for unit in units if unit.type in meant)


def _unique(units: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple({unit.id: unit for unit in units}.values())


def kinds(noun: str, chart: Chart) -> frozenset[str]:
    """The types that a noun means. Raises QueryError for one that is no type of the chart."""
    _, meant = types.meant(noun, chart)
    if not meant:
        known = ", ".join(chart.types[:20]) or "none"
        raise QueryError(f"The chart has no type {line(noun, 80)}.", f"Its types are: {line(known, 400)}.")
    return meant


def _noun(noun: str, chart: Chart) -> str:
    """What units are called: by the type asked for, "unit", or not at all in a chart without types, as of people."""
    return line(types.meant(noun, chart)[0]) or ("unit" if chart.types else "")


def _each(units: Sequence[Unit], chart: Chart, say: Callable[[Unit, Chart], str]) -> str:
    told = [say(unit, chart) for unit in units[:FEW]]
    return " ".join([*told, *([f"{len(units) - FEW:,} more are left out."] if len(units) > FEW else [])])
