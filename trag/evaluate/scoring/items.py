"""The items of the gold in an answer: there, missing, denied, or left open; what must not be said; the yes or no.

Reading -> Findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trag.evaluate.scoring import assertion
from trag.evaluate.scoring.assertion import denied, hedged, opening
from trag.evaluate.scoring.reading import Findings, Reading, tokens
from trag.evaluate.scoring.wording import Place, Word, places, plain, words

_SMALL = 3  # letters of words that say nothing of their own, roughly
MEASURES = frozenset("day week month year hour minute second gbp eur usd chf % word page kb mb gb km mile".split())
"""What an amount of one sort is counted in. Two amounts of different measures never mean the same."""
_JOINED = re.compile(r"\W*(?:or|to|and)\b", re.IGNORECASE)
_JOINS = re.compile(r"\bor(?: (?:even|maybe|perhaps|possibly))?\W*$", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|nobody|no one|nothing|nowhere|never)\W*[,.;:-]", re.IGNORECASE)


def items(reading: Reading) -> Findings:
    """Every item of the gold, in one of its alternatives."""
    found = [_item(item, reading) for item in reading.case.gold]
    chosen = any(_is_choice(first, second, reading) for first, second in pairwise(found))
    return sum(found, Findings(wrong=("offers a choice where all are needed",) if chosen else ()))


def forbidden(reading: Reading, gold: Findings) -> Findings:
    """What must not be said, unless it is denied, or said as part of something right; where a document answers, and
    the answer holds all of the `gold` in other sentences, it is said of something else."""
    right = [place for item in reading.case.gold for one in item for place in reading.places(one)]
    right += (one.place for one in reading.mentions if reading.asked & {*one.units})
    wrong: list[str] = []
    for phrase in reading.case.forbidden:
        said = [
            place
            for place in reading.places(phrase)
            if not any(one.start <= place.start and place.end <= one.end for one in right)
            and not denied(place, reading.stance, is_number=_is_number(phrase))
        ]
        if said:
            beside = [one for one in gold.places if not any(one.overlaps(place) for place in said)]
            together = any(reading.sentence(place).overlaps(one) for place in said for one in beside)
            if not (reading.case.document and beside and not gold.wrong and not together):
                wrong.append(f'says "{reading.shown(said[0])}"')
    return Findings(wrong=tuple(wrong))


def is_bare(reading: Reading) -> bool:
    """Whether the answer is the right yes or no, where the case's own answer begins with it, and no more than the
    question said again."""
    said, case = opening(reading.text), reading.case
    own = [one for one in tokens((reading.text,)) - tokens((case.question, case.answer)) if len(one) > _SMALL]
    return bool(said) and said == opening(plain(case.answer)) and len(own) <= 1


def polarity(reading: Reading, *, has_gold: bool) -> Findings:
    """Whether the answer says the yes or no of the case. `has_gold` is whether all of the other gold is there: to say
    where a unit really is denies that it is elsewhere."""
    case, said = reading.case, opening(reading.text)
    if not case.polarity:
        gold = " ".join((case.answer, *(phrase for item in case.gold for phrase in item)))
        if _NOTHING.match(reading.text) and not assertion.NOT.search(gold) and case.count is None:
            return Findings(wrong=("says that there is none",))
        meant = opening(plain(case.answer))
        if {said, meant} == {"yes", "no"}:
            return Findings(wrong=(f"says {said} for {meant}",))
        return Findings(places=(Place(0, 1),) if said and said == meant else ())
    if not said:  # perhaps in a sentence that speaks of two units of the question: "A is not part of B"
        for sentence in reading.sentences:
            inside = [one.units for one in reading.mentions if sentence.overlaps(one.place)]
            if len({unit for units in inside for unit in units} & reading.asked) >= 2:
                said = "no" if assertion.NOT.search(reading.shown(sentence)) else "yes"
                break
    if said == case.polarity:
        return Findings(places=(Place(0, 1),))
    if said:
        return Findings(wrong=(f"says {said} for {case.polarity}",))
    return Findings() if case.gold and has_gold else Findings(wrong=(f"does not say {case.polarity}",))


def _item(item: Sequence[str], reading: Reading) -> Findings:
    name, text, case = item[0], reading.stance, reading.case
    standing: list[Place] = []
    refuted = ""
    for phrase in item:
        is_denied, bound = _as_meant(reading.asserted(case.answer), phrase)
        for place in reading.places(phrase):
            if reading.is_within_another(place, item) or not _is_meant(phrase, place, reading):
                continue
            says_no = denied(place, text, is_number=_is_number(phrase))
            said = assertion.bound(place, text) if _is_number(phrase) else ""
            if says_no != is_denied and not (is_denied and assertion.excepted(place, text)):
                refuted = f'denies "{name}"'
            elif said and assertion.contradicts(said, bound):
                refuted = f'says "{said}" of "{name}"'
            else:
                standing.append(place)
    if not standing:
        return Findings(wrong=(refuted or f'lacks "{name}"',))
    others = list(_rivals(standing, reading)) if any(map(_is_number, item)) else []
    if any(reading.units_of[phrase] for phrase in item):
        others += (one.place for one in reading.beyond())
    if all(hedged(place, others, text) or _is_one_of_two(place, item, reading) for place in standing):
        return Findings(wrong=(f'leaves open whether "{name}"',))
    return Findings(places=tuple(standing))


def _as_meant(answer: str, phrase: str) -> tuple[bool, assertion.Bound]:
    """Whether the case's own answer denies a phrase, "the child does not object", and the limit that it makes of it;
    of a number also in its measure: "29 days" for "29"."""
    text = plain(answer)
    among = words(text)
    if found := places(phrase, text, among):
        return denied(found[0], text, is_number=_is_number(phrase)), assertion.bound(found[0], text)
    numbers = {word.key for word in words(plain(phrase)) if word.is_number}
    bounds = (assertion.bound(Place(one.start, one.end), text) for one in among if one.key in numbers)
    return False, next(bounds, "")


def _is_choice(first: Findings, second: Findings, reading: Reading) -> bool:
    """Whether two items of the gold stand as "A or B", or "may be B", of which the case's own answer knows nothing."""
    if not first.places or not second.places or re.search(r"\b(?:or|may|might|could|between)\b", reading.case.answer):
        return False
    return all(
        any(hedged(place, [other], reading.stance) for other in second.places)
        and not assertion.follows_denial(place, reading.text)
        for place in first.places
    )


