"""An answer against what its question asks of the chart: the yes or no, the number, the units, none left out or added.

Facts (org/answering/facts.py), answer -> what is wrong.  Knows nothing about documents.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from org.answering.facts import Fact
from org.answering.particulars import Particular
from org.chart import Chart
from org.entities import Mention
from trag.verify import judging
from trag.verify.claims import Claim, Under
from trag.verify.reading import Reading

_YES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|correct|right|indeed|true|affirmative|absolutely|certainly|of course|exactly|definitely"
    r"|sure|(?:that|this|it)(?:['’]s| is) (?:indeed )?(?:right|correct|true|the case)"
    r"|(?:it|they) (?:is|are|does|do)\b(?! not\b))\b",
    re.I,
)
_NO = re.compile(
    r"\W*(?:no|nope|not|incorrect|false|wrong|negative|i['’]?a?m afraid not|unfortunately not|actually,? no"
    r"|(?:that|this|it|they)(?:['’]s| is| are| does| do)(?:n['’]t| not)\b"
    r"|(?:that|this|it)(?:['’]s| is) (?:false|wrong|incorrect))\b",
    re.I,
)
_ENDS = re.compile(r"\bso,? (yes|no)\W*$", re.I)
_SOME = re.compile(r"\b(?:some|examples?|(?:a|any)\s+(?:few|couple|two|three))\b", re.I)
_AND_MORE = re.compile(
    r"\b(?:and|plus) (?:[\w,]+ )?(?:more|others)\b|\betc\b|\band so on\b|\bamong others\b|\bsuch as\b|\bfor example\b",
    re.I,
)
_NONE = re.compile(r"\b(?:no|none|zero|nothing|not any|without|n['’]t)\b|\bnot\b", re.I)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as it was read."""

    text: str
    mentions: Sequence[Mention]
    reading: Reading
    claims: Sequence[Claim]


def agrees(question: str, answered: Answered, facts: Sequence[Fact], chart: Chart) -> bool:
    """Whether the answer holds what one of the facts asks for."""
    return any(_agrees(question, answered, fact, facts, chart) for fact in facts)


def tells(answer: str, cells: Sequence[Particular]) -> bool:
    """Whether the answer holds what the chart has in the cells that were asked for, or a telling part of one."""
    words = set(re.findall(r"[^\s,;()]+", answer.casefold().replace("'s", "")))
    stripped = {word.strip(".!?:\"'“”*") for word in words}
    parts = [[part for part in cell.cell.casefold().split() if len(part) > 2 or part.isdigit()] for cell in cells]
    return not cells or any(not part or stripped.intersection(part) for part in parts)


def _agrees(question: str, answered: Answered, fact: Fact, facts: Sequence[Fact], chart: Chart) -> bool:
    if fact.verdict is not None:
        return _verdict(answered, fact) in (fact.verdict, None)
    if fact.numbers:
        return _has_number(answered, fact)
    if fact.one_of:
        return _is_placed(answered, fact, facts, chart)
    return _is_listed(question, answered, fact, chart)


def _verdict(answered: Answered, fact: Fact) -> bool | None:
    """The answer's own yes or no; None when it says neither and claims nothing to the point."""
    if ends := _ENDS.search(answered.text):
        return ends[1].lower() == "yes"
    if _NO.match(answered.text):
        return False
    if _YES.match(answered.text):
        return True
    lower, upper = {fact.about[0]}, set(fact.about[1:])
    for claim in answered.claims:
        if isinstance(claim, Under) and lower & set(claim.unit) and upper & set(claim.holder):
            return not claim.denied
    if "n" in answered.reading.signs:
        return False
    placed = [claim for claim in answered.claims if isinstance(claim, Under) and lower & set(claim.unit)]
    if placed or fact.verdict is None:
        return None  # "it is under B" to "is it under C": judged as a claim
    return not fact.verdict


def _has_number(answered: Answered, fact: Fact) -> bool:
    signs, values = answered.reading.signs, answered.reading.values
    given = {value for sign, value in zip(signs, values, strict=True) if sign == "#"}
    if re.search(r"\bone\b|\bonly\b", answered.text, re.I):
        given.add(1)
    if _NONE.search(answered.text):
        given.add(0)
    if not given:
        given.add(len({one.units for one in answered.mentions if not set(one.units) & set(fact.about)}))
    return bool(given & fact.numbers)


def _is_placed(answered: Answered, fact: Fact, facts: Sequence[Fact], chart: Chart) -> bool:
    """Whether a right unit is named, and none that is neither near the one asked about nor explained."""
    about = {unit for one in facts for unit in one.about}
    known = about | _explained(answered, fact, chart)
    named = [mention.units for mention in answered.mentions if not set(mention.units) & known]
    near = {unit.id for one in about for unit in (*chart.path(one), *chart.siblings(one))}

    def is_near(units: Sequence[str]) -> bool:
        return any(unit in near or any(chart.is_under(unit, one) for one in about) for unit in units)

    return any(set(units) & set(fact.one_of) for units in named) and all(is_near(units) for units in named)


def _is_listed(question: str, answered: Answered, fact: Fact, chart: Chart) -> bool:
    """Whether the units of the list are named, and no others."""
    if not fact.all_of:
        return bool(_NONE.search(answered.text)) or not _beyond(answered, fact, chart)
    told = {unit for mention in answered.mentions for unit in mention.units}
    extra = _beyond(answered, fact, chart)
    if _SOME.search(question):
        return not extra and len(told & set(fact.all_of)) >= min(2, len(fact.all_of))
    if _AND_MORE.search(answered.text) and len(fact.all_of) > 12:
        return not extra
    return not extra and set(fact.all_of) <= told


def _explained(answered: Answered, fact: Fact, chart: Chart) -> set[str]:
    """Units of which the answer says something true that is not an answer: "B is under C", "not under D"."""
    return {
        unit
        for claim in answered.claims
        if isinstance(claim, Under) and (claim.denied or not set(claim.holder) & set(fact.about))
        for unit in (claim.holder if claim.denied else claim.unit)
        if unit not in fact.one_of and judging.holds(claim, chart)
    }


def _beyond(answered: Answered, fact: Fact, chart: Chart) -> Collection[tuple[str, ...]]:
    """The units named that neither belong to the list nor are explained by what the answer says of them."""
    explained = _explained(answered, fact, chart)
    placed = (*fact.about, *fact.all_of)

    def belongs(unit: str) -> bool:
        in_line = (unit == one or chart.is_under(one, unit) or chart.is_under(unit, one) for one in placed)
        return unit in explained or any(in_line)

    return [mention.units for mention in answered.mentions if not any(belongs(unit) for unit in mention.units)]
