"""Units as sets: those of the gold that an answer names, those that it names besides, and how many it says there are.

Reading -> Listed, Findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trag.evaluate.scoring import units
from trag.evaluate.scoring.assertion import around, denied
from trag.evaluate.scoring.reading import Findings, Reading, tokens
from trag.evaluate.scoring.units import Mention
from trag.evaluate.scoring.wording import Place, Word, plain, words

_GENERAL = frozenset("unit body entity thing item part element subunit organ node".split())
_AMOUNTS = frozenset("% year month week day hour minute level".split())
_ENDS = frozenset("under below beneath in within at it that which".split())
_REACH = 5  # words between a number and what it counts
_ENUMERATES = re.compile(
    r"\s*(?:,|,? and|,? or|,? as well as)\s+(?:(?:the|on|in|at|to|from|of)\s+){0,2}", re.IGNORECASE
)
_EXPLAINS = re.compile(r"\([^()\n]*$|: [^:\n]*$|\b(?:with|includ\w+|of|in|under|at)\W+(?:the\W+)?$", re.IGNORECASE)
"""Between a unit of the list and one that is there to say more of it: "the Legal Office (Claims Desk)"."""
_TELLS = re.compile(r"\b(?:is|are|has|have|includes?|contains?|belongs?|reports?|sits?|also)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'-]*(?: (?:(?:of|for|and|the|&) )*[A-Z][\w'-]*)+")
_IS_ALONE = re.compile(r"\W*(?:is|was) the only\b", re.IGNORECASE)
_NONE = re.compile(r"\b(?:no|none|nobody|zero|nothing)\b|(?:\bnot|n't) (?:\w+ )?(?:any|have)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;:!?\n]\s|,\s+(?=and|but|of|while|with|or)|\bbut\b|\bwhile\b|\band\b|[()]")
_PART = re.compile(r"\b(?:of which|of these|of them|including|among (?:them|these)|with)\W*$", re.IGNORECASE)
_PART_OF = re.compile(r"\W*of (?:which|these|them|those)\b", re.IGNORECASE)
_DIRECTLY = re.compile(r"\b(?:direct(?:ly)?|straight|immediate(?:ly)?|first level)\b", re.IGNORECASE)
_IN_ALL = re.compile(
    r"\b(?:in all|in total|total|altogether|overall|(?:every|all|any) (?:the )?levels?|indirectly|anywhere|whole"
    r"|entire|direct(?:ly)?,? (?:and|or|and/or) indirect(?:ly)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Listed:
    """How an answer's list compares with the gold: `precision` and `recall` in [0, 1], None where none was asked for
    or, of precision, where there is no chart to know other units by."""

    findings: Findings
    precision: float | None = None
    recall: float | None = None


def compare(reading: Reading) -> Listed:
    """The list of an answer against the whole set of the gold, or against the groups to name some of."""
    case = reading.case
    if not case.units and not case.some:
        return Listed(Findings())
    told = {unit for one in reading.standing for unit in one.units}
    right = {
        name: found
        for name in case.listed
        if (found := reading.places(name)) and (not reading.units_of[name] or told & {*reading.units_of[name]})
    }
    missing = [f'lacks "{name}"' for name in case.units if name not in right]
    held = sum(name in right for name in case.units)
    for some in case.some:
        number = sum(name in right for name in some.units)
        held += min(number, some.at_least)
        if number < some.at_least:
            missing.append(f"names {number} of the {some.at_least} or more asked for: {', '.join(some.units)}")
    beyond = tuple(reading.beyond())
    besides = [reading.shown(one.place) for one in beyond if _is_explained(one, reading)]
    strangers = [reading.shown(one.place) for one in beyond if not _is_explained(one, reading)]
    strangers += unknown(reading)
    findings = Findings(
        wrong=(*missing, *_misplaced(reading), *(f'names "{one}", which does not belong' for one in strangers)),
        besides=tuple(f'names "{one}" besides' for one in besides),
        places=tuple(place for found in right.values() for place in found),
    )
    whole = len(case.units) + sum(some.at_least for some in case.some)
    precision = len(right) / (len(right) + len(strangers)) if right or strangers else None
    return Listed(findings, precision if reading.chart else None, held / whole)


def placed(reading: Reading, right: Sequence[Place]) -> Findings:
    """The units that an answer names beside those asked for, where no list was: near ones are besides the question, and
    strangers are wrong, as is an answer that speaks of others in place of the units of the question.

    `right` is where the answer holds its gold. What a document tells of other units is no matter, unless the answer
    counts them among those of the gold.
    """
    case, chart, gold = reading.case, reading.chart, reading.gold
    if chart is None or case.units or case.some:
        return Findings()
    if case.document:
        among = (one for one in reading.beyond() if gold and _is_among(one.place, right, reading))
        return Findings(wrong=tuple(f'names "{reading.shown(one.place)}" among them' for one in among))
    wrong = [f'names "{name}", which does not exist' for name in unknown(reading) if reading.is_of_nothing]
    besides: list[str] = []
    told = {unit for one in reading.mentions for unit in one.units}
    if told and reading.asked and not told & (reading.asked | gold):
        others = (reading.shown(one.place) for one in reading.mentions if not _is_counted(one, reading))
        wrong += (f'speaks of "{name}" instead' for name in others)
    told = {unit for one in reading.standing for unit in one.units}
    beside_gold = {chart.unit(unit).parent for unit in gold}
    for one in reading.beyond():
        name, sentence = reading.shown(one.place), reading.sentence(one.place)
        is_near = (
            reading.is_in_line(one.units, reading.asked | gold)
            or reading.explained & {*one.units}
            or beside_gold & {chart.unit(unit).parent for unit in one.units}
        )
        if _is_counted(one, reading):
            continue
        is_of_question = not case.polarity and reading.is_in_line(one.units, reading.asked)
        is_instead = reading.asked and not reading.asked & told and not is_of_question
        if is_instead and all(map(sentence.overlaps, right)):
            wrong.append(f'speaks of "{name}" instead')
        elif reading.is_of_nothing and _IS_ALONE.match(reading.text, one.place.end):
            continue
        elif (gold and not is_near) or (reading.is_of_nothing and not (is_near and _NONE.search(reading.text))):
            wrong.append(f'names "{name}", which does not belong')
        elif not reading.is_above_gold(one):
            besides.append(f'names "{name}" besides')
    return Findings(wrong=tuple(wrong), besides=tuple(besides))


def count(reading: Reading) -> Findings:
    """Whether the answer gives the count of the case, and no other for the same."""
    wanted = reading.case.count
    if wanted is None:
        return Findings()
    given = dict(_given(reading))
    if {*given.values()} == {str(wanted)}:
        return Findings(places=tuple(given))
    if given:
        return Findings(wrong=(f"gives {', '.join(sorted(given.values()))} for {wanted}",))
    if wanted == 0 and (none := _NONE.search(reading.text)):
        return Findings(places=(Place(*none.span()),))
    listed = tuple(reading.beyond())
    if wanted and len(listed) == wanted and all(_is_counted(one, reading) for one in listed):
        return Findings(places=tuple(one.place for one in listed))
    return Findings(wrong=(f"lacks the number {wanted}",))


def _misplaced(reading: Reading) -> Iterator[str]:
    """The units that stand behind a heading, the name of a unit of the question, that they are not under: misalignment
    (T-RAG, table 5)."""
    chart, holder = reading.chart, reading.mentions[:0]
    for mention in reading.standing if chart and len(reading.case.some) > 1 else ():
        if reading.is_above_gold(mention):
            holder = (mention,)
        elif not holder:
            return  # the units come first, and what they are under behind them
        elif reading.gold & {*mention.units} and not reading.is_in_line(mention.units, holder[0].units):
            yield f'names "{reading.shown(mention.place)}" under "{reading.shown(holder[0].place)}"'


def _is_among(here: Place, right: Sequence[Place], reading: Reading) -> bool:
    """Whether a unit stands in one enumeration with what is right: "A, B and this"."""
    pairs = (sorted((here, place), key=lambda one: one.start) for place in right if not here.overlaps(place))
    return any(_ENUMERATES.fullmatch(reading.text, first.end, second.start) for first, second in pairs)


def _is_explained(mention: Mention, reading: Reading) -> bool:
    """Whether a unit beyond the list is there to explain one of it, or told of in a sentence of its own."""
    chart, sentence = reading.chart, reading.sentence(mention.place)
    if reading.explained & {*mention.units} or chart is None:
        return True
    listed = [one for one in reading.mentions if reading.gold & {*one.units}]
    before = [one for one in listed if one.place.end <= mention.place.start]
    between = reading.text[before[-1].place.end : mention.place.start] if before else ""
    if before and reading.is_in_line(mention.units, before[-1].units) and _EXPLAINS.search(between):
        return True
    if reading.is_above_gold(mention):
        return not _is_among(mention.place, [one.place for one in listed], reading)
    is_below = any(chart.is_under(unit, above) for unit in mention.units for above in reading.asked)
    is_apart = not any(sentence.overlaps(one.place) for one in listed)
    return is_below and is_apart and bool(_TELLS.search(reading.shown(sentence)))


def unknown(reading: Reading) -> Iterator[str]:
    """Names that are like those of units, by their first or last word, and are none; told by their capitals."""
    if reading.chart is None:
        return
    ends = {key[place] for key in units.keys(reading.chart) for place in (0, -1) if len(key) > 1}
    known = tokens((reading.case.question, *reading.case.listed, *reading.chart.types, *_GENERAL))
    for name in _NAME.finditer(reading.text):
        row, place = words(name[0]), Place(*name.span())
        is_like = len(row) > 1 and {row[0].key, row[-1].key} & ends and not {word.key for word in row} <= known
        if is_like and not any(place.overlaps(one.place) for one in reading.mentions):
            yield name[0]


def _is_counted(mention: Mention, reading: Reading) -> bool:
    """Whether a unit is one of those that a question of how many counts: to name them says no more than the number."""
    chart = reading.chart
    return bool(
        chart
        and reading.case.count
        and any(chart.is_under(one, above) for one in mention.units for above in reading.asked)
    )


def _given(reading: Reading) -> Iterator[tuple[Place, str]]:
    """The numbers that answer the question, and where they stand."""
    text, question, chart = reading.text, plain(reading.case.question), reading.chart
    taken = [(one.place.start, one.place.end) for one in reading.mentions]
    free = [word for word in reading.words if not any(word.start < end and start < word.end for start, end in taken)]
    asked = {*units.types(words(question), chart).values()} if chart else set()
    nouns = units.types(free, chart) if chart else {}
    # Where there is none of a type, "2 units" are others: "No desk is under it. 2 units are: the teams A and B."
    counted = asked if asked and reading.case.count == 0 else asked | _GENERAL
    is_first = True
    for at, word in enumerate(free):
        if word.is_number:
            here, following = Place(word.start, word.end), free[at + 1 : at + 1 + _REACH]
            before, after = around(_CLAUSE, here, text)
            is_part = not is_first and (_PART.search(before) or _PART_OF.match(after))
            is_amount = following and following[0].key in _AMOUNTS
            is_elsewhere = {_scope(question), _scope(before + after)} == {"directly", "in all"}
            clause = Place(here.start - len(before), here.end + len(after))
            inside = [one.units for one in reading.mentions if clause.overlaps(one.place)]
            is_elsewhere |= bool(inside) and not any(reading.about & {*one} for one in inside)
            is_other = _noun(following, nouns) not in counted | {""}
            is_first = False
            if not (is_part or is_other or is_amount or is_elsewhere or denied(here, text, is_number=True)):
                yield here, word.key


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
    in_all = bool(_IN_ALL.search(text))
    directly = bool(_DIRECTLY.search(_IN_ALL.sub(" ", text)))
    return "" if directly == in_all else "directly" if directly else "in all"
