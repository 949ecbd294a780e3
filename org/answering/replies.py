"""The chart's answer to one thing asked (org/answering/patterns.py), in the words of org/answering/sentences.py.

Asked, the units it is about -> a complete answer, "" when the chart cannot give one.
Knows nothing about how a question was typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from math import prod

from org.answering import kinds, sentences
from org.answering.patterns import Asked, Kind
from org.answering.sentences import label, listing, sentence
from org.answering.subjects import Group, Subject
from org.chart import Chart, Unit

MANY, FEW = 60, 8  # how many units a list names, and how many in passing; past that it says how many more
MOST_SHARING = 6  # units told apart for one shared name; the others are listed
_TOGETHER = frozenset((Kind.RELATED, Kind.MORE, Kind.ARE_PEERS, Kind.SAME, Kind.COMMON, Kind.BETWEEN))


def reply(subject: Subject, chart: Chart, limit: int = MANY) -> str:
    """The answer about the units of a subject. A list names `limit` units at most and says how many more there are."""
    asked, groups, types = subject.asked, subject.groups, subject.types
    if asked.kind in _TOGETHER:
        choices = [list(dict.fromkeys(choice)) for choice in islice(product(*groups), MOST_SHARING)]
        told = [_together(asked, units, types, chart) for units in choices if len(units) > 1]
        rest = prod(map(len, groups)) - len(choices)
        more = [f"{rest:,} more may be meant."] if rest else []
        return " ".join([*told, *more]) if told and all(told) else ""
    if asked.kind is Kind.IS_UNDER:
        if types and not all(_is_one_of(unit, types) for group in groups for unit in group):
            return ""  # "is A a team of B", of one that is no team
        above = [unit for group in subject.against for unit in group]
        told = [_is_under(unit, above, asked, chart) for group in groups for unit in group[:MOST_SHARING]]
        return " ".join([*told, *(others(group, MOST_SHARING) for group in groups if len(group) > MOST_SHARING)])
    if not groups:
        whole = f" The chart has {len(chart):,} units." if asked.kind is Kind.COUNT and not types else ""
        return _about(chart.root, asked, types, chart, limit) + whole
    told = [_about_group(group, asked, types, chart, limit) for group in groups]
    return " ".join(told) if all(told) else ""


def of_type(noun: str, unit: Unit, chart: Chart, limit: int, *, direct: bool = False) -> str:
    """The units of a type under another; when there are none, one of that type above it, or those directly under it."""
    units = _units_of_type(noun, unit, chart, direct=direct)
    text = sentences.of_type(units, noun, unit, chart, limit)
    if units or unit.parent is None:
        return text
    if above := nearest(unit, (noun,), chart):
        return f"{text} {sentence(f'{label(unit, chart)} is {sentences.chain(unit, chart, above)}')}"
    return f"{text} {sentences.children(unit, chart, FEW)}" if chart.children(unit.id) else text


def _about_group(group: Group, asked: Asked, types: Sequence[str], chart: Chart, limit: int) -> str:
    """The answer for one name: for each of the units that share it, in short, saying how many there are."""
    if len(group) == 1:
        return _about(group[0], asked, types, chart, limit)
    told = [_about(unit, asked, types, chart, min(limit, FEW)) for unit in group[:MOST_SHARING]]
    if not all(told):
        return ""
    return " ".join([opening(group), *told, *([others(group, MOST_SHARING)] if len(group) > MOST_SHARING else [])])


def opening(group: Group) -> str:
    """How many units one name may mean."""
    if not _same_name(group):
        return f"{len(group):,} units may be meant."
    return f"There are {len(group):,} units called {group[0].name}."


def others(group: Group, told: int) -> str:
    """How many of the units that one name may mean are left when some have been `told`."""
    rest = len(group) - told
    if not _same_name(group):
        return f"{rest:,} more may be meant."
    return f"{rest:,} more {'unit is' if rest == 1 else 'units are'} called {group[0].name}."


def _same_name(group: Group) -> bool:
    return len({unit.name.casefold() for unit in group}) == 1


def _about(unit: Unit, asked: Asked, types: Sequence[str], chart: Chart, limit: int) -> str:
    """The answer about one unit."""
    name = label(unit, chart)
    match asked.kind:
        case Kind.DEPTH if unit.parent is not None:
            levels = sentences.counted(chart.depth(unit.id), "level")
            return sentence(f"{name} is {levels} below {label(chart.root, chart)}")
        case Kind.WHERE | Kind.PATH | Kind.TOP | Kind.DEPTH:
            return sentences.placed(unit, chart)
        case Kind.ABOVE:
            return _above(unit, asked, types, chart)
        case Kind.AROUND:
            return f"{sentences.placed(unit, chart)} {sentences.children(unit, chart, limit)}"
        case Kind.UNDER | Kind.OF_TYPE:
            return _under(unit, asked, types, chart, limit)
        case Kind.HAS_UNITS:
            text = _under(unit, asked, types, chart, limit)
            if asked.of_lacking and not types and not text.startswith("No "):
                return text  # units of other kinds make no "yes"
            return f"{'No' if text.startswith('No ') else 'Yes'}: {_continued(text)}"
        case Kind.COUNT:
            told = [_count(unit, noun, asked, chart) for noun in types]
            return " ".join(told) or sentences.totals(unit, chart, direct=asked.direct, deep=asked.deep)
        case Kind.PEERS:
            return sentences.siblings(unit, chart, limit)
        case Kind.TYPE if unit.type:
            return sentence(f"{name} is {sentences.with_article(unit.type)}")
        case Kind.IS_TYPE if unit.type and types:
            return f"{'Yes' if _is_one_of(unit, types) else 'No'}, {name} is {sentences.with_article(unit.type)}."
        case Kind.ALIAS if unit.aliases:
            return sentence(f"{name} is also called {listing(unit.aliases)}")
        case Kind.PURPOSE:
            return sentences.described(unit, chart)
        case Kind.WHAT:
            return " ".join(filter(None, (sentences.kind(unit, chart), sentences.described(unit, chart))))
        case _:
            return ""


def _above(unit: Unit, asked: Asked, types: Sequence[str], chart: Chart) -> str:
    """The unit above: of the type asked for if there is one, the one directly above, or the whole way up."""
    above = nearest(unit, types, chart)
    if types and above:
        return sentence(f"{label(unit, chart)} is {sentences.chain(unit, chart, above)}")
    if types:
        return f"No {' or '.join(types)} is above {label(unit, chart)}. {sentences.placed(unit, chart)}"
    if asked.steps > chart.depth(unit.id) > 0:
        return f"No unit is {asked.steps} levels above {label(unit, chart)}. {sentences.placed(unit, chart)}"
    if 1 < asked.steps <= chart.depth(unit.id):
        above = chart.path(unit.id)[-1 - asked.steps]
        return sentence(f"{label(unit, chart)} is {sentences.chain(unit, chart, above)}")
    if asked.reports or asked.direct or asked.steps:
        return sentences.parent(unit, chart, "reports to" if asked.reports else "is directly under")
    return sentences.placed(unit, chart)


def _under(unit: Unit, asked: Asked, types: Sequence[str], chart: Chart, limit: int) -> str:
    """The units under one: of the types asked for at any depth, or those directly under it."""
    if types:
        return " ".join(of_type(noun, unit, chart, limit, direct=asked.direct) for noun in types)
    total = chart.total(unit.id)
    if not total and not asked.of_units:
        return ""  # "what does the committee consist of?" asks for its members
    if asked.deep and len(chart.children(unit.id)) < total <= limit:
        units = sentences.several(chart.descendants(unit.id), chart, limit)
        return sentence(f"In all, {total:,} units are under {label(unit, chart)}: {units}")
    return sentences.children(unit, chart, limit)


def _count(unit: Unit, noun: str, asked: Asked, chart: Chart) -> str:
    units = _units_of_type(noun, unit, chart, direct=asked.direct)
    direct = sum(one.parent == unit.id for one in units)
    text = sentences.of_type(units, noun, unit, chart, 0)
    if 0 < direct < len(units) and unit.parent is not None and not asked.deep:
        return f"{text[:-1]}, {direct:,} of them directly."
    return text


def _units_of_type(noun: str, above: Unit, chart: Chart, *, direct: bool) -> list[Unit]:
    found = kinds.of_type(noun, above.id, chart)
    return [unit for unit in found if unit.parent == above.id] if direct else found


def _is_under(unit: Unit, against: Sequence[Unit], asked: Asked, chart: Chart) -> str:
    """Yes or no, and why. Of several units asked about, the one that it is under."""
    name = label(unit, chart)
    true = [above for above in against if chart.is_under(unit.id, above.id)]
    if true and len(asked.against) > 1:
        false = [label(above, chart) for above in against if above not in true]
        unlike = f", not under {' or '.join(false)}" if false else ""
        return sentence(f"{name} is {sentences.chain(unit, chart, true[-1])}{unlike}")
    if true and unit.parent == true[0].id:
        return f"Yes, {name} is directly under {label(true[0], chart)}."
    if true:
        return f"{'Not directly' if asked.direct else 'Yes'}: {name} is {sentences.chain(unit, chart, true[0])}."
    if chart.is_under(against[0].id, unit.id):
        way = sentences.chain(against[0], chart, unit)
        return f"No, it is the other way round: {label(against[0], chart)} is {way}."
    others = " or ".join(label(above, chart) for above in against[:MOST_SHARING])
    return f"No, {name} is not under {others}. {sentences.placed(unit, chart)}"


def _together(asked: Asked, units: Sequence[Unit], types: Sequence[str], chart: Chart) -> str:
    """The answer about two or more units as against each other."""
    lower, upper = sorted(units[:2], key=lambda unit: -chart.depth(unit.id))
    in_line = chart.is_under(lower.id, upper.id)
    match asked.kind:
        case Kind.MORE:
            return _more(units, asked, types, chart)
        case Kind.RELATED if in_line:
            return sentence(f"{label(lower, chart)} is {sentences.chain(lower, chart, upper)}")
        case Kind.BETWEEN if in_line:
            between = chart.depth(lower.id) - chart.depth(upper.id) - 1
            there = f"there {'is' if between == 1 else 'are'} {sentences.counted(between, 'unit')}"
            way = f"{label(lower, chart)} is {sentences.chain(lower, chart, upper)}"
            return f"Between {label(lower, chart)} and {label(upper, chart)} {there}. {sentence(way)}"
        case Kind.BETWEEN:
            return ""
        case Kind.ARE_PEERS:
            siblings = len({unit.parent for unit in units}) == 1
            return f"{'Yes' if siblings else 'No'}: {_continued(_common(units, chart))}"
        case Kind.SAME:
            return _same(units, types, chart)
        case _:
            return _common(units, chart)


def _more(units: Sequence[Unit], asked: Asked, types: Sequence[str], chart: Chart) -> str:
    """Which has the most units under it, of the type asked for; or whether the first of two has more."""
    if len(types) > 1 or (asked.yes_or_no and len(units) > 2):
        return ""
    noun = sentences.plural(types[0]) if types else "units"
    sizes = {unit.id: size(unit, types, chart) for unit in units}
    ranked = sorted(units, key=lambda unit: -sizes[unit.id])
    highest = sizes[ranked[0].id]
    most = [unit for unit in ranked if sizes[unit.id] == highest]
    rest = listing([f"{label(unit, chart)} ({sizes[unit.id]:,})" for unit in ranked[len(most) :]] or [""])
    if not rest:
        text = sentence(f"{_names(units, chart)} each have {highest:,} {noun} under them")
    elif len(units) == 2:
        text = sentence(f"{_names(most, chart)} has more {noun} under it ({highest:,}) than {rest}")
    elif len(most) == 1:
        text = sentence(f"{_names(most, chart)} has the most {noun} under it ({highest:,}), before {rest}")
    else:
        text = sentence(f"{_names(most, chart)} have the most {noun} under them ({highest:,} each), before {rest}")
    if not asked.yes_or_no:
        return text
    return f"{'Yes' if ranked[0] is units[0] and rest else 'No'}: {_continued(text)}"


def size(unit: Unit, types: Sequence[str], chart: Chart) -> int:
    """How many units are under one, at any depth; of the first of the types, if there are any."""
    return len(kinds.of_type(types[0], unit.id, chart)) if types else chart.total(unit.id)


def _same(units: Sequence[Unit], types: Sequence[str], chart: Chart) -> str:
    """Whether units are directly under the same one, or, with types, under the same one of those types."""
    found = {nearest(unit, types, chart) for unit in units}
    above = next(iter(found))
    if len(found) == 1 and above is not None:
        number = "both" if len(units) == 2 else "all"
        directly = "" if types else " directly"
        return f"Yes: {_names(units, chart)} are {number}{directly} under {label(above, chart)}."
    parents = [sentences.parent(unit, chart, "is directly under") for unit in units]
    return " ".join(("No.", *parents, _common(units, chart)))


def nearest(unit: Unit, types: Sequence[str], chart: Chart) -> Unit | None:
    """The unit directly above, or the nearest above of the types; None where there is none."""
    path = reversed(chart.path(unit.id)[:-1])
    return next((above for above in path if not types or _is_one_of(above, types)), None)


def _is_one_of(unit: Unit, types: Sequence[str]) -> bool:
    return any(kinds.is_of_type(unit, noun) for noun in types)


def _common(units: Sequence[Unit], chart: Chart) -> str:
    """The closest unit above all of the units."""
    above = label(chart.common(*(unit.id for unit in units)), chart)
    number = "both" if len(units) == 2 else "all"
    if len({unit.parent for unit in units}) == 1:
        return sentence(f"{_names(units, chart)} are {number} directly under {above}")
    both = "both " if len(units) == 2 else ""
    return sentence(f"the closest unit above {both}{_names(units, chart)} is {above}")


def _names(units: Sequence[Unit], chart: Chart) -> str:
    return listing([label(unit, chart) for unit in units])


def _continued(text: str) -> str:
    """A sentence after a colon."""
    return text[0].lower() + text[1:] if text.startswith(("The ", "There ", "No ", "Directly ", "In ")) else text
