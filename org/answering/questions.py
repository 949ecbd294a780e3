"""All that a text asks of the chart: its clauses, what "it" and "they" mean in each, each question by patterns.py.

"@0: who does it report to?" -> Asked(ABOVE, of mention 0).  A question with a word that is no sign is not purely about
the chart, and is left to the documents.  Knows nothing about what the chart holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from org.answering import patterns, signs
from org.answering.patterns import Asked, Kind
from org.entities import Mention, TypeMention
from org.finding import names

_ASKING = frozenset(("who", "which", "where", "how", "count", "list", "yes", "about"))
_FIRST = _ASKING - {"list", "yes", "about"}  # a question has begun: these are no mere lead-in
_LINKS = ("below", "reports", "in")
_REFERS = frozenset(("it", "they", "org"))  # to a unit named elsewhere, or to all of them
_LISTS = (Kind.UNDER, Kind.OF_TYPE, Kind.PEERS)
_HOW_MANY = re.compile(r"(?: and)? count(?: (?:direct|deep|lacking|it|they|below|unit))*$")  # "..., and how many?"
_CLAUSE = re.compile(r"[.?!;:\n]+(?:\s|$)|\s[-–—]\s")
_OPEN_QUESTION = re.compile(r"\W*(?:(?:and|but|so|also|then) )?(?:who|whom|what|which|where|when|why|how)\b")
_QUESTION = re.compile(rf"{_OPEN_QUESTION.pattern}|\W*(?:is|are|does|do|did|can|may|must|should|shall)\b")
_AND_ASKS = re.compile(rf"(?:{_QUESTION.pattern}).*\band {_OPEN_QUESTION.pattern}")
_ASIDE = re.compile(
    r"\((?:asking|just|sorry|i|we|my|our|for|thanks|thank you)\b[^()]*\)"
    r"|,? (?:because|since|so that|so i|so we|in order to|as i|as we|before i|when i|if i|while i|for my|for a|thanks"
    r"|thank you|cheers|to (?:prepare|write|complete|fill|be sure|make))\b.*$|, (?:i|we|my|our|sorry|just)\b.*$"
)
_STILL_ASKS = re.compile(
    r",\s*(?:(?:and|so|but|then) )?(?:who|what|which|where|when|how|is|are|do|does|did|can|may|must|should|shall)\b"
)
_TOGETHER = re.compile(r"@\d+(?:(?:[\s,&/]|\b(?:and|or|the)\b)+@\d+)*")
_LONGEST = 1000  # letters: a longer text is a story, and no question about the chart alone
_LEAD_INS = 6  # commas


def read(
    question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], *, context: Collection[int] = ()
) -> tuple[Asked, ...]:
    """All that a question asks of the chart, in its order; empty when it is not purely about the chart.

    `context` are the places of mentions that only tell where another one is ("the Library of the Museum").
    """
    if len(question) > _LONGEST:
        return ()
    asked: list[Asked] = []
    subject = ""
    topic: Sequence[str] = ()
    several = _several(question, types)
    for clause in _CLAUSE.split(signs.mask(question, mentions, types)):
        pieces = clause.split(",", _LEAD_INS)
        found: tuple[Asked, ...] = ()
        entire = signs.read(_without_asides(clause), context)
        asks_twice = _AND_ASKS.match(clause)
        if asks_twice and signs.UNKNOWN in entire:
            return ()  # half of it is not understood
        for start in (0,) if asks_twice or _OPEN_QUESTION.match(clause) else range(len(pieces)):
            lead_in = ",".join(pieces[:start])
            lead = signs.read(lead_in, context)
            if _are_units(lead):
                continue  # "payroll, which division": never which divisions there are
            before = _last_unit(lead_in, subject)
            row = signs.read(_without_asides(",".join(pieces[start:])), context) if start else entire
            about = topic or ((signs.UNKNOWN,) if any(sign == signs.UNKNOWN or sign[0] == "@" for sign in lead) else ())
            found = found or _clause(row, before, about, several)
        if (not found and _QUESTION.match(clause)) or (_are_units(entire) and asked and not asked[-1].of):
            return ()  # "which division: payroll" asks it of payroll
        asked += found
        subject = _last_unit(clause, subject)
        topic = _announced(entire, topic)
    return tuple(asked)


def _several(question: str, types: Sequence[TypeMention]) -> frozenset[str]:
    """The signs of the types that are named in the plural: "which teams" asks for more than one."""
    plural = {f"#{place}" for place, one in enumerate(types) if names.words(one.text)[-1].plural}
    any_units = any(word.plural and signs.is_unit(word.text) for word in names.words(question))
    return frozenset((*plural, "unit") if any_units else plural)


def _announced(row: Sequence[str], topic: Sequence[str]) -> Sequence[str]:
    """What the questions after a clause are about: units, where it names nothing else, or something unknown here."""
    if _are_units(row) or (row[:1] in (["in"], ["below"], ["about"]) and _are_units(row[1:])):
        return [sign for sign in row if sign[0] == "@"]  # "in finance: how many teams"
    if signs.UNKNOWN in row and all(sign == signs.UNKNOWN or sign[0] == "#" for sign in row):
        return (signs.UNKNOWN,)
    return () if any(sign[0] == "@" for sign in row) else topic


def _are_units(row: Sequence[str]) -> bool:
    """Whether a row has the names of units and nothing else."""
    return bool(row) and all(sign[0] == "@" or sign == signs.AND for sign in row)


def _without_asides(clause: str) -> str:
    """A clause without what only tells why it is asked, unless that ends in a question of its own."""
    return _ASIDE.sub(lambda aside: aside[0] if _STILL_ASKS.search(aside[0]) else "", clause)


def _clause(row: Sequence[str], subject: str, topic: Sequence[str], several: frozenset[str]) -> tuple[Asked, ...]:
    """What one clause asks: all of it, or, after a lead-in of any words, all from its first asking word on.

    `subject` is the unit that "it" means, and the units that "they" means; `topic` is what an earlier clause announced,
    "payroll: which division?"; `several` are the categories in the plural.
    """
    known = max((place + 1 for place, sign in enumerate(row) if sign == signs.UNKNOWN), default=0)
    if signs.BEYOND in row or _FIRST.intersection(row[:known]):
        return ()
    asking = _ASKING if known == 0 else _ASKING - {"about"}  # "a friend asked about ...": no question yet
    first = next((place for place in range(known, len(row)) if row[place] in asking), len(row))
    if first and row[first - 1] in _LINKS:
        first -= 1  # "under which ..."
    asks, whole = row[first:], _parts(row, subject) if known == 0 else ()
    if _are_units(row[known:first]) and not whole:
        if known and not _names(asks):
            return ()
        topic = _announced(row[known:first], topic)
    elif known == 0:
        asks = row
    is_known = signs.UNKNOWN not in topic
    if topic and is_known and asks and not _names(asks):
        return _of_topic(topic, asks, several)
    if _asks_which_one(row[first:], several) and not (is_known and known == 0 and (whole or not _names(row[:first]))):
        return ()  # "wards 1-4, which area": not of these words, and not of the organization
    return whole or _parts(row[first:], _last_unit(" ".join(row[:first]), subject))


def _of_topic(topic: Sequence[str], asks: Sequence[str], several: frozenset[str]) -> tuple[Asked, ...]:
    """What is asked of the units of a topic by a row of signs that names none."""
    if "yes" in asks or (_is_category(asks) and several.isdisjoint(asks)):
        return ()  # "finance: are there teams" has the signs of "finance: is that a team", and so has "finance: team?"
    if _asks_which_one(asks, several):
        return _parts([*asks, *topic, "in"], "")
    if asks[0] in ("which", "list") and _is_category(asks[1:]):
        return _parts([*asks, "in", *topic], "")
    return _parts([*topic, *asks], "")


def _asks_which_one(asks: Sequence[str], several: frozenset[str]) -> bool:
    """Whether a row is no more than "which division", or another category in the singular."""
    return list(asks[:1]) == ["which"] and _is_category(asks[1:]) and several.isdisjoint(asks)


def _is_category(row: Sequence[str]) -> bool:
    return bool(row) and all(sign == "unit" or sign[0] == "#" or sign in signs.FLAGS for sign in row)


def _names(row: Sequence[str]) -> bool:
    """Whether a row names a unit, or refers to one."""
    return any(sign[0] == "@" or sign in _REFERS for sign in row)


def _parts(row: Sequence[str], subject: str) -> tuple[Asked, ...]:
    """A row of signs as one question, or as several; empty when any of them is not understood."""
    is_joined = signs.AND in row
    if not is_joined and (whole := patterns.match(row, subject)):
        return (whole,)
    if not is_joined and (several := patterns.some_and_some(row)):
        return several
    if more := _HOW_MANY.search(" ".join(row)):
        listed = _parts(row[: -len(more[0].split())], subject)
        if listed and all(one.kind in _LISTS for one in listed):
            return listed  # every list says its number
    if is_joined:
        return _joined(row, subject)
    starts = [place for place in range(1, len(row)) if row[place] in _ASKING and _may_end(row[:place])]
    asked: list[Asked] = []
    for start, end in zip([0, *starts], [*starts, len(row)], strict=True):
        one = patterns.match(row[start:end], subject) if starts else None
        if one is None:
            return ()
        asked.append(one)
        subject = f"@{one.of[-1]}" if one.of else subject
    return tuple(asked)


def _joined(row: Sequence[str], subject: str) -> tuple[Asked, ...]:
    """All that is asked in questions joined by "and"."""
    rows: list[list[str]] = [[]]
    for sign in row:
        if sign != signs.AND:
            rows[-1].append(sign)
        elif _ASKING.intersection(rows[-1]):  # "A reports to something, and what does that report to" asks once
            rows.append([])
    asked: list[Asked] = []
    of_several = False
    for one in rows:
        named = {sign for sign in one if sign.startswith("@")}
        parts = _parts(one, subject) if named or not (of_several and not _REFERS.isdisjoint(one)) else ()
        if not parts:
            return ()  # "are A and B siblings, and what is under it": under which?
        asked += parts
        subject = _last_unit(" ".join(one), subject)
        of_several = len(named) > 1 if named else of_several
    return tuple(asked)


def _may_end(row: Sequence[str]) -> bool:
    """Whether a question may be over where another asking word follows: "under @0 | what ...", not "under what"."""
    before = [sign for sign in row if sign not in signs.FLAGS]
    is_open = before[-1:] != [] and before[-1] in ("unit", "list", *_LINKS)
    return not is_open or (before[0] in _FIRST and any(sign.startswith("@") for sign in before))


def _last_unit(text: str, otherwise: str) -> str:
    """The last unit that a text or a row of signs names, with those that it is named together with: "@0 @1"."""
    found = _TOGETHER.findall(text)
    return " ".join(re.findall(r"@\d+", found[-1])) if found else otherwise
