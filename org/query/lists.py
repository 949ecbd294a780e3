"""The functions of an expression that find units: up, down, beside, by name, by description, by any column; each takes
time that goes with the size of the chart at most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from org.chart import Chart, Unit
from org.language import gettext, in_english, number
from org.linking import disambiguation
from org.query import sentences
from org.query.grammar import cell, kinds, spelled, types_of
from org.query.sentences import FEW, MANY, are, capital, label, line, sentence, several

_TOLD = 3
"""Units found by words of which the words are told."""
_WORD = re.compile(r"\w+")
_CELL = 8
"""Words of a cell that a text may name."""
_NONE = 3
_SHORTEST = 4
"""Letters that two words must share to be forms of one: "complaint" and "complaints", but not "it" and "Italy"."""
_cells: WeakKeyDictionary[Chart, dict[tuple[str, ...], Cell]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Cell:
    """What a column says of `units` units: in a chart of people, where they work, or what they are."""

    column: str
    text: str
    units: int


@dataclass(frozen=True, slots=True)
class Units:
    """Units found, none of them twice. `about` are those that the question named for it; `noun` and `place` make the
    sentence "3 committees are directly under the Field Division", `note` a second one. `told` is the answer where a
    list would be none ("A is directly under B."). `is_typed` is whether all are of the type `noun`, `is_deep` whether
    they may be anywhere, so that a list tells where; `start` is the unit that a way upward began at, `given` the cell
    that all of them have, where a question names that."""

    units: tuple[Unit, ...]
    about: tuple[Unit, ...] = ()
    noun: str = "unit"
    place: str = ""
    note: str = ""
    told: str = ""
    is_typed: bool = False
    is_deep: bool = False
    start: Unit | None = None
    given: Cell | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that nothing can be asked of any more: a cell, a yes or no, a number."""

    text: str
    about: tuple[Unit, ...]


Value = Units | Told


def text(value: Value, chart: Chart) -> str:
    """The answer that a value is."""
    return value.text if isinstance(value, Told) else value.told or listed(value, chart, MANY)


def listed(found: Units, chart: Chart, limit: int) -> str:
    """How many units there are, and which, past the limit with the number of the rest; the number alone for a limit of
    0: "2 teams are under the Field Division: A and B." """
    size, place = are(len(found.units), found.noun), found.place if in_english() else capital(found.place)
    start = sentence(gettext("{number} {place}", number=size, place=place))
    if found.units and not limit:
        return start
    names = several(found.units, chart, limit, typed=found.is_typed, placed=found.is_deep)
    whole = sentence(gettext("{number} {place}: {units}", number=size, place=place, units=names)) if names else start
    return " ".join(filter(None, (whole, found.note)))


def count(found: Units, chart: Chart) -> Told:
    """How many units there are."""
    return Told(listed(found, chart, 0), (*found.about, *found.units))


def top(chart: Chart) -> Units:
    """The unit at the top."""
    return Units((chart.root,), told=sentences.placed(chart.root, chart))


def everything(noun: str, chart: Chart) -> Units:
    """All units of the chart, or those of a type."""
    found = _of_type((chart.root, *chart.descendants(chart.root.id)), noun, chart)
    return Units(found, noun=_noun(noun, chart), place=gettext("in the chart"), is_typed=bool(noun))


def parent(some: Units, noun: str, chart: Chart) -> Units:
    """The unit right above each, or the nearest above of a type. From a unit that was itself found upward, the way from
    where it began is told."""
    start = some.start or (some.units[0] if len(some.units) == 1 else None)
    meant = kinds(noun, chart) if noun else frozenset()

    def nearest(unit: Unit) -> Unit | None:
        above = reversed(chart.path(unit.id)[:-1])
        return next((one for one in above if not meant or one.type in meant), None)

    found = {unit.id: nearest(unit) for unit in some.units}
    told = []
    for unit in some.units[:FEW]:
        above = found[unit.id]
        if above and noun:
            name, over = label(start or unit, chart), label(above, chart)
            told.append(sentence(gettext("{unit} is under {parent}", unit=name, parent=over)))
        elif above and start and unit is not start:
            place = sentences.chain(start, chart, above)
            told.append(sentence(gettext("{unit} is {place}", unit=label(start, chart), place=place)))
        elif above or not noun or unit.parent is None:
            told.append(sentences.parent(unit, chart))
        else:
            none = gettext("No {type} is above {unit}.", type=line(noun), unit=label(unit, chart))
            told.append(f"{none} {sentences.placed(unit, chart)}")
    told += [left_out(len(some.units) - FEW)] if len(some.units) > FEW else []
    names = sentences.names(some.units, chart)
    return Units(
        _unique(above for above in found.values() if above),
        about=some.units,
        noun=_noun(noun, chart),
        place=gettext("above {units}", units=names) if noun else gettext("directly above {units}", units=names),
        told=" ".join(told),
        is_typed=bool(noun),
        start=start,
    )


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
        place=gettext("above {units}", units=sentences.names(some.units, chart)),
        told=each(some.units, chart, sentences.placed),
    )


