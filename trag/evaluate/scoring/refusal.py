"""Whether an answer declines to answer, in words of its own, and what it says besides.

text -> the sentences that decline, and those that do not.  Knows nothing about gold, but for what sort of reply is
right: where that is a no, or that there is none, only what is not known declines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from trag.evaluate.scoring.wording import sentences

Right = Literal["answer", "denial", "refusal"]
"""What a right reply is: an answer, one that denies ("no", "none", "there is no such unit"), or a refusal."""

_EVIDENCE = (
    r"\b(?:facts?|contexts?|documents?|documentation|information|texts?|passages?|sources?|records?|excerpts?|data)\b"
)
_RULES = r"(?<![\w-])(?:charts?|rules|handbooks?|(?-i:sections?)|polic(?:y|ies)|guide(?:line)?s?|manuals?|bylaws?)\b"
"""What these leave out may be so: "the policy does not cover alcohol", "the chart has no such unit"."""
_SAY = (
    r"(?:hold|contain|mention|include|provide|say|state|specify|give|set|list|cover|tell|answer|name|describe|address"
    r"|show|define|have)s?\b"
)
_TOLD = r"(?:mentioned|stated|specified|known|found|described|addressed|answered|determined)"
_GIVEN = rf"(?:{_TOLD}|provided|given|covered|listed|recorded|available|included|named|defined)"
_NOT = r"(?:\bnot|n't|\bnowhere|\bnever)(?: \w+ly)?(?: be)?"
_WHERE = r"(?: for)?(?:\W*$| (?:who|what|how|when|where|which|whether|anywhere|here|there|to me|by|in|within|from)\b)"
_NONE = r"^\W*(?:no|neither|none|nothing)\b[^.;]{0,80} (?:is|are|was|were)"
_THING = r"(?!(?:\w+ )?(?:limit|fee|charge|cost|deadline|maximum|minimum|need|rule|restriction)s?\b)[^,;:]{1,80}$"


def _silent(source: str) -> tuple[str, ...]:
    """How it is said that a source tells nothing of something."""
    return (
        rf"{source}(?:\W+[\w'-]+){{0,6}}?\W+(?:do(?:es)? not|do(?:es)?n't|never|nowhere) (?:\w+ ){{0,2}}?{_SAY}",
        rf"{source}(?:\W+[\w'-]+){{0,6}}?\W+{_SAY} (?:no|nothing)\b",
        rf"\b(?:nothing|none|neither|no)\b[^.;]{{0,40}}{source}[^.;]{{0,60}}\b{_SAY}",
    )


_UNKNOWN = (
    r"\b(?:I|we)(?: can ?not| can't| could not| couldn't|(?: am|'m| are) (?:unable|not able) to)"
    r" (?:\w+ ){0,2}?(?:answer|find|determine|say|tell|provide|give|confirm)\b",
    r"\b(?:I|we) (?:do not|don't) (?:(?:\w+ )?know|have (?:\w+ ){0,3}(?:information|details?|data|answer|idea))\b",
    *_silent(_EVIDENCE),
    r"\bI (?:found|find|see|know of) (?:no|nothing)\b",
    r"\bno (?:\w+ ){0,2}?(?:information|mention|record|statement|details?|data|answer|indication|reference)\b",
    rf"{_NOT} {_TOLD}{_WHERE}",
    rf"{_NOT} {_GIVEN}(?: for)? (?:by|in|within|from) (?:\w+ ){{0,3}}?{_EVIDENCE}",
    rf"{_NONE} {_TOLD}(?:\W*$| (?:anywhere|here|there|by|in)\b)",
    r"\b(?:is|are|remains?) (?:unknown|unclear|unavailable)\b|\b(?:outside|beyond) the scope\b",
    r"\bnothing (?:about|on|regarding)\b|(?:\bnot|n't) enough (?:information|context|details?|data)\b|^\W*no idea\W*$",
    r"^\W*(?:(?:I(?:'m| am) |(?:it|that)(?:'s| is) )?not|(?:it|that) isn't) (?:\w+ )?(?:sure|certain|clear)"
    r"(?:\W*$| (?:who|what|how|when|where|which|whether|if|about|from|in)\b[^,;]*$)",
    r"^\W*(?:not that I(?:'m| am)? (?:know|aware)|(?:I(?:'ve| have) )?never heard)\b(?: of)?(?: \w+)?\W*$",
)
_DENIED = (
    *_silent(_RULES),
    rf"{_NOT} {_GIVEN}(?: for)? (?:by|in|within|from|anywhere|here|there|at all)\b",
    rf"{_NONE} {_GIVEN}(?:\W*$| (?:anywhere|here|there|by|in)\b)",
    r"\bdo(?:es)?(?: not|n't) (?:exist|appear)\b|\bno such\b|\bnothing in the\b",
    r"\bthere(?:'s| is| are) no\b[^.;]{0,60}\b(?:in|on) (?:the|our|this) (?:\w+ )?(?:chart|organi[sz]ation)\b",
)
_ABSENT = (rf"^\W*(?:(?:no|sorry),? )?there(?:'s| is| are) no {_THING}", rf"^[^,;:]{{1,80}} (?:has|have) no {_THING}")


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_DECLINES: Mapping[Right, re.Pattern[str]] = {
    "answer": _any(*_UNKNOWN, *_DENIED),
    "denial": _any(*_UNKNOWN),
    "refusal": _any(*_UNKNOWN, *_DENIED, *_ABSENT),
}
_ADVICE = re.compile(
    r"^\W*(?:please|you (?:may|might|could|can|should) (?:\w+ )?(?:ask|contact|check|want|write|consult)"
    r"|try|ask|contact|check|consult|write to|i(?:'m| am)? (?:recommend|suggest|apologi[sz]e|sorry)|sorry"
    r"|if you (?:have|need|give|tell)|let me know|is there anything)\b",
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
    parts = [text[one.start : one.end] for one in sentences(text)]
    if not parts:
        return Reply(("",), ())
    declining = tuple(part for part in parts if _DECLINES[right].search(part))
    return Reply(declining, tuple(part for part in parts if part not in declining and not _ADVICE.match(part)))
