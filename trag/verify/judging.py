"""Claims against the chart: each one that it contradicts, and what it says instead.

Claims, Chart -> Faults.  A shared name is given the benefit of the doubt: any of its units may make a claim true.
Knows nothing about how an answer was worded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from org.answering import kinds
from org.answering.sentences import is_post
from org.chart import Chart
from trag.record import Misplaced
from trag.verify.claims import Beside, Claim, Count, Line, Under


@dataclass(frozen=True, slots=True)
class Fault:
    """What the chart says against an answer, about the unit with the id `unit`; "" when it knows no such unit."""

    unit: str
    text: str
    misplaced: Misplaced | None = None


def faults(claimed: Iterable[Claim], chart: Chart) -> tuple[Fault, ...]:
    """The claims that the chart contradicts, each once."""
    return tuple(dict.fromkeys(fault for claim in claimed for fault in _faults(claim, chart)))


def holds(claim: Claim, chart: Chart) -> bool:
    """Whether the chart bears a claim out."""
    return not any(_faults(claim, chart))


def _faults(claim: Claim, chart: Chart) -> Iterator[Fault]:
    match claim:
        case Under():
            yield from _under(claim, chart)
        case Beside():
            yield from _beside(claim, chart)
        case Count():
            yield from _count(claim, chart)
        case Line():
            yield from _line(claim, chart)


def _under(claim: Under, chart: Chart) -> Iterator[Fault]:
    units = tuple(unit for unit in claim.unit if unit not in claim.holder)  # "it" may be either of two
    pairs = tuple(product(units, claim.holder))
    if not pairs:
        return
    true = [chart.unit(unit).parent == top if claim.directly else chart.is_under(unit, top) for unit, top in pairs]
    if claim.led and any(chart.is_under(top, unit) and not is_post(chart.unit(unit).type) for unit, top in pairs):
        return  # its own head; a post has none
    if claim.denied and all(true):
        yield Fault(pairs[0][0], f"{_name(pairs[0][0], chart)} is under {_name(pairs[0][1], chart)}")
    elif not claim.denied and not any(true):
        yield misplaced(units[0], claim.holder[0], chart)


def misplaced(unit_id: str, holder: str, chart: Chart) -> Fault:
    """The fault of putting a unit under another."""
    unit = chart.unit(unit_id)
    actual = chart.unit(unit.parent).name if unit.parent else ""
    wrong = Misplaced(unit.name, chart.unit(holder).name, actual)
    where = f"{wrong.unit} is under {actual}, not under {wrong.claimed}"
    if actual == wrong.claimed:
        where = f"{wrong.unit} is not under that {wrong.claimed}"
    elif actual and chart.is_under(unit_id, holder):
        where = f"{wrong.unit} is directly under {actual}, not directly under {wrong.claimed}"
    return Fault(unit_id, where if actual else f"nothing is above {wrong.unit}", wrong)


def _beside(claim: Beside, chart: Chart) -> Iterator[Fault]:
    pairs = tuple(product(claim.unit, claim.other))
    if pairs and not any(one == other or chart.unit(one).parent == chart.unit(other).parent for one, other in pairs):
        unit, other = pairs[0]
        parent = chart.unit(unit).parent
        where = f"under {_name(parent, chart)}" if parent else "at the top"
        yield Fault(unit, f"{_name(unit, chart)} is {where} and not beside {_name(other, chart)}")


def _count(claim: Count, chart: Chart) -> Iterator[Fault]:
    right = [number for unit in claim.holder for number in numbers(unit, claim.noun, claim.scope, chart)]
    if claim.holder and claim.number not in right:
        unit = claim.holder[0]
        direct, total = len(chart.children(unit)), chart.total(unit)
        text = f"{direct:,} units are directly under {_name(unit, chart)}, {total:,} in all"
        if claim.noun and kinds.of_type(claim.noun, unit, chart):
            text += f", {len(kinds.of_type(claim.noun, unit, chart)):,} of them of the type {claim.noun}"
        yield Fault(unit, text)


def numbers(unit: str, noun: str, scope: str, chart: Chart) -> Iterator[int]:
    """The numbers that are right for the units under one. A word for a type may stand for units of any type."""
    if noun:
        found = kinds.of_type(noun, unit, chart)
        if scope != "directly":
            yield len(found)
        if scope != "in all":
            yield sum(one.parent == unit for one in found)
    if not noun or noun.lower() in ("unit", "team", "office", "department", "division"):
        if scope != "in all":
            yield len(chart.children(unit))
        if scope != "directly":
            yield chart.total(unit)


def _line(claim: Line, chart: Chart) -> Iterator[Fault]:
    """A path may be written from either end; the end that fits better counts."""
    ways = []
    for units in (claim.units, claim.units[::-1]):
        steps = (fault for lower, upper in pairwise(units) for fault in _under(Under(lower, upper), chart))
        ways.append(tuple(steps))
    yield from min(ways, key=len)


def _name(unit: str, chart: Chart) -> str:
    return chart.unit(unit).name
