"""Whether an answer declines to answer, in the product's words or in its own, and what it says besides.

text -> the sentences that decline, and those that do not.  Knows nothing about gold, but for what sort of reply is
right: where that is a no, or that there is none, only what is not known declines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from prompts import CANNOT_ANSWER
from trag.words import sentences

Right = Literal["answer", "denial", "refusal"]
"""What a right reply is: an answer, one that denies ("no", "none", "there is no such unit"), or a refusal."""

_EVIDENCE = (
    r"(?<![\w-])(?:facts?|contexts?|documents?|documentation|information|texts?|passages?|sources?|records?|materials?"
    r"|excerpts?|statements?|data)\b"
)
_RULES = (  # what they leave out may be so: "the policy does not cover alcohol", "the chart has no such unit"
    r"(?<![\w-])(?:charts?|rules|handbooks?|(?-i:sections?)|polic(?:y|ies)|guide(?:line)?s?|manuals?|bylaws?"
    r"|procedures?)\b"
)
_OF_SOURCES = (  # what may stand between the documents and what they do not do
    r"(?:\W+(?:and|or|the|of|in|that|which|provided|given|above|available|i|we|you|have|documents?|charts?|here|also"
    r"|itself|themselves|currently|explicitly|simply|organi[sz]ation\w*|foundation|(?-i:[A-Z]\w+))\b){0,6}\W+"
)
_SAY = (
    r"(?:hold|contain|mention|include|provide|say|state|specify|give|list|cover|tell|answer|name|describe|address"
    r"|indicate|explain|show|define|detail|have|discuss|disclose)s?\b"
)
_TOLD = r"(?:mentioned|stated|specified|known|found|documented|disclosed|described|addressed|answered|determined)"
_GIVEN = rf"(?:{_TOLD}|provided|given|covered|listed|recorded|available|included|named|defined|set out|published)"
_HOLDS = r"(?:give|set|contain|name|state|provide|list|mention|hold|say|have|include)s?"


def _silent(source: str) -> tuple[str, ...]:
    """How it is said that a source tells nothing of something."""
    return (
        rf"{source}{_OF_SOURCES}(?:do(?:es)? not|don't|doesn't|did not|never|nowhere) (?:\w+ ){{0,2}}?{_SAY}",
        rf"{source}{_OF_SOURCES}{_HOLDS} (?:no|nothing)\b",
        rf"\b(?:nothing|none|neither|no)\b[^.;]{{0,40}}{source}[^.;]{{0,60}}\b{_SAY}",
    )


_UNKNOWN = (
    re.escape(CANNOT_ANSWER.rstrip(".")),
    r"\b(?:I|we)(?: can ?not| can't| could not| couldn't|(?: am|'m| are) (?:unable|not able) to)"
    r" (?:\w+ ){0,2}?(?:answer|find|determine|say|tell|provide|give|confirm)\b",
    r"\b(?:I|we) (?:do not|don't) (?:\w+ )?know\b",
    r"\b(?:I|we) (?:do not|don't) have (?:\w+ ){0,3}"
    r"(?:information|access|details?|data|knowledge|answer|idea\b)",
    *_silent(_EVIDENCE),
    r"\bI (?:found|find|see|know of) (?:no|nothing)\b",
    r"\bno (?:\w+ ){0,2}?(?:information|mention|record|statement|details?|data|answer|indication|reference)\b",
    rf"(?:\bnot|n't) (?:\w+ly )?{_TOLD}(?: for)? (?:anywhere|here|there|by|in|within|from|to me|at all)\b",
    rf"(?:\bnot|n't) (?:\w+ly )?{_GIVEN}(?: for)? (?:anywhere|here|there|to me)\b",
    rf"(?:\bnot|n't) (?:\w+ly )?{_GIVEN}(?: for)? (?:by|in|within|from) (?:\w+ ){{0,3}}?{_EVIDENCE}",
    rf"(?:\bnot|n't|\bnowhere|\bnever)(?: \w+ly)?(?: be)? {_TOLD}"
    r"(?:\W*$| (?:who|what|how|when|where|which|whether)\b)",
    rf"^\W*(?:no|neither|none|nothing)\b[^.;]{{0,80}} (?:is|are|was|were) {_TOLD}"
    r"(?:\W*$| (?:anywhere|here|there|by|in|within|from)\b)",
    r"\b(?:is|are|remains?) (?:unknown|unclear|unavailable|undocumented)\b",
    r"\b(?:outside|beyond) (?:the scope|what)\b",
    r"\bnothing (?:about|on|regarding)\b",
    r"\bunable to (?:answer|find|determine|say|provide)\b",
    r"(?:\bnot|n't) enough (?:information|context|details?|data)\b",
    r"\bhave no idea\b|^\W*no idea\W*$",
    r"^\W*(?:(?:I(?:'m| am) |(?:it|that)(?:'s| is) )?not|(?:it|that) isn't) (?:\w+ )?(?:sure|certain|clear)"
    r"(?:\W*$| (?:who|what|how|when|where|which|whether|if|about|from|in)\b[^,;]*$)",
    r"^\W*(?:not that I(?:'m| am)? (?:know|aware)|(?:I(?:'ve| have) )?never heard)\b(?: of)?(?: \w+)?\W*$",
)
_DENIED = (
    *_silent(_RULES),
    rf"(?:\bnot|n't) (?:\w+ly )?{_GIVEN}(?: for)? (?:by|in|within|from|at all)\b",
    rf"^\W*(?:no|neither|none|nothing)\b[^.;]{{0,80}} (?:is|are|was|were) {_GIVEN}"
    r"(?:\W*$| (?:anywhere|here|there|by|in|within|from)\b)",
    r"\bdo(?:es)?(?: not|n't) (?:exist|appear)\b|\bno such\b",
    r"\bthere(?:'s| is| are) no\b[^.;]{0,60}\b(?:in|on) (?:the|our|this) (?:\w+ )?"
    r"(?:chart|organi[sz]ation|project|trust|documents?|structure)\b",
    r"\bnothing in the\b",
)
_AMOUNT = r"(?:\w+ )?(?:limit|fee|charge|cost|price|deadline|maximum|minimum|need|rule|restriction|difference)s?\b"
"""What there is none of, where that is an answer."""
_ABSENT = (
    rf"^\W*(?:(?:no|sorry),? )?there(?:'s| is| are) no (?!{_AMOUNT})[^,;:]{{1,80}}$",
    rf"^[^,;:]{{1,80}} (?:has|have) no (?!{_AMOUNT})[^,;:]{{1,80}}$",
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_DECLINES: Mapping[Right, re.Pattern[str]] = {
    "answer": _any(*_UNKNOWN, *_DENIED),
    "denial": _any(*_UNKNOWN),
    "refusal": _any(*_UNKNOWN, *_DENIED, *_ABSENT),
}
_ADVICE = re.compile(
    r"^\W*(?:please|you (?:may|might|could|can|should|would) (?:\w+ )?(?:ask|contact|check|want|write|consult|reach)"
    r"|try|ask|contact|check|consult|write to|i(?: would)? (?:recommend|suggest|apologi[sz]e)|i(?:'m| am) sorry|sorry"
    r"|if you (?:have|need|give|tell)|let me know|is there anything|the (?:best|right) (?:place|person) to ask)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """The sentences of an answer: those that decline, and those that say something of their own."""

    declining: tuple[str, ...]
    telling: tuple[str, ...]

    @property
    def declines(self) -> bool:
        """Whether it says that it cannot answer, and nothing else."""
        return bool(self.declining) and not self.telling


def read(text: str, right: Right = "answer") -> Reply:
    """The sentences of a `plain` answer, where a `right` one is of that sort. Advice where else to ask belongs to a
    refusal; an empty answer is one."""
    parts = sentences(text)
    declining = tuple(part for part in parts if _DECLINES[right].search(part))
    if not parts:
        return Reply(("",), ())
    return Reply(declining, tuple(part for part in parts if part not in declining and not _ADVICE.match(part)))