def _is_one_of_two(place: Place, item: Sequence[str], reading: Reading) -> bool:
    """Whether the answer offers something else in place of a unit or an amount, of which the case knows nothing."""
    if not any(_is_number(phrase) or reading.units_of[phrase] for phrase in item):
        return False
    other = words(assertion.offered(place, reading.stance))
    return bool(other) and other[0].key not in _known(reading)


def _is_number(phrase: str) -> bool:
    return any(word.is_number for word in words(plain(phrase)))


def _is_meant(phrase: str, place: Place, reading: Reading) -> bool:
    """Whether what stands at a place can be the bare number that a phrase is: no amount of a measure that neither the
    question nor the case's own answer speaks of."""
    if len(words(plain(phrase))) != 1 or not _is_number(phrase):
        return True
    spoken, said = tokens((reading.case.answer, reading.case.question)) & MEASURES, _measure(place, reading.words)
    return said not in MEASURES or said in spoken or not spoken


def _measure(place: Place, among: Sequence[Word]) -> str:
    """What the number at a place counts, "" where it counts nothing that follows."""
    rows = (
        (word, after) for word, after in pairwise(among) if word.is_number and place.start <= word.start < place.end
    )
    return next((after.key for _, after in rows), "")


def _rivals(standing: Sequence[Place], reading: Reading) -> Iterator[Place]:
    """Amounts of the same measure as those at the places, of which the case knows nothing."""
    measures, known = {_measure(place, reading.words) for place in standing}, _known(reading)
    for word in reading.words:
        if word.is_number and word.key not in known:
            place = Place(word.start, word.end)
            joined = _JOINED.match(reading.text, word.end) or _JOINS.search(reading.text[: word.start])
            if joined or _measure(place, reading.words) in measures:
                yield place


def _known(reading: Reading) -> frozenset[str]:
    case = reading.case
    return tokens((case.answer, case.question, *(phrase for item in case.gold for phrase in item)))
