"""The functions of an expression that end it: what a unit is, what the chart says of it, yes or no, which has the most;
None where the chart does not say."""

from __future__ import annotations

from collections.abc import Callable

from org.chart import Chart, Unit
from org.language import gettext, in_english, listing, number
from org.query import sentences
from org.query.grammar import cell, kinds, spelled
from org.query.lists import Told, Units, each, left_out, listed
from org.query.sentences import FEW, label, line, sentence

_SENTENCES = 20


def about(some: Units, chart: Chart) -> Told | None:
    """What each unit is, does and who heads it; None where the chart has none of this beside its place."""

    def say(unit: Unit) -> str:
        head = sentences.cell(unit, "head", unit.head, chart) if unit.head else ""
        if not head and not unit.description:
            return ""
        return " ".join(filter(None, (sentences.kind(unit, chart), sentences.described(unit, chart), head)))

    return _told(some, say)


def aliases(some: Units, chart: Chart) -> Told | None:
    """What else each unit is called."""

    def say(unit: Unit) -> str:
        others = [line(alias) for alias in unit.aliases[:FEW]]
        if not others:
            return ""
        return sentence(gettext("{unit} is also called {names}", unit=label(unit, chart), names=listing(others)))

    return _told(some, say)


def attribute(some: Units, column: str, chart: Chart) -> Told | None:
    """What stands in a column about each unit. Raises QueryError for a column that the chart does not have."""
    header = spelled(column, chart)

    def say(unit: Unit) -> str:
        text = cell(unit, header)
        return sentences.cell(unit, line(header), text, chart) if text else ""

    return _told(some, say)


def type_of(some: Units, chart: Chart) -> Told | None:
    """The type of each unit."""

    def say(unit: Unit) -> str:
        if not unit.type:
            return ""
        kind = sentences.with_article(line(unit.type))
        return sentence(gettext("{unit} is {type}", unit=label(unit, chart), type=kind))

    return _told(some, say)


def _told(some: Units, say: Callable[[Unit], str]) -> Told | None:
    """A sentence for each unit of which there is anything to say, and how many of those are left out."""
    found = [(unit, text) for unit in some.units[: 50 * _SENTENCES] if (text := say(unit))]
    if not found:
        return None
    told, rest = found[:_SENTENCES], len(found) - _SENTENCES
    texts = [*(text for _, text in told), *([left_out(rest)] if rest > 0 else [])]
    return Told(" ".join(texts), tuple(unit for unit, _ in told))


def is_a(some: Units, noun: str, chart: Chart) -> Told | None:
    """Whether the units are of a type."""
    meant = kinds(noun, chart)
    told = type_of(some, chart)
    return told and Told(_yes(all(unit.type in meant for unit in some.units), told.text), told.about)


def is_under(some: Units, above: Units, chart: Chart) -> Told | None:
    """Whether each unit is under one of others, and where it is."""
    if not some.units or not above.units:
        return None
    known = {one.id for one in above.units}
    others = sentences.names(above.units, chart)

    def say(unit: Unit, chart: Chart) -> str:
        name = label(unit, chart)
        over = next((one for one in reversed(chart.path(unit.id)[:-1]) if one.id in known), None)
        if over and over.id == unit.parent:
            return gettext("Yes, {unit} is directly under {parent}.", unit=name, parent=label(over, chart))
        if over:
            return gettext("Yes: {unit} is {place}.", unit=name, place=sentences.chain(unit, chart, over))
        if unit.parent is None:
            return _yes(False, sentences.placed(unit, chart))
        if known == {unit.id}:
            return gettext("No, that is one unit. {text}", text=sentences.placed(unit, chart))
        if len(above.units) == 1 and chart.is_under(above.units[0].id, unit.id):
            place = sentences.chain(above.units[0], chart, unit)
            return gettext("No, it is the other way round: {unit} is {place}.", unit=others, place=place)
        over = chart.unit(unit.parent)
        where = {"unit": name, "parent": label(over, chart), "units": others}
        return gettext("No: {unit} is directly under {parent}, not under {units}.", **where)

    return Told(each(some.units, chart, say), (*some.units[:FEW], *above.units[:FEW]))


def same(some: Units, others: Units, chart: Chart) -> Told | None:
    """Whether two ways of finding units come to the same ones, with what either finds."""
    about = (*some.about, *others.about)
    if {unit.id for unit in some.units} == {unit.id for unit in others.units} != set():
        places = listing(list(filter(None, (some.place, others.place))) or [gettext("one unit")])
        names = sentences.names(some.units, chart)
        if len(some.units) == 1:
            return Told(gettext("Yes: {unit} is {place}.", unit=names, place=places), about)
        return Told(gettext("Yes: {units} are {places}.", units=names, places=places), about)
    told = dict.fromkeys(found.told or listed(found, chart, FEW) for found in (some, others) if found.place)
    return Told(_yes(False, " ".join(told) or gettext("those are different units.")), about)


def exists(some: Units, chart: Chart) -> Told:
    """Whether any unit was found, and which."""
    return Told(_yes(bool(some.units), listed(some, chart, 0)), (*some.about, *some.units))


def more(some: Units, other: Units, noun: str, chart: Chart) -> Told | None:
    """Whether a unit has more units, or more of a type, under it than another."""
    if len(some.units) != 1 or len(other.units) != 1:
        return None
    (first,), (second,) = some.units, other.units
    mine, theirs = _size(first, noun, chart), _size(second, noun, chart)
    told = most(Units((first, second)), noun, chart)
    return told and Told(_yes(mine > theirs, told.text), told.about)


def most(some: Units, noun: str, chart: Chart) -> Told | None:
    """Which of several units has the most units, or the most of a type, under it at any depth."""
    if len(some.units) < 2:
        return None
    sizes = {unit.id: _size(unit, noun, chart) for unit in some.units}
    ranked = sorted(some.units, key=lambda unit: -sizes[unit.id])
    highest = sizes[ranked[0].id]
    first = [unit for unit in ranked if sizes[unit.id] == highest]
    rest = [f"{label(unit, chart)} ({number(sizes[unit.id])})" for unit in ranked[len(first) :][: FEW - 1]]
    left = len(ranked) - len(first) - len(rest)
    rest += [gettext("{number} more", number=number(left))] if left else []
    kind = sentences.plural(line(noun) or "unit") if in_english() else line(noun) or gettext("units")
    holes = {"units": sentences.names(first, chart, FEW), "number": number(highest), "type": kind}
    if not rest:
        return Told(sentence(gettext("{units} each have {number} {type} under them", **holes)), tuple(ranked[:FEW]))
    holes["others"] = listing(rest)
    if len(some.units) == 2:
        text = gettext("{units} has more {type} under it ({number}) than {others}", **holes)
    elif len(first) == 1:
        text = gettext("{units} has the most {type} under it ({number}), before {others}", **holes)
    else:
        text = gettext("{units} have the most {type} under them ({number} each), before {others}", **holes)
    return Told(sentence(text), tuple(ranked[:FEW]))


def _size(unit: Unit, noun: str, chart: Chart) -> int:
    if not noun:
        return chart.total(unit.id)
    meant = kinds(noun, chart)
    return sum(one.type in meant for one in chart.descendants(unit.id))


def _yes(true: bool, text: str) -> str:
    """Yes or no, and why: a sentence that goes on behind the colon."""
    if in_english() and text.startswith(("The ", "No ", "None ", "In ")):
        text = text[0].lower() + text[1:]
    return gettext("Yes: {text}", text=text) if true else gettext("No: {text}", text=text)
