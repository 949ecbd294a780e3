"""The one or two sentences of the sources that answer best, to stand in for a model that found nothing.

Knows nothing about models or prompts; vectors come from whoever calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from store.vectors import Passage
from trag.words import numbers, sentences, stems

if TYPE_CHECKING:
    import numpy as np

LONGEST = 500
"""Characters a quotation may have at most, unless its one sentence is longer."""
BOTH = 0.8
"""Share of the best sentence's score from which the second best is quoted beside it."""

_LEANS_BACK = re.compile(
    r"^(?:it|they|this|these|those|he|she|such|its|their|in this case|in that case|however|otherwise)\b", re.I
)
_MONEY = re.compile(
    r"[£$€¥]\s?\d|\b[A-Z]{3}\s?\d|\d\s?[A-Z]{3}\b|%|"
    r"\b(?:euros?|dollars?|pounds?|free|fees?|charges?|charged|paid|per cent)\b"
)
_TIME = re.compile(
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|quarters?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|"
    r"once|twice|immediately|at once|noon|midnight|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|never|always|before|after|until|when)\b|"
    r"\d{1,2}:\d\d|\b(?:19|20)\d\d\b",
    re.I,
)
_TELEPHONE = re.compile(r"\+?\d[\d ()/-]{4,}\d|\bext(?:ension)?\.? ?\d+", re.I)
_QUANTITY = re.compile(r"\d|\b(?:no|none|any|every|all|both|half|third|quarter|one|two|single|unlimited)\b", re.I)
# What kind of thing a question asks for, and how a text shows that it holds one.
_KINDS = (
    (
        re.compile(r"\b(?:phone|telephone|extension)\b.*\bnumber\b|\bnumber\b.*\bto (?:call|ring)\b", re.I),
        _TELEPHONE.search,
    ),
    (re.compile(r"\be-?mail address\b", re.I), re.compile("@").search),
    (re.compile(r"\b(?:how much (?:is|does|do|will|would|money)|costs?|price|salary|fee for)\b", re.I), _MONEY.search),
    (
        re.compile(r"\b(?:how (?:long|often|soon|quick\w*)|deadline|what (?:date|day|time)|hours of)\b", re.I),
        lambda text: _TIME.search(text) or numbers(text),  # a statement may be 500 words long
    ),
    (re.compile(r"\bhow many\b", re.I), lambda text: _QUANTITY.search(text) or numbers(text)),
)
# The same, where a text may answer without one.
_LIKELY = (
    (re.compile(r"\b(?:when|how (?:long|often|soon|quick\w*))\b", re.I), _TIME.search),
    (re.compile(r"\bhow (?:large|big|high|far|old)\b|\b(?:limit|maximum|minimum|max|quorum)\b", re.I), numbers),
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a source as they stand there, and how near they are to the question, in [0, 1]."""

    text: str
    source: str
    score: float


def best(
    question: str,
    passages: Sequence[Passage],
    embed: Callable[[Sequence[str]], np.ndarray],
    vector: np.ndarray,
) -> tuple[Quoted, ...]:
    """At most two sentences of `passages` that answer `question` best, the best first; none where none fits.

    `vector` (d,) is the question's; `embed` gives vectors (n, d) of unit length. A sentence is read with its
    heading. Its score is the mean of its cosine, its passage's, and the share of the question's content words that
    it holds, the rare ones counting most, plus a little where it holds the kind of thing that is asked for. Two are
    better than one: the answer is often in the second.
    """
    candidates = [
        (passage, parts, position)
        for passage in passages
        for parts in [(passage.text,) if passage.kind == "qa" else sentences(passage.text)]
        for position in range(len(parts))
    ]
    if not candidates:
        return ()
    read = [_with_heading(passage, parts[position]) for passage, parts, position in candidates]
    held = [stems(text) for text in read]
    wanted = stems(question)
    common = Counter(word for words in held for word in words & wanted)
    weights = {word: log(1 + len(read) / (1 + common[word])) for word in wanted}
    total = sum(weights.values()) or 1.0
    likely = [shows for asks, shows in (*_KINDS, *_LIKELY) if asks.search(question)]
    scored = []
    for (passage, parts, position), words, cosine in zip(candidates, held, embed(read) @ vector, strict=True):
        share = sum(weights[word] for word in words & wanted) / total
        bonus = 0.1 * any(shows(parts[position]) for shows in likely)
        score = (float(cosine) + 0.5 * share + 0.5 * passage.score) / 2 + bonus
        scored.append((score, _with_neighbours(parts, position), passage.id))
    scored = sorted((entry for entry in scored if holds(question, entry[1])), key=lambda entry: -entry[0])
    chosen: list[Quoted] = []
    for score, text, source in scored:
        if chosen and (score < BOTH * chosen[0].score or len(chosen[0].text) + len(text) > LONGEST):
            break
        if not any(text in quoted.text or quoted.text in text for quoted in chosen):
            chosen.append(Quoted(text, source, max(0.0, min(score, 1.0))))
        if len(chosen) == 2:
            break
    return tuple(chosen)


def holds(question: str, text: str) -> bool:
    """Whether `text` holds the kind of thing that `question` asks for: an amount for a price, a time for a deadline."""
    return all(shows(text) for asks, shows in _KINDS if asks.search(question))


def _with_heading(passage: Passage, sentence: str) -> str:
    heading = passage.question or passage.section.rsplit(" > ", 1)[-1]
    return f"{heading}: {sentence}" if heading else sentence


def _with_neighbours(parts: Sequence[str], position: int) -> str:
    """A sentence with the one before when it leans on it, and with the items of the list that it leads in."""
    text = parts[position]
    if _LEANS_BACK.match(text) and position:
        text = f"{parts[position - 1]} {text}"
    if text.rstrip().endswith(":"):
        for item in parts[position + 1 :]:
            if item.rstrip().endswith(":") or len(text) + len(item) > LONGEST:
                break
            text = f"{text}\n- {item.removeprefix('- ')}"
    return text
