"""What a right answer to a question about the chart must hold, as data: a yes or no, a number, units.

Subjects (subjects.py) -> Facts.  The same facts as the sentences of replies.py, for one who compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from org.answering import kinds
from org.answering.patterns import Asked, Kind
from org.answering.replies import MANY, MOST_SHARING, nearest, size
from org.answering.subjects import Subject
from org.chart import Chart, Unit

_TOGETHER = frozenset((Kind.COMMON, Kind.ARE_PEERS, Kind.SAME, Kind.MORE))


@dataclass(frozen=True, slots=True)
class Fact:
    """What an answer about the units `about` (ids) must hold: the `verdict`, if there is one, one of the `numbers`,
    one of `one_of`, all of `all_of`; `exactly` when no other unit belongs beside the last."""

    about: tuple[str, ...]
    verdict: bool | None = None
    numbers: frozenset[int] = frozenset()
    one_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    exactly: bool = False


def expected(subjects: Sequence[Subject], chart: Chart) -> tuple[tuple[Fact, ...], ...]:
    """For each thing asked of each name its facts: one for each unit that the name may mean, of which one must hold."""
    return tuple(facts for subject in subjects for facts in _facts(subject, chart) if facts)


def _facts(subject: Subject, chart: Chart) -> list[tuple[Fact, ...]]:
    asked = subject.asked
    if asked.kind in _TOGETHER:
        choices = [list(dict.fromkeys(choice)) for choice in islice(product(*subject.groups), MOST_SHARING)]
        found = (_together(asked, units, subject.types, chart) for units in choices if len(units) > 1)
        return [tuple(fact for fact in found if fact)]
    if asked.kind is Kind.IS_UNDER:
        above = [unit for group in subject.against for unit in group]
        if len(subject.against) > 1:
            return []
        return [tuple(_is_under(unit, above, asked, chart) for unit in group) for group in subject.groups]
    groups = subject.groups or ((chart.root,),)
    every = [[_about(unit, subject, chart) for unit in group] for group in groups]
    return [tuple(fact for fact in facts if fact) for facts in every]


def _is_under(unit: Unit, above: Sequence[Unit], asked: Asked, chart: Chart) -> Fact:
    true = any(unit.parent == one.id if asked.direct else chart.is_under(unit.id, one.id) for one in above)
    return Fact((unit.id, *(one.id for one in above)), verdict=true)


def _together(asked: Asked, units: Sequence[Unit], types: Sequence[str], chart: Chart) -> Fact | None:
    about = tuple(unit.id for unit in units)
    match asked.kind:
        case Kind.ARE_PEERS:
            return Fact(about, verdict=len({unit.parent for unit in units}) == 1)
        case Kind.SAME:
            above = {nearest(unit, types, chart) for unit in units}
            return Fact(about, verdict=len(above) == 1 and None not in above)
        case Kind.COMMON:
            return Fact(about, one_of=(chart.common(*about).id,))
        case Kind.MORE:
            # Of "which has more" it is true, or false of equals, that the first of these has more than the others.
            ranked = units if asked.yes_or_no else sorted(units, key=lambda unit: -size(unit, types, chart))
            first, *others = (size(unit, types, chart) for unit in ranked)
            return Fact(tuple(unit.id for unit in ranked), verdict=first > max(others))
    return None


def _about(unit: Unit, subject: Subject, chart: Chart) -> Fact | None:
    asked, types = subject.asked, subject.types
    about = (unit.id,)
    above = tuple(one.id for one in reversed(chart.path(unit.id)[:-1]))
    match asked.kind:
        case Kind.WHERE | Kind.ABOVE if asked.yes_or_no:
            return None
        # The unit right above: one further up is true as well, and too little.
        case Kind.WHERE if above:
            return Fact(about, one_of=above[:1])
        case Kind.PATH if above:
            return Fact(about, all_of=above)
        case Kind.ABOVE if above and types:
            near = [one for one in above if any(kinds.is_of_type(chart.unit(one), noun) for noun in types)]
            return Fact(about, one_of=tuple(near[:1] or above[:1]))
        case Kind.ABOVE if above and asked.steps <= len(above):
            step = max(asked.steps, 1)
            return Fact(about, one_of=above[step - 1 : step])
        case Kind.COUNT:
            return Fact(about, numbers=_numbers(unit, asked, types, chart))
        case Kind.HAS_UNITS if types or not asked.of_lacking:
            return Fact(about, verdict=bool(_units(unit, asked, types, chart)))
        case Kind.IS_TYPE if unit.type and types:
            return Fact(about, verdict=any(kinds.is_of_type(unit, noun) for noun in types))
        case Kind.UNDER | Kind.OF_TYPE:
            return Fact(about, all_of=_ids(_units(unit, asked, types, chart)), exactly=True)
        case Kind.PEERS:
            return Fact(about, all_of=_ids(chart.siblings(unit.id)), exactly=True)
    return None


def _units(unit: Unit, asked: Asked, types: Sequence[str], chart: Chart) -> Sequence[Unit]:
    if not types:
        # As replies.py lists them.
        return chart.descendants(unit.id) if asked.deep and chart.total(unit.id) <= MANY else chart.children(unit.id)
    found = [one for noun in types for one in kinds.of_type(noun, unit.id, chart)]
    return [one for one in found if one.parent == unit.id] if asked.direct else found


def _numbers(unit: Unit, asked: Asked, types: Sequence[str], chart: Chart) -> frozenset[int]:
    if types:
        found = [one for noun in types for one in kinds.of_type(noun, unit.id, chart)]
        direct, total = sum(one.parent == unit.id for one in found), len(found)
    else:
        direct, total = len(chart.children(unit.id)), chart.total(unit.id)
    whole = {total + 1} if unit.parent is None and not types else set()  # the root may count itself
    return frozenset({direct} if asked.direct else {total} | whole if asked.deep else {direct, total} | whole)


def _ids(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(unit.id for unit in units)
