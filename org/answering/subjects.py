"""What a question asks, and of which units of the chart.

Question, mentions, types -> Subjects: what org/answering/questions.py reads, with units in the place of mentions.
Knows nothing about answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from org import namesakes
from org.answering import questions
from org.answering.patterns import Asked
from org.chart import Chart, Unit
from org.entities import Mention, TypeMention

Group = tuple[Unit, ...]
"""The units that one mention may mean."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing asked: of each of the `groups`, compared with the units of `against`, looking for units of `types`."""

    asked: Asked
    groups: tuple[Group, ...]
    against: tuple[Group, ...]
    types: tuple[str, ...]


_INSIDE = re.compile(r"\b(?:in|within|of|at|across)(?: the| our)?\s*$", re.IGNORECASE)
_VERB = re.compile(r"\s*,?\s*(?:does|do|is|are)\b(?! (?:it|that|this)\b)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:['’]s|[,(>:-]|under)\s*(?:the\s+)?", re.IGNORECASE)
_TOLD_BY = re.compile(r"\s*(?:['’]s|[,(]|(?:under|in|of|at|within) )\s*(?:the\s+)?", re.IGNORECASE)
_IS_THERE = (
    r"\b(?:is there|(?:do|does|did) (?:we|you|they) have|have (?:we|you|they) got) (?:an?|any|such an?) "
    r"(?P<name>\w[^?!,;]{0,120}?)"
)
_EXISTS = re.compile(rf"{_IS_THERE}(?: (?:here|too|at all|as well))?\W*$", re.IGNORECASE)
_EXISTS_IN = re.compile(rf"{_IS_THERE} (?:in|at|within|inside|under) (?:(?:the|our) )?$", re.IGNORECASE)
_DOES = re.compile(r"\bdo(?:es)? (?:(?:the|our) )?$", re.IGNORECASE)
_HAVE = re.compile(r" have (?:an?|any) (?P<name>\w[^?!,;]{0,120}?)\W*$", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?!.*\b(?:and|or|part|under)\b)[\w\s]{0,30}\b(?:of|in|within|inside|at)\s+(?:(?:the|our)\s+)?", re.IGNORECASE
)


def read(question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart) -> tuple[Subject, ...]:
    """All that a question asks of the chart; empty when it is not purely about the chart."""
    mentions = (
        _existing(question, chart) or _existing_in(question, mentions, types, chart) or whole(question, mentions, chart)
    )
    types = [one for one in types if not any(one.start < other.end and other.start < one.end for other in mentions)]
    asked = questions.read(question, mentions, types, context=_context(question, mentions, chart))
    groups = [tuple(chart.unit(unit) for unit in mention.units) for mention in mentions]
    return tuple(
        Subject(
            one,
            tuple(groups[place] for place in one.of),
            tuple(groups[place] for place in one.against),
            tuple(dict.fromkeys(types[place].type for place in one.types)),
        )
        for one in asked
    )


def whole(question: str, mentions: Sequence[Mention], chart: Chart) -> list[Mention]:
    """The mentions, a shared name and the unit above that tells which is meant as one: "the Library (School of Law)".

    With nothing else named, "in" and its like ask about both: "is the Library in the School of Law".
    """
    found: list[Mention] = []
    for mention in mentions:
        last = found[-1] if found else None
        if last and mention.start < last.end:
            continue  # it stands in the brackets
        units = [chart.unit(unit) for unit in mention.units]
        told, end = namesakes.told_in_brackets(units, question, mention.end, chart)
        if len(told) == 1:
            found.append(Mention((told[0].id,), question[mention.start : end], mention.start, end))
            continue
        between = question[last.end : mention.start] if last else ""
        is_told = (
            last is not None
            and len(chart.named(chart.unit(last.units[0]).name)) > 1
            and _TOLD_BY.fullmatch(between)
            and (len(mentions) > 2 or not re.search(r"\w", between.replace("’s", "").replace("'s", "")))
            and all(chart.is_under(unit, above) for unit in last.units for above in mention.units)
        )
        if is_told and last:
            end = mention.end + (question[mention.end : mention.end + 1] == ")" and "(" in between)
            found[-1] = Mention(last.units, question[last.start : end], last.start, end)
        else:
            found.append(mention)
    return found


def _existing(question: str, chart: Chart) -> list[Mention]:
    """The unit that a question asks for by its given name of several words: "is there an ethics committee"."""
    asked = _EXISTS.search(question)
    units = namesakes.sharing(asked["name"], chart) if asked and " " in asked["name"] else ()
    return [Mention(tuple(one.id for one in units), asked["name"], *asked.span("name"))] if asked and units else []


def _existing_in(
    question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart
) -> list[Mention]:
    """The unit that a question looks for by its given name, and the one that it looks in: "does the Infirmary have a
    pharmacy", "is there a stroke unit at the Infirmary". That there is none is told of a name of several words alone:
    a name of one word is a common noun as well."""
    if len(mentions) != 1:
        return []
    (inside,) = mentions
    asked = None if re.search(r"\w", question[inside.end :]) else _EXISTS_IN.search(question[: inside.start])
    if asked is None and _DOES.search(question[: inside.start]):
        asked = _HAVE.match(question, inside.end)
    if asked is None or asked.span("name") in {(one.start, one.end) for one in types}:
        return []
    units = [one.id for one in namesakes.sharing(asked["name"], chart)]
    there = [unit for unit in units if any(chart.is_under(unit, above) for above in inside.units)]
    found = tuple(there or (units if " " in asked["name"] else ()))
    sought = Mention(found, asked["name"], *asked.span("name"))
    return sorted((sought, inside), key=lambda mention: mention.start) if found else []


def _context(question: str, mentions: Sequence[Mention], chart: Chart) -> set[int]:
    """The places of mentions that only tell where another is: "the Library of the School", "in the Foundation"."""
    context = set()
    for place, mention in enumerate(mentions):
        if len(mentions) == 1 or not _INSIDE.search(question[: mention.start]):
            continue
        others = [unit for other in mentions for unit in other.units if other.units != mention.units]
        is_above = len(mention.units) == 1 and all(chart.is_under(unit, mention.units[0]) for unit in others)
        if mention.units == (chart.root.id,) or (is_above and _VERB.match(question, mention.end)):
            context.add(place)
    for place, (first, second) in enumerate(pairwise(mentions), start=1):
        shared = len(chart.named(chart.unit(first.units[0]).name)) > 1
        beside = _WITHIN.fullmatch(question, first.end, second.start) or (
            shared and _ASIDE.fullmatch(question, first.end, second.start)
        )
        if beside and all(chart.is_under(unit, above) for unit in first.units for above in second.units):
            context.add(place)
    return context