def children(some: Units, noun: str, chart: Chart) -> Units:
    """The units directly under each; where there are none of a type, a note says how many are further below."""
    found = _of_type([child for unit in some.units for child in chart.children(unit.id)], noun, chart)
    place = gettext("directly under {units}", units=sentences.names(some.units, chart))
    note = ""
    if not found and (further := descendants(some, noun, chart).units):
        note = gettext("Further below it, {number} there.", number=are(len(further), _noun(noun, chart)))
    return Units(found, some.units, _noun(noun, chart), place, note, is_typed=bool(noun))


def descendants(some: Units, noun: str, chart: Chart) -> Units:
    """The units under each at any depth."""
    below: list[Unit] = []
    end = -1
    for unit in sorted(some.units, key=lambda unit: chart.place(unit.id)):
        if chart.place(unit.id) > end:  # else it is under another of them, and so is all that is under it
            below += chart.descendants(unit.id)
            end = chart.place(unit.id) + chart.total(unit.id)
    place = gettext("under {units}", units=sentences.names(some.units, chart))
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
        told = each(some.units, chart, sentences.parent)
    elif not found and not noun and len(some.units) == 1:
        above = label(chart.unit(next(iter(beside))), chart)
        told = sentence(gettext("{unit} is the only unit directly under {parent}", unit=name, parent=above))
    other = _noun(noun, chart) or "unit"
    other = f"other {other}" if in_english() else other
    place = gettext("directly under the same unit as {units}", units=name)
    return Units(found, some.units, other, place, told=told, is_typed=bool(noun))


def common(some: Units, chart: Chart) -> Units | None:
    """The closest unit above all of several."""
    if len(some.units) < 2:
        return None
    first, last = (pick(some.units, key=lambda unit: chart.place(unit.id)) for pick in (min, max))
    above = chart.common(first.id, last.id)  # what the outermost two share, all between them do
    names, name = sentences.names(some.units, chart, FEW), label(above, chart)
    if len(some.units) == 2:
        told = gettext("the closest unit above both {units} is {parent}", units=names, parent=name)
    else:
        told = gettext("the closest unit above all of {units} is {parent}", units=names, parent=name)
    place = gettext("above {units}", units=sentences.names(some.units, chart))
    return Units((above,), some.units, place=place, told=sentence(told))


def named(text: str, noun: str, chart: Chart) -> Units | None:
    """The units with these words in a name or an alias, None when there are none."""
    exact = _of_type(disambiguation.sharing(text, chart), noun, chart)
    found = exact or _search(text, noun, chart, lambda unit: (unit.name, *unit.aliases))
    if not found:
        return None
    place = gettext('named with "{text}"', text=line(text))
    return Units(found, (), _noun(noun, chart), place, is_typed=bool(noun), is_deep=True)


def described(text: str, noun: str, chart: Chart) -> Units | None:
    """The units with these words in their description, None when there are none; of a few what it says."""
    found = _search(text, noun, chart, lambda unit: (unit.description,))
    if not found:
        return None
    why = [sentences.described(unit, chart) for unit in found] if len(found) <= _TOLD else []
    place = gettext('described with "{text}"', text=line(text))
    return Units(found, (), _noun(noun, chart), place, " ".join(why), is_typed=bool(noun), is_deep=True)


def in_cell(given: Cell, noun: str, chart: Chart) -> Units | None:
    """The units of which a column says the same, None when it says it no more."""
    found = where(given.column, given.text, chart)
    some = _of_type(found.units, noun, chart) if found else ()
    return found and replace(found, units=some, noun=_noun(noun, chart), is_typed=bool(noun), given=given)


def in_both(one: Units, other: Units) -> Units:
    """The units that two lists by a cell share."""
    shared = {unit.id for unit in other.units}
    found = tuple(unit for unit in one.units if unit.id in shared)
    return Units(found, noun=one.noun, place=gettext("{one} and {other}", one=one.place, other=other.place))


