"""Amounts in an answer: what they measure, whether they are a limit, which others stand beside them.

places, words -> measures, bounds, rivals.  Knows nothing about units or lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from trag.evaluate.scoring.wording import Place, Word, plain, words

Bound = Literal["", "at most", "at least", "more"]

MEASURES = frozenset("day week month year hour minute second gbp eur usd chf % word page kb mb gb km mile".split())
"""What an amount of one sort is counted in. Two amounts of different measures never mean the same."""

_LABEL = re.compile(
    r"(?:\b(?:sections?|articles?|parts?|chapters?|paragraphs?|rules?|clauses?|pages?|steps?|annex|appendix|table)"
    r"|§|#)\s*$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?<!\S)(\d+)[.)]\s+(?=\S)")
_WITHIN = r"(?:\W+(?:the|a|an|for|in|of|to|by|about))?\W*(?:(?:eur|gbp|usd|chf)\W*)?$"
_JOINED = re.compile(r"\W*(?:or|to|and)\b", re.IGNORECASE)
_JOINS = re.compile(r"\bor(?: (?:even|maybe|perhaps|possibly))?\W*$", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|(?:no|not|never|n't)\b(?:\W+\w+){0,4}?\W+(?:more|longer|later|over|above|exceed\w*)(?: than)?"
    rf"|maximum(?: of)?|limit(?:ed)?(?: is| of| to)*|within|cannot exceed){_WITHIN}",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    rf"\b(?:at least|(?:no|not|n't) (?:\w+ )?(?:less|fewer|earlier|sooner)(?: than)?|minimum(?: of)?){_WITHIN}",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\b(?:(?:more|longer|later|greater|higher|larger) than|over|above|exceed\w*|beyond){_WITHIN}", re.I
)
_ALLOWED = re.compile(r"\b(?:may|can|could|might|allowed to|free to)\b(?! not|n't|not)", re.IGNORECASE)
_AFTER_MOST = re.compile(r"^\W*(?:\w+ ){0,2}?(?:at (?:the )?most|maximum|or less|or fewer)\b", re.IGNORECASE)
_AFTER_LEAST = re.compile(r"^\W*(?:\w+ ){0,2}?(?:at (?:the )?least|minimum|or more|or longer)\b", re.IGNORECASE)


def is_number(phrase: str) -> bool:
    """Whether a phrase holds a number."""
    return any(word.is_number for word in words(plain(phrase)))


def is_meant(phrase: str, place: Place, text: str, among: Sequence[Word], known: Sequence[str]) -> bool:
    """Whether what stands at a place can be the bare number that a phrase is: no label of a section or of an item, no
    amount of a measure that none of the `known` texts speaks of."""
    wanted = words(plain(phrase))
    if len(wanted) != 1 or not wanted[0].is_number:
        return True
    if _LABEL.search(text[: place.start]) or place.start in item_numbers(text):
        return False
    said = measure(place, among)
    spoken = {word.key for one in known for word in words(plain(one))}
    return said not in MEASURES or said in spoken or not spoken & MEASURES


def item_numbers(text: str) -> frozenset[int]:
    """Where the numbers of a list's items begin: "1. Ward 4" at the beginning of a line, and in the same line the
    numbers that go on from there. A 1 may stand behind other words where a 2 follows."""
    found: set[int] = set()
    last = None
    numbers = [(match.start(), int(match[1])) for match in _ITEM.finditer(text)]
    for (start, number), (_, following) in zip_longest(numbers, numbers[1:], fillvalue=(0, 0)):
        opens_line = not text[:start].rpartition("\n")[2].strip()
        if opens_line or number - 1 == last or (number, following) == (1, 2):
            found.add(start)
            last = number
    return frozenset(found)


def measure(place: Place, among: Sequence[Word]) -> str:
    """What the number at a place counts, "" where it counts nothing that follows."""
    for number, word in enumerate(among):
        if word.is_number and place.start <= word.start < place.end:
            return among[number + 1].key if number + 1 < len(among) else ""
    return ""


def rivals(standing: Sequence[Place], text: str, among: Sequence[Word], known: Sequence[str]) -> Iterator[Place]:
    """Amounts of the same measure as those at the places, other than all that the `known` texts speak of."""
    measures = {measure(place, among) for place in standing}
    values = {word.key for one in known for word in words(plain(one)) if word.is_number}
    for word in among:
        if word.is_number and word.key not in values:
            place = Place(word.start, word.end)
            if measure(place, among) in measures or _JOINED.match(text, word.end) or _JOINS.search(text[: word.start]):
                yield place


def bound(place: Place, text: str) -> Bound:
    """Whether the amount at a place is a limit, and of which side; "more" where it is to be passed."""
    start = max(text.rfind(sign, 0, place.start) for sign in (";", ":", "\n", ". ")) + 1
    before, after = text[start : place.start], text[place.end : place.end + 40]
    if _AT_MOST.search(before) or _AFTER_MOST.match(after):
        return "at most"
    if _AT_LEAST.search(before) or _AFTER_LEAST.match(after):
        return "at least"
    return "more" if _MORE.search(before) and _ALLOWED.search(before) else ""


def contradicts(said: Bound, meant: Bound) -> bool:
    """Whether a limit said is another one than the limit meant: "at least four nights" for "not more than four"."""
    return (said, meant) in {("at least", "at most"), ("more", "at most"), ("at most", "at least"), ("more", "")}
