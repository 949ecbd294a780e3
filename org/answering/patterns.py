"""What one question asks, by its signs (signs.py): a table of patterns, of which the first that fits all signs counts.

"who @0 reports" -> Asked(ABOVE, of mention 0).  Knows nothing about several questions in one text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from org.answering import signs


class Kind(Enum):
    """What is asked about the units that a question names."""

    RELATED = auto()  # how two units stand to each other
    MORE = auto()  # which of two has more units under it
    ARE_PEERS = auto()  # whether two are directly under the same unit
    SAME = auto()  # whether two are under the same unit
    COMMON = auto()  # the unit above both
    BETWEEN = auto()  # the units between one and another above it
    IS_UNDER = auto()
    IS_TYPE = auto()
    HAS_UNITS = auto()
    COUNT = auto()
    PEERS = auto()
    PATH = auto()
    DEPTH = auto()
    TYPE = auto()
    ALIAS = auto()
    ABOVE = auto()
    AROUND = auto()  # above and below
    UNDER = auto()
    OF_TYPE = auto()
    TOP = auto()
    WHERE = auto()
    PURPOSE = auto()
    WHAT = auto()


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing asked. `of` and `against` are places among the mentions, `types` among the types.

    `direct` asks for the next level alone, `deep` for all levels; `of_units` tells that it speaks of units and not only
    of what something consists of, `of_lacking` that it speaks of a kind of unit that the chart lacks; `steps` is how
    often it says "parent", `reports` whether it says "report", `yes_or_no` whether it asks for one of the two.
    """

    kind: Kind
    of: tuple[int, ...]
    against: tuple[int, ...]
    types: tuple[int, ...]
    direct: bool
    deep: bool
    of_units: bool
    of_lacking: bool
    steps: int
    reports: bool
    yes_or_no: bool = False


