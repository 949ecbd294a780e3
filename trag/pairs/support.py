"""Whether a section bears out an answer, and which of its sentences do.

Lexical and strict: an answer that says it in other words is for a person to look at. Knows nothing about how pairs are
made.
"""

from __future__ import annotations

import re

from trag.words import negated, numbers, sentences, stems

COVERAGE = 0.75
"""Share of an answer's content words that the sentences must hold."""
EXACT = 0.85
"""The same for an answer that holds a number: the wrong amount mostly stands right beside the right one."""
ABOUT = 0.34
"""Share of the question's content words that a short answer's sentences, or their heading, must hold."""
WINDOW = 3
"""Sentences in a row that may bear out an answer together."""
SHORT = 3
"""Content words under which an answer says too little to be found by itself: "Four.", "The Director."."""

_OPENING = re.compile(r"^\W*(yes|no|true|false|correct|incorrect)\b[\s,.;:!–-]*", re.I)
_ASKING = stems("often long many much soon far large")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+|\b[A-Z]{2,}\b")


def source(question: str, answer: str, text: str, heading: str = "") -> str:
    """The fewest sentences of `text` in a row that bear out `answer` to `question`; "" where none do.

    They hold the answer's words, all of its numbers and names, and deny what it denies. A bare "Yes" or "No" is taken
    as what the question says; a short answer must also stand where the question's words do, or under such a `heading`.
    """
    opening = _OPENING.match(answer)
    claim = answer[opening.end() :] if opening else answer
    denies = negated(claim)
    bare = bool(opening and not stems(claim) and not numbers(claim))
    if opening and bare:
        yes = opening[1].lower() in ("yes", "true", "correct")
        claim, denies = question, negated(question) is yes
    wanted, figures, names = stems(claim), numbers(claim), set(_NAME.findall(claim))
    if not wanted and not figures:
        return ""
    asked = stems(question) - stems(heading) - _ASKING
    short = len(wanted) < SHORT and not bare
    parts = sentences(text)
    for size in range(1, WINDOW + 1):
        for first in range(len(parts) - size + 1):
            window = " ".join(parts[first : first + size])
            held = stems(window) | (stems(heading) if bare else frozenset())
            if not figures <= numbers(window) or not all(name.lower() in window.lower() for name in names):
                continue
            if denies != negated(window):
                continue
            if wanted and len(wanted & held) < (EXACT if figures else COVERAGE) * len(wanted):
                continue
            if short and asked and len(asked & held) < ABOUT * len(asked):
                continue
            return _as_it_stands(parts[first : first + size], text)
    return ""


def stands_in(stretch: str, text: str) -> bool:
    """Whether `stretch` is in `text` word for word, whatever the spaces."""
    return bool(stretch.strip()) and " ".join(stretch.split()) in " ".join(text.split())


def _as_it_stands(parts: tuple[str, ...], text: str) -> str:
    start = text.find(parts[0])
    end = text.find(parts[-1], start) + len(parts[-1])
    return text[start:end]