def where(column: str, text: str, chart: Chart) -> Units | None:
    """The units with these words in a column, None when there are none; of a few what it says, where that is more."""
    header = spelled(column, chart)
    found = _search(text, "", chart, lambda unit: tuple(filter(None, (cell(unit, header),))))
    if not found:
        return None
    more = [unit for unit in found if words(cell(unit, header)) != words(text)] if len(found) <= _TOLD else []
    why = [sentences.cell(unit, header, cell(unit, header), chart) for unit in more]
    name = sentences.column(line(header))
    place = gettext('listed with "{text}" as {column}', text=line(text), column=name)
    return Units(found, (), _noun("", chart), place, " ".join(why))


def _search(text: str, noun: str, chart: Chart, texts: Callable[[Unit], Sequence[str]]) -> tuple[Unit, ...]:
    return tuple(holding(text, _of_type(chart.units.values(), noun, chart), texts))


def _of_type(units: Iterable[Unit], noun: str, chart: Chart) -> tuple[Unit, ...]:
    """Those of the units that are of a type, each once."""
    if not noun:
        return _unique(units)
    meant = kinds(noun, chart)
    return _unique(unit for unit in units if unit.type in meant)


def _unique(units: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple({unit.id: unit for unit in units}.values())


def _noun(noun: str, chart: Chart) -> str:
    """What units are called: by the type asked for, "unit", or not at all in a chart without types, as of people."""
    return line(types_of(noun, chart)[0]) or ("unit" if chart.types else "")


def each(units: Sequence[Unit], chart: Chart, say: Callable[[Unit, Chart], str]) -> str:
    """What there is to `say` of the first few units, and how many are left out."""
    told = [say(unit, chart) for unit in units[:FEW]]
    return " ".join([*told, *([left_out(len(units) - FEW)] if len(units) > FEW else [])])


def left_out(count: int) -> str:
    """How many units nothing is said of."""
    return gettext("{number} more are left out.", number=number(count))


def holding(text: str, units: Iterable[Unit], texts: Callable[[Unit], Sequence[str]]) -> list[Unit]:
    """The units that have the text in one of their `texts`: as all of it, else as words of it, else as beginnings of
    words; those of the first way that finds any."""
    wanted = words(text)
    if not wanted:
        return []
    starts = [word[:_SHORTEST] for word in wanted]
    found: dict[int, list[Unit]] = {}
    for unit in units:
        cells = [cell for cell in map(str.casefold, texts(unit)) if all(start in cell for start in starts)]
        if cells and (way := min(_way(words(cell), wanted) for cell in cells)) < _NONE:
            found.setdefault(way, []).append(unit)
    return found[min(found)] if found else []


def cells(text: str, chart: Chart) -> tuple[Cell, ...]:
    """The cells, beside names and descriptions, of which all stands in the text, none within another: a title, the name
    of a head, a room. A bare number does not count. What several columns say is the one's that says it most often."""
    if chart not in _cells:
        _cells[chart] = _cells_of(chart)
    found, known, named = words(text), _cells[chart], list[Cell]()
    start = 0
    while start < len(found):
        length = next((n for n in range(_CELL, 0, -1) if tuple(found[start : start + n]) in known), 0)
        named += [known[tuple(found[start : start + length])]] if length else []
        start += length or 1
    return tuple(dict.fromkeys(named))


def _cells_of(chart: Chart) -> dict[tuple[str, ...], Cell]:
    """The cells by their words, the commonest of those that are spelled alike."""
    spelled: dict[tuple[str, tuple[str, ...]], str] = {}
    counted: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for unit in chart.units.values():
        for header, text in (("head", unit.head), *unit.attributes):
            spelling = tuple(words(text))
            if 0 < len(spelling) <= _CELL and not (len(spelling) == 1 and spelling[0].isdigit()):
                spelled.setdefault((header, spelling), text)
                counted[header, spelling] += 1
    rarest_first = sorted(counted.items(), key=lambda one: one[1])
    return {spelling: Cell(header, spelled[header, spelling], units) for (header, spelling), units in rarest_first}


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.casefold())


def _way(cell: list[str], wanted: list[str]) -> int:
    """How a cell has the words: 0 as all of it, 1 as words of it, 2 as beginnings of words or words that begin so."""
    if cell == wanted:
        return 0
    if set(wanted) <= set(cell):
        return 1

    def is_form(one: str, other: str) -> bool:
        shorter, longer = sorted((one, other), key=len)
        return one == other or (len(shorter) >= _SHORTEST and longer.startswith(shorter))

    return 2 if all(any(is_form(one, word) for one in cell) for word in wanted) else _NONE
