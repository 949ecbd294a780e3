"""A question as signs: "Which teams report to the Legal Office?" is "which #0 reports @0".

@0 is a name, #0 a type; the other signs stand for the words listed in phrasings.txt, "?" for any other word.
Knows nothing about what a row of signs asks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import product
from pathlib import Path

from org.entities import Mention, TypeMention

UNKNOWN = "?"
FLAGS = frozenset(("direct", "deep"))
_NOTHING = "-"
_LONGEST = 7  # words of a phrase

_OPENS = frozenset(("is", "are", "was", "were", "does", "do", "did"))
_WORD = re.compile(r"[@#]\d+|[^\W_]+(?:['-][^\W_]+)*")
_DOING = frozenset(("do", "does", "did", "done"))
_SUBJECT = re.compile(r"@\d+|it|they")
_POINTING = re.compile(r"\b(?:that|this)\s$", re.IGNORECASE)
_PLAIN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\b(who|what|where|how|which|that|there)'?s\b", r"\1 is"),
        (r"^(\W*(?:is|are|does|do))n'?t\b", r"\1"),
        (r"\(s\)", "s"),
        (r"\bright (?=under|below|beneath|above|over)", "directly "),
        (r"\bright\W*$", "correct"),
    )
)
_TIDY = tuple(
    (re.compile(pattern), tidy)
    for pattern, tidy in (
        # the organization itself adds nothing: "in the structure of the organization"
        (r"\b(?:(?:in|below) )?(?:structure|hierarchy)(?: in)? org\b", ""),
        (r"\b(?:in|below) (?:org )?(?:structure|hierarchy)\b(?! (?:in|below) @)", ""),
        (r"\b(?:(?:in|below) )?org\b", ""),
        (r"\b(parent|path|above|related|alias|type|peer|same|both|between|where|about|more|level|top) in(?= @)", r"\1"),
        (r"\b(?:in (?!@|#|who|which|$)|(?<=list )in|(?<=type )in|(?<=structure )in(?= #))", ""),
        (r"(unit|#\d+) (?:who|which) ", r"\1 "),  # a relative clause: "the units which report to"
        (r"\b(list|unit|which)(?: \1)+\b", r"\1"),
        (r"\blist which\b", "which"),
        (r"  +", " "),
    )
)


def mask(question: str, mentions: Sequence[Mention], types: Sequence[TypeMention]) -> str:
    """The question in lower case with its mentions as @0, @1, ... and its types as #0, #1, ..."""
    spans = [(mention.start, mention.end, f" @{place} ") for place, mention in enumerate(mentions)]
    last_words = {mention.text.lower().rpartition(" ")[2] for mention in mentions}
    for place, mention in enumerate(types):
        if mention.text.lower() in last_words and _POINTING.search(question, 0, mention.start):
            spans.append((mention.start, mention.end, " it "))  # "that team"
        else:
            spans.append((mention.start, mention.end, f" #{place} "))
    masked, done = "", 0
    for start, end, sign in sorted(spans):
        masked += question[done:start] + sign
        done = end
    masked = (masked + question[done:]).lower().replace("’", "'")
    for pattern, plain in _PLAIN:
        masked = pattern.sub(plain, masked)
    for last in last_words:
        masked = re.sub(rf"\b(?:that|this) {re.escape(last)}\b", "it", masked)  # "this adviser"
    return masked


def read(clause: str, context: Collection[int]) -> list[str]:
    """The words of a clause as signs, without the words that say nothing here.

    `context` are the places of mentions that only tell where another one is; yes-or-no questions are about them too.
    """
    words = [word for word in _WORD.findall(clause) if word not in ("the", "a", "an")]
    words = [word for word in words if not word.endswith("ly") or (word,) in _phrases()]
    row: list[str] = []
    place = 0
    while place < len(words):
        before, word = words[place - 1] if place else "", words[place]
        length = 1
        if word[0] == "@" and int(word[1:]) in context and "yes" not in row:
            sign = _NOTHING
            if row and row[-1] in ("in", "below"):
                row.pop()
        elif word[0] == "@" or (word[0] == "#" and before[:1] != "#"):
            sign = word
        elif word[0] == "#" or (word in _DOING and _SUBJECT.fullmatch(before)):
            sign = UNKNOWN  # "board committees" are not two types; "what does it do" asks for more than its place
        elif place == 0 and word in _OPENS and tuple(words[:2]) not in _phrases():
            sign = "yes"
        else:
            length, sign = _longest(words[place : place + _LONGEST])
        row += [sign] if sign != _NOTHING else []
        place += length
    return row


def _longest(words: Sequence[str]) -> tuple[int, str]:
    """How many of the words make the longest known phrase, and its sign. Numbers say nothing: "name 3 units"."""
    for length in range(len(words), 0, -1):
        if sign := _phrases().get(tuple(words[:length])):
            return length, sign
    return 1, _NOTHING if words[0].isdigit() else UNKNOWN


def tidy(row: Sequence[str]) -> str:
    """The signs as a text, without flags and without what adds nothing: the organization itself, a doubled word."""
    text = " ".join(sign for sign in row if sign not in FLAGS)
    for pattern, plain in _TIDY:
        text = pattern.sub(plain, text).strip()
    return text if text.count("@") > 1 else re.sub(r"\bmore (?=unit|#)", "", text)


@cache
def _phrases() -> dict[tuple[str, ...], str]:
    """Every phrase of phrasings.txt as its words, with its sign. "report/reports to" is two phrases."""
    phrases: dict[tuple[str, ...], str] = {}
    sign = ""
    for line in Path(__file__).with_name("phrasings.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line[:1].strip():
            sign, _, line = line.partition(":")  # a line that begins with a space goes on with the sign before
        for phrase in filter(str.strip, line.split("|")):
            for words in product(*(word.split("/") for word in phrase.split())):
                phrases.setdefault(words, sign)
    return phrases