_U = r"@\d+(?: @\d+)*"  # units by name
_C = r"(?:#\d+|unit)"  # a category
_CS = rf"(?:{_C} )*"
_W = r"(?:who|which|where|how)"
_BELOW = r"(?:below|reports|in)"
_RANK = r"(?:more|most|fewer)"
_TWO = r"(?=.*@.*@)"
_NO_UNIT = r"(?!.*@)"
_PLAIN = r"(?!.*\b(?:who|which|where|count|list|same|parent|more|type|level|peer|except)\b|.*\babove @\d+(?! above)).*"
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (Kind.RELATED, rf"{_TWO}.*\b(?:related|path)\b.*"),  # how is A related to B; the path from A to B
    (Kind.RELATED, rf"yes {_U} (?:above below|below above) {_U}"),  # is A above or below B
    (Kind.MORE, rf"{_TWO}(?!yes @\d+ {_RANK} {_C}).*\b{_RANK}\b.*"),  # which has more units, A or B
    (Kind.ARE_PEERS, rf"{_TWO}yes .*\bpeer\b.*"),  # are A and B siblings
    (Kind.ARE_PEERS, r"yes parent @\d+ above @\d+"),  # is the unit above A also above B
    (Kind.SAME, rf"{_TWO}yes .*\bsame\b.*"),  # do A and B report to the same unit
    (Kind.COMMON, rf"{_TWO}(?!yes @).*\b(?:same|both)\b.*"),  # what do A and B have in common
    (Kind.BETWEEN, rf"{_TWO}.*\b(?:between|level)\b.*"),  # what is between A and B
    (Kind.PATH, rf"(?:{_W} |list )?level above {_U}"),  # what levels are above A
    (
        Kind.DEPTH,
        rf"(?=.*@)(?:in )?(?:{_W} |list |count )?level (?:above )?{_U}(?: (?:in|top|where))*",
    ),  # at what level is A
    (
        Kind.IS_UNDER,
        rf"yes (?P<a>{_U}) (?:both |(?:both )?{_CS}{_BELOW} )(?P<b>{_U})",
    ),  # is A part of B; A is in B, right?
    (Kind.IS_UNDER, rf"which in (?P<a>@\d+(?: @\d+)+) (?:below|reports) (?P<b>{_U})"),  # which of A and B is under C
    (Kind.IS_UNDER, rf"(?P<a>{_U}) (?:below|reports) (?P<b>{_U})"),  # A reports to B?
    (Kind.IS_UNDER, rf"yes (?P<b>{_U}) {_CS}(?:above|parent|runs)(?: in)?(?: both)? (?P<a>{_U})"),  # does B include A
    (Kind.IS_TYPE, rf"yes {_U} {_C}(?: {_C})*"),  # is A a committee
    (Kind.HAS_UNITS, rf"yes {_U} (?:above )?(?:children|(?:above )?{_C})(?: {_C})*(?: {_BELOW})?"),  # has A any teams
    (Kind.HAS_UNITS, rf"yes {_CS}(?:{_C}|children) {_BELOW} {_U}"),  # are there any teams in A
    (Kind.COUNT, rf"(?:which )?count (?=.*@)(?=.*(?:{_C}|children|below|reports)){_PLAIN}"),  # how many teams are in A
    (Kind.COUNT, rf"(?:which )?count (?:above )?(?:{_C} ?)+(?:above)?"),  # how many teams are there
    (Kind.UNDER, rf"(?:{_W} |list ){_CS}{_BELOW} (?P<a>{_U}) (?:peer|except) {_U}"),  # what is in A besides B
    (Kind.PEERS, r"(?!yes)(?=.*@).*\b(?:peer|same|except\b.*\bparent|parent\b.*\bexcept)\b.*"),  # which are next to A
    (Kind.PEERS, rf"(?:{_W} |list )?{_CS}{_BELOW} parent {_U}"),  # who reports to the parent of A
    (Kind.UNDER, rf"(?:{_W} |list )?(?:hierarchy|structure|path) below {_U}"),  # the hierarchy below A
    (Kind.PATH, r"(?=.*@).*\b(?:path|hierarchy)\b.*"),  # the chain of command of A
    (Kind.UNDER, rf"(?:{_W} |list )?type (?:in )?(?:{_C} )+{_BELOW} {_U}"),  # what types of units are in A
    (
        Kind.TYPE,
        rf"(?=.*\btype\b)(?:(?:which|how|type|structure|list|{_C}) )*{_U}(?: (?:which|type|{_C}))*",
    ),  # what kind is A
    (Kind.ALIAS, rf"(?=.*\balias\b)(?:(?:who|which|list) )?(?:alias )?{_U}(?: alias)?"),  # what does A stand for
    (Kind.ABOVE, rf"(?:{_BELOW} )?{_W} {_CS}{_U}(?: {_C})* {_BELOW}(?: {_C})*"),  # which unit is A part of
    (Kind.ABOVE, rf"{_BELOW} {_W} {_CS}{_U}"),  # in which division is A
    (
        Kind.AROUND,
        rf"(?:{_W} |list )?(?:above below|below above|parent children|children parent) {_U}",
    ),  # what is above and below A
    (Kind.ABOVE, rf"yes {_U} {_BELOW} {_C}(?: {_C})*"),  # is A in a division
    (Kind.WHERE, r"yes @\d+"),  # is there an A
    (Kind.WHERE, rf"where {_U} in #\d+"),  # where is the library of the school
    (Kind.ABOVE, rf"{_W} (?:parent )?{_CS}{_U} {_CS}{_BELOW}(?: {_C})*"),  # to which higher unit does A report
    (Kind.ABOVE, rf"(?:{_W} |list )?{_CS}(?:above|(?:parent )*parent) {_U}"),  # who oversees A; the parent of A
    (Kind.ABOVE, rf"(?:{_W} |list )?{_CS}{_U} parent(?: {_C})*"),  # what is A's parent
    (Kind.UNDER, rf"(?=.*(?:{_W}|list|#|unit|children))(?!who in)(?:{_W} |list )?{_CS}(?:children )?{_BELOW} {_U}"),
    (Kind.UNDER, rf"(?:{_W} |list ){_CS}{_U} above(?: {_C})*(?: below)?"),  # what does A consist of
    (Kind.UNDER, rf"(?:{_W} |list )?(?:{_C} )+{_U} runs"),  # which teams does A manage
    (Kind.UNDER, rf"(?:{_W} |list )?(?:{_C} )+above {_U} above"),  # which teams has A got
    (Kind.UNDER, rf"(?:{_W} |list )?{_CS}(?:children|structure) (?:{_BELOW} )?{_U}"),  # the subunits of A
    (Kind.UNDER, rf"(?:{_W} |list )?{_U} (?:{_CS}{_C}|children|structure)"),  # list A's teams
    (Kind.UNDER, rf"{_NO_UNIT}.*\btoplevel\b.*"),  # which units are at the top level
    (Kind.TOP, rf"{_NO_UNIT}.*\btop\b.*"),  # what is at the top
    (Kind.WHERE, rf"(?:which )?where (?:{_BELOW} )?{_U}(?: {_BELOW})?"),  # where is A
    (Kind.WHERE, rf"(?:{_W} )?{_U} where"),  # A is where; how does A fit in
    (
        Kind.OF_TYPE,
        rf"{_NO_UNIT}(?:{_W} |list |(?:yes )?(?:above )?){_CS}#\d+(?: {_C})*(?: above)?",
    ),  # which committees exist
    (Kind.UNDER, rf"{_NO_UNIT}(?:{_W} |list )unit(?: above)?"),  # list all units
    (Kind.PURPOSE, rf"which (?:purpose {_U}|{_U} purpose)"),  # what is A for
    (Kind.WHAT, rf"(?:which|about) {_U}"),  # what is A
)
_TABLE = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)

