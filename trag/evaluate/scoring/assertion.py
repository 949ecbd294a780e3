"""How an answer says a thing: whether it stands by it, denies it, leaves it open, or makes it a limit; its yes or no.

place, text -> denied, hedged, bound; text -> yes or no.  Read from the words around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from trag.evaluate.scoring.wording import Place

Bound = Literal["", "at most", "at least", "more"]
Said = Literal["yes", "no", ""]

_NEAR = 7  # words between two things that are offered as a choice
NOT = re.compile(
    r"\b(?:(?<!or )not|never|no|cannot|can't|nor|neither|none|nobody|nothing|nowhere)\b|n't\b", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"[,;:()!?\n]|\.(?=\s|$)| - |\b(?:but|and|because|so|if|when|while|which|that|who|whose|since|though|then)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[!?\n]|\.(?=\s|$)")
_WORDS = r"(?P<between>(?:[^\w'/-]*+[\w'/-]++){0,%d}[^\w'/-]*+)$"
_DENIED = re.compile(rf"(?:{NOT.pattern}){_WORDS % 4}", re.IGNORECASE)
_BARRED = re.compile(rf"\b(?:(?:must|may|can|shall|should)(?:n't| not| never)|cannot)\b{_WORDS % 7}", re.IGNORECASE)
"""What must not be reaches further than what is not: "must not be kept in the fridge for 12 hours"."""
_BOUND = re.compile(
    r"\b(?:more|less|fewer|longer|later|earlier|sooner|greater|larger|higher|lower|further|other) than\b"
    r"|\b(?:exceed\w*|before|until|unless|except|but|only|without|beyond|just|if|over|above|alone)\b",
    re.IGNORECASE,
)
"""Turns a "not" before it into a limit or an exception: "not later than", "not without"."""
_INSTEAD = re.compile(
    r"\b(?:rather than|instead of|as opposed to|unlike|neither|nor|whatever|(?:not|n't) true that|used to be)"
    r"(?:\s+(?:the|a|an|you|have|by|to|in|under|of|at|for|from|within|just|being|part|with)\b)*\W*$",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"\b(?:unless|without|except(?: when| if)?)\b(?:[^\w'-]*+[\w'-]++){0,4}[^\w'-]*+$", re.IGNORECASE)
_AFTER = re.compile(
    r"(?:\W*(?:of|for)(?: [\w-]+){1,3})?\W{0,2}\s*(?:(?:do|does|did|is|are|was|were|can|may|must|will|would|should|has"
    r"|have|need)(?:n't\b| not\b| never\b)|cannot\b|can't\b|never\b)(?! only\b)",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|/|\bif not\b|\balternatively\b|\b(?:maybe|perhaps|possibly)\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\W*\bor (?:(?:the|a|an|by|to|from|with|of|in|under|even|maybe|perhaps) )*"
    r"(?!(?:less|more|fewer|longer|later|earlier|so|not|else|above|below|under|over)\b)(?P<noun>[\w-]+)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:possibly|perhaps|maybe|between|not (?:\w+ )?(?:sure|certain|clear)|unsure|i (?:think|believe)|probably)\b"
    r"|\b(?:might|may|could) (?:also |even )?be(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
_WITHIN = r"(?:\W+(?:the|a|an|for|in|of|to|by|about))?\W*(?:(?:eur|gbp|usd|chf)\W*)?$"
_MOST = re.compile(
    r"\b(?:at most|up to|(?:no|not|never|n't)\b(?:\W+\w+){0,4}?\W+(?:more|longer|later|over|above|exceed\w*)(?: than)?"
    rf"|maximum(?: of)?|limit(?:ed)?(?: is| of| to)*|within){_WITHIN}",
    re.IGNORECASE,
)
_LEAST = re.compile(
    rf"\b(?:at least|(?:no|not|n't) (?:\w+ )?(?:less|fewer|earlier|sooner)(?: than)?|minimum(?: of)?){_WITHIN}",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\b(?:may|can|could|might)\b(?! not|n't).*\b(?:(?:more|longer|later|higher) than|over|above|beyond){_WITHIN}",
    re.IGNORECASE,
)
_UNKNOWN = r" (?:\w+ )?(?:sure|certain|clear)\b| enough (?:information|context|details?)\b| (?:known|that I|heard)\b"
"""Makes of a "no", "not" or "never" before it no answer: "not sure", "never heard of it"."""
_YES = re.compile(
    r"\W*(?:(?:the )?answer(?: is|:)\W*)?(?:yes|yep|yeah|correct|right|indeed|true|absolutely|of course|exactly"
    r"|(?:that|this|it)(?:'s| is) (?:right|correct|true|the case)"
    r"|(?:it|they|you) (?:is|are|does|do|can|may|must)\b(?! not\b)(?=[.,;!]|$))\b|.*\bso yes\W*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(r":\s*(yes|no)\W*$", re.IGNORECASE)
_NO = re.compile(
    r"\W*(?:(?:the )?answer(?: is|:)\W*)?(?:no|nope|not|incorrect|false|wrong|never|cannot|unfortunately,? (?:not|no)"
    r"|(?:that|this|it|they|you) (?:won't|can't|cannot)"
    r"|(?:that|this|it|they|you)(?:'s| is| are| does| do| can| may| will| must| should)(?:n't| not)"
    rf"|(?:that|this|it)(?:'s| is) (?:false|wrong|incorrect))\b(?! only\b|{_UNKNOWN})",
    re.IGNORECASE,
)


def denied(place: Place, text: str, *, is_number: bool) -> bool:
    """Whether the text denies what stands at a place: "not 30 days", "the board does not approve"."""
    before, after = around(_CLAUSE, place, text)
    if _INSTEAD.search(_before(place, text)):
        return True
    found = _DENIED.search(before)
    # The last "not" counts, for two would be a yes again.
    while found and (later := _DENIED.search(before, found.start() + 1)):
        found = later
    if found and not _BOUND.search(found["between"]):
        return True
    barred = _BARRED.search(before) if is_number else None
    if barred and not _BOUND.search(barred["between"]) and "after" not in barred["between"]:
        return True
    return not is_number and bool(_AFTER.match(after))


def excepted(place: Place, text: str) -> bool:
    """Whether what stands at a place is the exception: "unless the child objects" says that it must not object."""
    return bool(_UNLESS.search(_before(place, text)))


def hedged(place: Place, rivals: Iterable[Place], text: str) -> bool:
    """Whether the text leaves open which holds, what stands at the place or one of its rivals."""
    for rival in rivals:
        first, second = sorted((place, rival), key=lambda one: one.start)
        if first.overlaps(second):
            continue
        between = text[first.end : second.start]
        if len(between.split()) <= _NEAR and not _SENTENCE.search(between) and _OR.search(between):
            return True
        if any(_UNSURE.search(_before(one, text)) for one in (place, rival)):
            return True
    return False


def offered(place: Place, text: str) -> str:
    """What the text offers in place of what stands at a place, "X or the author": its first word, "" for nothing."""
    found = _OTHERWISE.match(text, place.end)
    return found["noun"] if found else ""


def follows_denial(place: Place, text: str) -> bool:
    """Whether the sentence denies something before a place, so that "or" means all: "do not bring it to A or B"."""
    return bool(NOT.search(_before(place, text)))


def bound(place: Place, text: str) -> Bound:
    """Whether the amount at a place is a limit, and of which side; "more" where it is to be passed."""
    before = _before(place, text).rpartition(";")[2].rpartition(":")[2]
    if _MOST.search(before):
        return "at most"
    if _LEAST.search(before):
        return "at least"
    return "more" if _MORE.search(before) else ""


def contradicts(said: Bound, meant: Bound) -> bool:
    """Whether a limit said is another one than the limit meant: "at least four nights" for "not more than four"."""
    return (said, meant) in {("at least", "at most"), ("more", "at most"), ("at most", "at least"), ("more", "")}


def opening(text: str) -> Said:
    """The yes or no that a text says in so many words at its beginning, or behind a colon at its end ("Up to 30 days:
    yes."); "" where it says neither."""
    if closing := _CLOSING.search(text):
        return "yes" if closing[1].casefold() == "yes" else "no"
    return "no" if _NO.match(text) else "yes" if _YES.match(text) else ""


def _before(place: Place, text: str) -> str:
    return around(_SENTENCE, place, text)[0]


def around(boundary: re.Pattern[str], place: Place, text: str) -> tuple[str, str]:
    """The text before and after a place, up to the nearest boundaries."""
    start = max((match.end() for match in boundary.finditer(text, 0, place.start)), default=0)
    following = boundary.search(text, place.end)
    return text[start : place.start], text[place.end : following.start() if following else len(text)]
