"""The number that an answer gives to a question of how many: in figures or words, of the right thing.

Reading, question -> Findings.  Knows nothing about lists of gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trag.asking import Organization
from trag.evaluate.scoring.amounts import item_numbers
from trag.evaluate.scoring.asserting import denied
from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading
from trag.evaluate.scoring.wording import Place, Word

_GENERAL = frozenset("unit body entity thing item part element subunit organ node".split())
_ENDS = frozenset("under below beneath in within at it that which".split())
_AMOUNTS = frozenset("% year month week day hour minute level".split())
_REACH = 5  # words between a number and what it counts
_DIRECTLY = re.compile(r"\b(?:direct(?:ly)?|straight|immediate(?:ly)?|first level)\b", re.I)
_IN_ALL = re.compile(
    r"\b(?:in all|in total|total|altogether|overall|(?:every|all|any) (?:the )?levels?|indirectly|anywhere|whole"
    r"|entire)\b",
    re.I,
)
_BOTH_WAYS = re.compile(r"\bdirect(?:ly)?,? (?:and|or|and/or) indirect(?:ly)?\b", re.I)
_VAGUE = re.compile(
    r"\b(about|around|roughly|nearly|almost|approximately|at least|at most|(?:more|less|fewer) than|up to|some)\W*$"
    r"|(?:^|\b(?:is|are|was|were|be|been|has|have|had|having|well|just|with)\b|'(?:s|re)\b)\W*(over)\W*$",
    re.I,
)
_PART_OF = re.compile(r"^\W*of (?:which|these|them|those|whom)\b", re.I)
_OF_WHICH = re.compile(r"\b(?:of which|of these|of them|including|among (?:them|these)|with)\W*$", re.I)
_NONE = re.compile(r"\b(?:no|none|nobody|zero|nothing)\b|(?:\bnot|n't) (?:\w+ )?(?:any|have)\b", re.I)
_CLAUSE = re.compile(r"[.;:!?\n]\s|,\s+(?=and|but|of|while|with|or)|\bbut\b|\bwhile\b|\band\b|[()]")


def count(reading: Reading, organization: Organization) -> Findings:
    """Whether the answer gives the count of the case, and no other for the same."""
    wanted = reading.case.count
    if wanted is None:
        return Findings()
    given = dict(_given(reading, organization))
    if {*given.values()} == {str(wanted)}:
        return Findings(places=tuple(given))
    if given:
        shown = ", ".join(sorted(given.values()))
        return Findings(wrong=(f"gives {shown} for {wanted}",))
    if wanted == 0 and (none := _NONE.search(reading.text)):
        return Findings(places=(Place(*none.span()),))
    listed = reading.named.beyond(()) if reading.named else ()
    items = item_numbers(reading.text)
    has_number = any(word.is_number and word.start not in items for word in reading.words)
    if listed and len(listed) == wanted and not has_number:
        return Findings(places=tuple(Place(one.start, one.end) for one in listed))
    return Findings(wrong=(f"lacks the number {wanted}",))


def _given(reading: Reading, organization: Organization) -> Iterator[tuple[Place, str]]:
    """The numbers that answer the question, where they stand; "about 12" for one that is not told exactly."""
    text, finder = reading.text, organization.finder
    types = {one.type for one in finder.find_types(reading.case.question)} if finder else set()
    nouns = {one.start: one.type for one in finder.find_types(text)} if finder else {}
    names = [Place(one.start, one.end) for one in (reading.named.mentions if reading.named else ())]
    scope, items = _scope(reading.case.question), item_numbers(text)
    is_first = True
    for place, word in enumerate(reading.words):
        here = Place(word.start, word.end)
        if not word.is_number or any(here.overlaps(name) for name in names) or word.start in items:
            continue
        clause = _clause(here, text)
        before, after = text[clause.start : here.start], text[here.end : clause.end]
        following = reading.words[place + 1 : place + 1 + _REACH]
        noun = _noun(following, nouns)
        is_part = not is_first and (_OF_WHICH.search(before) or _PART_OF.match(after))
        # Where there is none of a type, "2 units" are others: "No desk is under it. 2 units are: the teams A and B."
        general = () if types and reading.case.count == 0 else _GENERAL
        is_other = bool(noun) and noun not in types and noun not in general
        is_amount = bool(following) and following[0].key in _AMOUNTS
        is_elsewhere = {scope, _scope(before + after)} == {"directly", "in all"} or _is_of_another(clause, reading)
        is_first = False
        if not (is_part or is_other or is_amount or is_elsewhere or denied(here, text, is_number=True)):
            vague = _VAGUE.search(before)
            yield here, f"{vague[vague.lastindex or 0].lower()} {word.key}" if vague else word.key


def _noun(following: Sequence[Word], types: Mapping[int, str]) -> str:
    """What a number counts: a type of the chart, or a word for any unit; "" where neither follows."""
    for word in following:
        if word.is_number or word.key in _ENDS:
            return ""
        if word.start in types:
            return types[word.start]
        if word.key in _GENERAL:
            return word.key
    return ""


def _scope(text: str) -> str:
    """Whether a text speaks of the units right below, or of all levels; "" for neither or both."""
    text = _BOTH_WAYS.sub("in all", text)
    directly, in_all = bool(_DIRECTLY.search(text)), bool(_IN_ALL.search(text))
    return "" if directly == in_all else "directly" if directly else "in all"


def _clause(place: Place, text: str) -> Place:
    """The clause around a place."""
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, place.start)), default=0)
    following = _CLAUSE.search(text, place.end)
    return Place(start, following.start() if following else len(text))


def _is_of_another(clause: Place, reading: Reading) -> bool:
    """Whether a clause speaks of a unit that the question does not ask about: "and the board has 7"."""
    named = reading.named
    if named is None:
        return False
    inside = [one for one in named.standing if clause.start <= one.start and one.end <= clause.end]
    return bool(inside) and not any(named.about & {*one.units} for one in inside)