_SEVERAL = re.compile(
    rf"(?:(?:{_W}|list) )?((?:(?:list )?{_CS}{_BELOW} {_U} ?){{2,}})"
)  # some under A and some under B
_ONE_OF_SEVERAL = re.compile(rf"({_CS}){_BELOW} ({_U})")
_OF_ALL = re.compile(r"\bdeep (?:#|unit|children)")  # "are all teams under A": to say which are is no answer
_IN_RANKED = re.compile(rf"\b{_BELOW} {_RANK} {_C}")  # "is A in a bigger division than B"


def match(row: Sequence[str], subject: str) -> Asked | None:
    """What a row of signs asks, None when no pattern fits it.

    `subject` has the units that "they" means, "@0 @1"; the last of them is "it".
    """
    if "they" in row:
        row = ["it" if sign == "they" else sign for sign in row]
    else:
        subject = subject.rpartition(" ")[2]
    text = whole = signs.tidy(row)
    if (text.startswith("yes") and _OF_ALL.search(" ".join(row))) or _IN_RANKED.search(" ".join(row)):
        return None
    text = re.sub(
        rf"^(yes @\d+ (?:{_BELOW}|above)) it$", rf"\1 {subject or signs.UNKNOWN}", text
    )  # "and is A under it"
    if "@" in text:  # "what does A have under it"
        text = re.sub(r"(?<=above) (?:below|in) it\b", "" if "#" in text else " unit", text)
        text = re.sub(r"(?: (?:below|in|above))? it\b", "", text)
    else:
        text = re.sub(r"\bit\b", subject or signs.UNKNOWN, text)
    for kind, pattern in _TABLE:
        if fit := pattern.fullmatch(text):
            sides = fit.groupdict()
            of = _places("@", sides.get("a", text))
            ranked = re.sub(r"^which (?:in )?(?:#\d+ )+", "", text) if kind is Kind.MORE else text
            any_unit = kind in (Kind.COUNT, Kind.UNDER) and "unit" in text
            return Asked(
                kind,
                of=of[::-1] if "fewer" in text else of,  # is A smaller than B: is B bigger than A
                against=_places("@", sides.get("b", "")),
                types=() if any_unit else _places("#", ranked),  # "which team has more desks"
                direct="direct" in row or (kind is Kind.IS_UNDER and "parent" in text),
                deep="deep" in row and "direct" not in row,
                # "who belongs to the committee?" asks for its members
                of_units=bool(re.search(rf"unit|#|reports|children{'' if 'who' in row else '|below'}", whole)),
                of_lacking="lacking" in row,
                steps=text.count("parent"),
                reports="reports" in text,
                yes_or_no=text.startswith("yes"),
            )
    return None


def _places(mark: str, text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(place) for place in re.findall(rf"{mark}(\d+)", text)))


def some_and_some(row: Sequence[str]) -> tuple[Asked, ...]:
    """Some units under A and some under B, a category holding until another is named (T-RAG, section 6.2); empty when
    the row asks anything else."""
    several = _SEVERAL.fullmatch(signs.tidy(row))
    flags = signs.FLAGS.intersection(row)
    asked: list[Asked | None] = []
    sought = ""
    for categories, units in _ONE_OF_SEVERAL.findall(several[1]) if several else ():
        sought = categories or sought
        asked.append(match(["list", *flags, *sought.split(), "below", *units.split()], ""))
    return tuple(one for one in asked if one)
