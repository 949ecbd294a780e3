"""Whether an answer stands by what it says at a place, denies it, or leaves it open among others.

place, text -> denied, hedged.  Read from the words around, within the clause.  Knows nothing about gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trag.evaluate.scoring.wording import Place

_REACH = 4  # words between a "not" and what it denies
_NEAR = 7  # words between two things that are offered as a choice

_NOT = r"\b(?:(?<!or )not|never|no|cannot|can't|nor|neither|none|nobody|nothing)\b|n't\b"
_CLAUSE = re.compile(
    r"[,;:()!?\n]|\.(?=\s|$)| - "
    r"|\b(?:but|and|because|so|if|when|while|which|that|who|whose|since|though|although|however|then)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[!?\n]|\.(?=\s|$)")
_DENIED = re.compile(rf"(?P<no>{_NOT})(?P<between>(?:[^\w'/-]*+[\w'/-]++){{0,{_REACH}}}[^\w'/-]*+)$", re.IGNORECASE)
_BARRED = re.compile(
    r"\b(?:(?:must|may|can|shall|should)(?:n't| not| never)|cannot)\b"
    r"(?P<between>(?:[^\w'/-]*+[\w'/-]++){0,7}[^\w'/-]*+)$",
    re.IGNORECASE,
)
"""What must not be reaches further than what is not: "must not be kept in the fridge for 12 hours"."""
_AFTER = re.compile(r"\bafter\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|longer|later|earlier|sooner|greater|larger|bigger|higher|lower|further|smaller|other) than\b"
    r"|\b(?:exceed\w*|before|until|till|unless|except|but|only|without|past|beyond|just|if|over|above|alone)\b",
    re.IGNORECASE,
)
"""Turns a "not" before it into a limit or an exception: "not later than", "not without"."""
_UNTRUE = re.compile(
    r"\b(?:(?:not|n't) (?:true|correct|right|the case)|untrue|false|wrong|a mistake|a myth) (?:that|to)\b[^,;]{0,60}$"
    r"|\b(?:used to(?: be)?|formerly|previously|in the past)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_LINK = r"(?:\s+(?:the|a|an|by|to|in|under|of|at|for|from|within|just|being|part|with)\b)*\W*$"
_INSTEAD = re.compile(
    r"\b(?:rather than|instead of|as opposed to|in contrast to|contrary to|unlike|neither|nor|whatever"
    rf"|regardless of(?: what)?|no matter what){_LINK}",
    re.IGNORECASE,
)
_WITHOUT = re.compile(rf"\b(?:other than|apart from|except(?: for)?|excluding|without){_LINK}", re.IGNORECASE)
_UNLESS = re.compile(r"\b(?:unless|without|except(?: when| if)?)\b(?:[^\w'-]*+[\w'-]++){0,4}[^\w'-]*+$", re.IGNORECASE)
_VERB = (
    r"(?:do|does|did|is|are|was|were|can|could|may|might|must|will|would|shall|should|has|have|had|need|needs)"
    r"(?:n't\b| not\b| never\b)|cannot\b|can't\b|never\b"
)
_AFTER_NAME = re.compile(rf"(?:\W*(?:of|for)(?: [\w-]+){{1,3}})?\W{{0,2}}\s*(?:{_VERB})(?! only\b)", re.IGNORECASE)
_AFTER_NUMBER = re.compile(
    r"(?:[^\w-]+[\w-]+){0,2}?[^\w-]+(?:(?:is|are|was|were)(?:n't| not)|would be wrong|is wrong|are wrong)"
    r"(?: the (?:right|answer|limit|correct|case|rule)\b| (?:right|correct|true|enough|it)\b|\W*$)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\W*\bor (?:(?:the|a|an|by|to|from|with|of|in|under|even|maybe|perhaps) )*"
    r"(?!(?:less|more|fewer|longer|later|earlier|so|not|else|above|below|under|over)\b)(?P<noun>[\w-]+)",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|/|\bif not\b|\balternatively\b|\b(?:maybe|perhaps|possibly) (?:even )?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\W+(?:\w+\W+)?$", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:possibly|perhaps|maybe|not (?:\w+ )?(?:sure|certain|clear)|unsure|uncertain|i (?:think|believe|guess|assume)"
    r"|probably|unclear)\b|\b(?:might|may|could) (?:also |even )?be(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)


def denied(place: Place, text: str, *, is_number: bool) -> bool:
    """Whether the text denies what stands at a place: "not 30 days", "the board does not approve"."""
    before, after = _around(_CLAUSE, place, text)
    sentence, _ = _around(_SENTENCE, place, text)
    if _UNTRUE.search(sentence) or _INSTEAD.search(before):
        return True
    if without := _WITHOUT.search(before):  # "not without the chair" needs the chair
        return not re.search(_NOT, before[: without.start()], re.IGNORECASE)
    found = _DENIED.search(before)
    # The last "not" counts, for two would be a yes again.
    while found and (later := _DENIED.search(before, found.start() + 1)):
        found = later
    if found and not _BOUND.search(found["between"]) and not _is_particle(found, before, sentence):
        return True
    barred = _BARRED.search(before) if is_number else None
    if barred and not _BOUND.search(barred["between"]) and not _AFTER.search(barred["between"]):
        return True
    return bool((_AFTER_NUMBER if is_number else _AFTER_NAME).match(after))


def excepted(place: Place, text: str) -> bool:
    """Whether what stands at a place is the exception: "unless the child objects" says that it must not object."""
    return bool(_UNLESS.search(_around(_SENTENCE, place, text)[0]))


def hedged(place: Place, rivals: Iterable[Place], text: str) -> bool:
    """Whether the text leaves open which holds, what stands at the place or one of its rivals."""
    for rival in rivals:
        first, second = sorted((place, rival), key=lambda one: one.start)
        if first.overlaps(second):
            continue
        between = text[first.end : second.start]
        near = len(between.split()) <= _NEAR and not _SENTENCE.search(between)
        if near and (_OR.search(between) or _BETWEEN.search(text[: first.start])):
            return True
        if any(_UNSURE.search(_around(_SENTENCE, one, text)[0]) for one in (place, rival)):
            return True
    return False


def offered(place: Place, text: str) -> str:
    """What the text offers in place of what stands at a place, "X or the author": its first word, "" for nothing."""
    found = _OTHERWISE.match(text, place.end)
    return found["noun"] if found else ""


def _around(boundary: re.Pattern[str], place: Place, text: str) -> tuple[str, str]:
    """The text before and after a place, up to the nearest boundaries."""
    start = max((match.end() for match in boundary.finditer(text, 0, place.start)), default=0)
    following = boundary.search(text, place.end)
    return text[start : place.start], text[place.end : following.start() if following else len(text)]


def _is_particle(found: re.Match[str], clause: str, sentence: str) -> bool:
    """Whether the "no" is the answer to the question and no part of the sentence: "No the limit is 400 KB"."""
    opens = found["no"].lower() == "no" and not clause[: found.start()].strip() and len(clause) == len(sentence)
    return opens and bool(found["between"].strip())
