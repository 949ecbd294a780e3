"""Lists of units as sets: those of the gold that an answer names, and those that it names besides.

Reading -> Listed.  Knows nothing about how units are found in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from org.entities import Mention
from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading
from trag.evaluate.scoring.units import Named
from trag.evaluate.scoring.wording import Place

_ENUMERATES = re.compile(
    r"\s*(?:,|,? and|,? or|,? as well as)\s+(?:(?:the|on|in|at|to|from|of)\s+){0,2}", re.IGNORECASE
)
_TELLS = re.compile(r"\b(?:is|are|has|have|includes?|contains?|belongs?|reports?|sits?|also)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listed:
    """How an answer's list compares with the gold: `precision` and `recall` in [0, 1], None where none was asked for
    or, of precision, where there is no chart to know other units by."""

    findings: Findings
    precision: float | None = None
    recall: float | None = None


def compare(reading: Reading) -> Listed:
    """The list of an answer against the whole set of the gold, or against the groups to name some of."""
    case, named = reading.case, reading.named
    if not case.units and not case.some:
        return Listed(Findings())
    right = {name: reading.places(name) for name in case.listed}
    if named:
        told = named.told()
        right = {
            name: found
            for name, found in right.items()
            if not reading.units_of[name] or told & {*reading.units_of[name]}
        }
    held = [name for name, found in right.items() if found]
    missing = [f'lacks "{name}"' for name in case.units if name not in held]
    for some in case.some:
        number = sum(name in held for name in some.units)
        if number < some.at_least:
            missing.append(f"names {number} of the {some.at_least} or more asked for: {', '.join(some.units)}")
    missing += _under_another(reading, named) if named else ()
    strangers, besides = _others(reading, named) if named else ((), ())
    findings = Findings(
        wrong=(*missing, *(f'names "{stranger}", which does not belong' for stranger in strangers)),
        besides=tuple(f'names "{one}" besides' for one in besides),
        places=tuple(place for name in held for place in right[name]),
    )
    whole = len(case.units) + sum(some.at_least for some in case.some)
    counted = sum(name in held for name in case.units)
    counted += sum(min(some.at_least, sum(name in held for name in some.units)) for some in case.some)
    precision = len(held) / (len(held) + len(strangers)) if held or strangers else None
    return Listed(findings, precision if named else None, counted / whole)


def _under_another(reading: Reading, named: Named) -> Iterator[str]:
    """The units that stand behind a heading, the name of a unit of the question, that they are not under: misalignment
    (T-RAG, table 5)."""
    holder: tuple[str, ...] = ()
    for mention in named.standing if len(reading.case.some) > 1 else ():
        if named.asked & {*mention.units}:
            holder = mention.units
        elif reading.gold() & {*mention.units} and holder:
            if not any(named.chart.is_under(unit, above) for unit in mention.units for above in holder):
                yield f'names "{mention.text}" under "{named.name(holder[0])}"'
        elif not holder:
            return  # the units come first, and what they are under behind them


def placed(reading: Reading, right: Sequence[Place]) -> Findings:
    """The units that an answer names beside those asked for, where no list was: near ones are besides the question, and
    strangers are wrong, also where nothing is there to be named, as is an answer that speaks of others in place of the
    units of the question.

    `right` is where the answer holds its gold. What a document tells of other units is no matter, unless the answer
    counts them among those of the gold.
    """
    case, named = reading.case, reading.named
    gold = reading.gold()
    if named is None or case.units or case.some:
        return Findings()
    if case.document:
        among = (one.text for one in named.beyond(gold) if gold and _is_among(one, right, reading))
        return Findings(wrong=tuple(f'names "{text}" among them' for text in among))
    wrong: list[str] = []
    besides: list[str] = []
    elsewhere = bool(named.asked) and not named.asked & named.told()
    for mention in named.beyond(gold):
        is_of_question = any(_in_line(unit, one, named) for unit in mention.units for one in named.asked)
        is_near = is_of_question or bool(named.explained & {*mention.units}) or _is_near(mention.units, gold, named)
        here = Place(mention.start, mention.end)
        if elsewhere and not is_of_question and all(reading.together(here, place) for place in right):
            wrong.append(f'speaks of "{mention.text}" instead')
        elif (gold or case.count == 0) and not is_near:
            wrong.append(f'names "{mention.text}", which does not belong')
        elif not any(named.chart.is_under(one, unit) for unit in mention.units for one in gold):
            besides.append(f'names "{mention.text}" besides')
    return Findings(wrong=tuple(wrong), besides=tuple(besides))


def _is_among(mention: Mention, right: Sequence[Place], reading: Reading) -> bool:
    """Whether a unit stands in one enumeration with what is right: "A, B and this"."""
    here = Place(mention.start, mention.end)
    pairs = (sorted((here, place), key=lambda one: one.start) for place in right if not here.overlaps(place))
    return any(_ENUMERATES.fullmatch(reading.text, first.end, second.start) for first, second in pairs)


def _others(reading: Reading, named: Named) -> tuple[Sequence[str], Sequence[str]]:
    """The names that do not belong to the list, and those that are there to explain one that does."""
    strangers: list[str] = []
    besides: list[str] = []
    for mention in named.beyond(reading.gold()):
        explains = (
            named.explained & {*mention.units}
            or _follows_its_own(mention, reading, named)
            or _is_told_apart(mention, reading, named)
        )
        (besides if explains else strangers).append(mention.text)
    return [*strangers, *named.unknown], besides


def _follows_its_own(mention: Mention, reading: Reading, named: Named) -> bool:
    """Whether a unit stands in brackets or behind a colon after a unit of the list that it is under."""
    before = [one for one in named.mentions if one.end <= mention.start and reading.gold() & {*one.units}]
    if not before:
        return False
    between = reading.text[before[-1].end : mention.start]
    opened = any(sign in between for sign in ("(", ": ")) or " with " in between or "includ" in between
    return (
        opened
        and "\n" not in between
        and any(named.chart.is_under(unit, above) for unit in mention.units for above in before[-1].units)
    )


def _is_told_apart(mention: Mention, reading: Reading, named: Named) -> bool:
    """Whether a unit under one of the question stands in a sentence of its own: "The office also has a desk"."""
    below = any(named.chart.is_under(unit, above) for unit in mention.units for above in named.asked)
    here = Place(mention.start, mention.end)
    beside = any(
        reading.together(here, Place(one.start, one.end)) for one in named.mentions if reading.gold() & {*one.units}
    )
    told = next(reading.text[one.start : one.end] for one in reading.sentences if one.overlaps(here))
    return below and not beside and bool(_TELLS.search(told))


def _is_near(units: Iterable[str], of: Iterable[str], named: Named) -> bool:
    """Whether one of the units is in one line with one of the others, or right beside it."""
    chart = named.chart
    return any(
        _in_line(unit, one, named) or chart.unit(unit).parent == chart.unit(one).parent for unit in units for one in of
    )


def _in_line(unit: str, other: str, named: Named) -> bool:
    return unit == other or named.chart.is_under(unit, other) or named.chart.is_under(other, unit)
