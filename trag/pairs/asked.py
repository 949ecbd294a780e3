"""A question that a clause answers, and what makes one that cannot stand by itself.

Knows nothing about which questions there are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trag.pairs.clauses import Clause

MOST_WORDS = 26
"""Words a question may have: a longer one is a sentence with a question mark."""

RELATIVE = re.compile(r"\b(?:who|which|whose|whom|that|if|when|unless|whether|where|because|until|how|what)\b")
LEANING = re.compile(
    r"\b(?:it|they|them|he|she|him|these|those|such|thereof|thereby|therefore|thus|hence|then|otherwise|hereby|herein|above|below|following|latter|former|so|there|"
    r"us|we|our|this|others|ones|anything|something|please)\b"
    r"|\bif that\b|\bone(?= (?:for|of|in|from|to|by|with|at|if)\b|$)|\bthat$",
    re.I,
)
"""Words that point at another sentence."""
OPEN_END = re.compile(
    r"\b(?:the|a|an|of|to|and|or|than|worth|for|by|in|on|at|with|from|only|up|per|least|most|also|is|are|be|not|none|any|some)$"
)
_ASKS_FOR_THE_END = re.compile(r"(?:who|what|whose)\b.* (?:of|to|for|from|with|by|on)$", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its type, and the word ("Yes", "No") that its answer starts with, if one."""

    question: str
    type: str = "short answer"
    opening: str = ""


def turned(words: str, clause: Clause, rest: str, type: str = "short answer", opening: str = "") -> Asked:
    """The clause turned round: "How often" + "does" + "the board" + "meet", and the setting last."""
    return Asked(f"{words} {clause.auxiliary} {clause.subject} {rest} {clause.setting}", type, opening)


def stands(question: str) -> bool:
    """Whether a question is short, whole, and points at nothing that is not in it."""
    open_end = OPEN_END.search(question) and not _ASKS_FOR_THE_END.match(question)
    return len(question.split()) > 2 and not (
        len(question.split()) > MOST_WORDS or open_end or LEANING.search(question)
    )
