"""The items of the gold in an answer: there, missing, denied, or left open among others.

Reading -> Findings.  Knows nothing about lists, counts or refusals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from trag.evaluate.scoring import amounts
from trag.evaluate.scoring.amounts import Bound
from trag.evaluate.scoring.asserting import denied, excepted, hedged, offered
from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading
from trag.evaluate.scoring.wording import Place, places, plain, words


def items(reading: Reading) -> Findings:
    """Every item of the gold, in one of its alternatives."""
    found = [_item(item, reading) for item in reading.case.gold]
    chosen = any(_is_choice(first, second, reading) for first, second in pairwise(found))
    return sum(found, Findings(wrong=("offers a choice where all are needed",) if chosen else ()))


def forbidden(reading: Reading, gold: Findings) -> Findings:
    """What must not be said, unless it is denied, or said as part of something right.

    Where a document answers, and the answer holds all of the `gold` in other sentences, it may be said of something
    else: that is for people to tell.
    """
    right = [place for item in reading.case.gold for one in item for place in reading.places(one)]
    if reading.named:
        asked = (one for one in reading.named.mentions if reading.named.asked & {*one.units})
        right += (Place(one.start, one.end) for one in asked)
    wrong: list[str] = []
    open_: list[str] = []
    for phrase in reading.case.forbidden:
        said = [
            place
            for place in reading.places(phrase)
            if not any(one.start <= place.start and place.end <= one.end for one in right)
            and not denied(place, reading.stance, is_number=amounts.is_number(phrase))
        ]
        if said:
            beside = [one for one in gold.places if not any(one.overlaps(place) for place in said)]
            elsewhere = bool(reading.case.document and beside and not gold.wrong) and not any(
                reading.together(place, one) for place in said for one in beside
            )
            (open_ if elsewhere else wrong).append(f'says "{reading.text[said[0].start : said[0].end]}"')
    return Findings(wrong=tuple(wrong), open=tuple(open_))


def _is_choice(first: Findings, second: Findings, reading: Reading) -> bool:
    """Whether two items of the gold stand as "A or B", or "may be B", of which the case's own answer knows nothing."""
    if not first.places or not second.places or re.search(r"\b(?:or|may|might|could)\b", reading.case.answer):
        return False
    return all(
        any(hedged(place, [other], reading.stance) for other in second.places) and not _follows_denial(place, reading)
        for place in first.places
    )


def _follows_denial(place: Place, reading: Reading) -> bool:
    """Whether the sentence denies something before a place, so that "or" means all: "do not bring it to A or B"."""
    start = next((one.start for one in reading.sentences if one.overlaps(place)), 0)
    return bool(
        re.search(r"\b(?:not|no|never|neither|cannot)\b|n't\b", reading.text[start : place.start], re.IGNORECASE)
    )


def _item(item: Sequence[str], reading: Reading) -> Findings:
    name, text, case = item[0], reading.stance, reading.case
    known = (case.answer, case.question, *(one for other in case.gold for one in other))
    standing: list[Place] = []
    refuted = ""
    for phrase in item:
        meant = _as_meant(reading.asserted(case.answer), phrase)
        for place in reading.places(phrase):
            if reading.is_within_another(place, item) or not amounts.is_meant(
                phrase, place, text, reading.words, known[:2]
            ):
                continue
            says_no = denied(place, text, is_number=amounts.is_number(phrase))
            if says_no != meant.denied and not (meant.denied and excepted(place, text)):
                refuted = f'denies "{name}"'
            elif amounts.is_number(phrase) and amounts.contradicts(amounts.bound(place, text), meant.bound):
                refuted = f'says "{amounts.bound(place, text)}" of "{name}"'
            else:
                standing.append(place)
    if not standing:
        return Findings(wrong=(refuted or f'lacks "{name}"',))
    others: list[Place] = []
    if any(amounts.is_number(phrase) for phrase in item):
        others += amounts.rivals(standing, text, reading.words, known)
    if reading.named and any(reading.units_of.get(phrase) for phrase in item):
        others += (Place(one.start, one.end) for one in reading.named.beyond(reading.gold()))
    if all(hedged(place, others, text) or _is_one_of_two(place, item, known, reading) for place in standing):
        return Findings(wrong=(f'leaves open whether "{name}"',))
    return Findings(places=tuple(standing))


def _is_one_of_two(place: Place, item: Sequence[str], known: Sequence[str], reading: Reading) -> bool:
    """Whether the answer offers something else in place of a unit or an amount, of which the case knows nothing."""
    if not any(amounts.is_number(phrase) or reading.units_of.get(phrase) for phrase in item):
        return False
    other = words(offered(place, reading.stance))
    spoken = {word.key for text in known for word in words(plain(text))}
    return bool(other) and other[0].key not in spoken


@dataclass(frozen=True, slots=True)
class _Meant:
    """How the case's own answer speaks of a phrase: "the child does not object", "not more than four"."""

    denied: bool
    bound: Bound


def _as_meant(answer: str, phrase: str) -> _Meant:
    text = plain(answer)
    found = places(phrase, text, words(text))
    if not found:
        return _Meant(denied=False, bound=_bound_of_any(text, phrase))
    return _Meant(denied(found[0], text, is_number=amounts.is_number(phrase)), amounts.bound(found[0], text))


def _bound_of_any(text: str, phrase: str) -> Bound:
    """The limit that an answer sets to the number of a phrase, in its own measure: "29 days" for "29"; "" where it does
    not speak of it."""
    among = words(text)
    numbers = {word.key for word in words(plain(phrase)) if word.is_number}
    return next((amounts.bound(Place(one.start, one.end), text) for one in among if one.key in numbers), "")
