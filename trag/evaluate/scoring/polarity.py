"""The yes or no of an answer, at its beginning or in what it states.

Reading -> Findings.  Knows nothing about amounts or lists.
"""

from __future__ import annotations

import re
from typing import Literal

from trag.evaluate.scoring.asserting import denied
from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading
from trag.evaluate.scoring.wording import Place, plain
from trag.words import stems

Said = Literal["yes", "no", "both", ""]

_UNSURE = (
    r" (?:\w+ )?(?:sure|certain|clear)\b| enough (?:information|context|details?|data)\b"
    r"| (?:known|that I|heard|idea)\b"
)
"""Makes of a "no", "not" or "never" before it no answer: "not sure", "never heard of it"."""
_ANSWER = r"\W*(?:(?:the )?(?:short )?answer(?: is|:)\W*)?"
_YES = re.compile(
    rf"{_ANSWER}(?:yes|yep|yeah|yup|correct|right|indeed|true|affirmative|absolutely|certainly|of course|exactly"
    r"|definitely|sure|(?:that|this|it)(?:'s| is) (?:indeed )?(?:right|correct|true|the case)"
    r"|(?:it|they|you) (?:is|are|does|do|can|may|must)\b(?! not\b)(?=[.,;!]|$))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    rf"{_ANSWER}(?:no|nope|nah|not|incorrect|false|wrong|negative|never|cannot|i'?a?m afraid not|actually,? no"
    r"|unfortunately,? (?:not|no)|(?:that|this|it|they|you) (?:won't|can't|cannot)"
    r"|(?:that|this|it|they|you)(?:'s| is| are| does| do| can| may| will| must| should)(?:n't| not)"
    rf"|(?:that|this|it)(?:'s| is) (?:false|wrong|incorrect))\b(?! only\b|{_UNSURE})",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(r"\W*no (?!the\b|it\b|you\b|they\b|that\b|this\b|there\b)\w+ (?:than|\w+s?\b)", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|nobody|no one|nothing|nowhere|never)\W*[,.;:-]", re.IGNORECASE)
_ANY_NOT = re.compile(r"\b(?:no|none|nobody|nothing|nowhere|never|not)\b|n't\b", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:so|therefore|thus|hence|the answer is)\b[,:]?\W*(yes|no)\W*$", re.IGNORECASE)
_BOTH = re.compile(r"\W*(?:yes and no|it depends|maybe|perhaps|possibly|partly|yes or no|in part)\b", re.IGNORECASE)
_BARE = 1  # content words of its own that a bare yes or no may have: "the answer is no"
_NOT = re.compile(r"\b(?:not|never|neither|nor|cannot)\b|n't\b|\bno (?:longer|part)\b", re.IGNORECASE)


def opening(text: str) -> Said:
    """The yes or no that a text says in so many words; "" where it says neither."""
    if _BOTH.match(text):
        return "both"
    if ends := _ENDS.search(text):
        return "yes" if ends[1].lower() == "yes" else "no"
    if _NO.match(text) and not (_NO_NOUN.match(text) and not re.match(r"\W*no[,.;:!-]", text, re.I)):
        return "no"
    return "yes" if _YES.match(text) else ""


def is_bare(reading: Reading) -> bool:
    """Whether the answer is the right yes or no, where the case's own answer begins with it, and no more than the
    question said again."""
    said, case = opening(reading.text), reading.case
    known = stems(plain(f"{case.question} {case.answer}"))
    return bool(said) and said == opening(plain(case.answer)) and len(stems(reading.text) - known) <= _BARE


def polarity(reading: Reading, *, has_gold: bool) -> Findings:
    """Whether the answer says the yes or no of the case. `has_gold` is whether all of the other gold is there: to say
    where a unit really is denies that it is elsewhere."""
    wanted = reading.case.polarity
    if not wanted:
        case = reading.case
        gold = " ".join((case.answer, *(alternative for item in case.gold for alternative in item)))
        if _NOTHING.match(reading.text) and not _ANY_NOT.search(gold) and case.count is None:
            return Findings(wrong=("says that there is none",))
        said, meant = opening(reading.text), opening(plain(reading.case.answer))
        if {said, meant} == {"yes", "no"}:
            return Findings(wrong=(f"says {said} for {meant}",))
        return Findings(places=(Place(0, 1),) if said and said == meant else ())
    said = opening(reading.text) or _stated(reading)
    if said == wanted:
        return Findings(places=(Place(0, 1),))
    if said == "both":
        return Findings(wrong=("says neither yes nor no",))
    if said:
        return Findings(wrong=(f"says {said} for {wanted}",))
    if reading.case.gold and has_gold:
        return Findings()
    return Findings(wrong=(f"does not say {wanted}",))


def _stated(reading: Reading) -> Said:
    """The yes or no of a sentence that speaks of the units of the question: "A is not part of B"."""
    named = reading.named
    if named is None or len(named.asked) < 2:
        return ""
    for sentence in reading.sentences:
        here = reading.text[sentence.start : sentence.end]
        inside = [
            one for one in named.mentions if sentence.start <= one.start < sentence.end and named.asked & {*one.units}
        ]
        if len({unit for one in inside for unit in one.units} & named.asked) >= 2:
            last = inside[-1]
            no = _NOT.search(here) or denied(Place(last.start, last.end), reading.text, is_number=False)
            return "no" if no else "yes"
    return ""
