"""An answer as signs: "The Ethics Office is part of the Legal Division." is "M=uM.", M standing for a unit.

text, mentions, types -> Reading.  Each sign stands for a word or phrase that says how units stand to each other; what
it was read from is kept beside it. Knows nothing about what a row of signs claims.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from org.entities import Mention, TypeMention
from org.finding.kinds import BODIES, OFFICES

_KIND = (
    r"(?:sub-?)?(?:units?|entit(?:y|ies)|bod(?:y|ies)|organs?|elements?|"
    + "|".join(sorted(word + r"e?s?" for word in (OFFICES | BODIES) - {"center", "program"} if word[-1] != "y"))
    + r"|agenc(?:y|ies)|centres?|centers?|programmes?|programs?|assembl(?:y|ies)|branches|"
    r"(?:working|steering|task)[ -](?:group|force|team|part)(?:s|y|ies)?|sub-?committees?)"
)
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_ESTIMATE = re.compile(
    r"\b(?:at (?:least|most)|(?:more|less|fewer) than|up to|over|about|around|nearly|almost|roughly|the first)\s*$",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\s+(?:other|more|further|additional|remaining)\b", re.IGNORECASE)
_DIGITS = 30  # of a number; a small model may write a row of them without end
_UNIT, _TYPE = "\ue000", "\ue001"  # stand for each letter of a mention and of a type


@dataclass(frozen=True, slots=True)
class Reading:
    """The signs of an answer, and for each of them the place of its mention, its number or its type (else None)."""

    signs: str
    values: tuple[int | str | None, ...]


def read(text: str, mentions: Sequence[Mention], types: Sequence[TypeMention]) -> Reading:
    """The signs of a text. A mention is "M", a type of the chart "t", a number "#"."""
    spans: dict[int, tuple[int, str, int | str]] = {}
    for place, mention in enumerate(mentions):
        spans[mention.start] = (mention.end, "M", place)
    for kind in types:
        spans.setdefault(kind.start, (kind.end, "t", kind.type))
    masked = _masked(text, spans)
    signs_of, token = _lexicon()
    signs: list[str] = []
    values: list[int | str | None] = []
    position = 0
    while position < len(text):
        if position in spans:
            end, sign, value = spans[position]
            signs.append(sign)
            values.append(value)
            position = end
            continue
        match = token.match(masked, position)
        if match is None or match.end() == position:
            position += 1
            continue
        sign = signs_of[match.lastgroup or ""]
        if sign == "#" and (
            _ESTIMATE.search(masked, max(0, position - 14), position) or _OTHERS.match(masked, match.end())
        ):
            sign = "x"  # "beside A, three other units" counts no more than the others
        if sign != "_":
            signs.append(sign)
            values.append(number(match[0]) if sign == "#" else _indent(match[0]) if sign == "*" else None)
        position = match.end()
    return Reading("".join(signs), tuple(values))


def number(word: str) -> int:
    """The value of a number in figures or as a word."""
    word = word.lower()
    return (
        1 if word == "a single" else _NUMBERS.index(word) if word in _NUMBERS else int(word.replace(",", "")[:_DIGITS])
    )


def _indent(bullet: str) -> int:
    """How far a bullet stands from the margin."""
    return len(re.split(r"[^\s│├└─]", bullet.rpartition("\n")[2])[0])


def _masked(text: str, spans: dict[int, tuple[int, str, int | str]]) -> str:
    """The text with every mention and type as signs of their own, so that no phrase reaches into one.

    A last "s" stays, for the apostrophe behind it: "Bailiffs' parent", but not "'Bailiffs'".
    """
    letters = list(text)
    for start, (end, sign, _) in spans.items():
        letters[start:end] = (_UNIT if sign == "M" else _TYPE) * (end - start)
        if end - start > 1 and text[end - 1] == "s" and text[max(0, start - 1) : start] not in ("'", "‘"):
            letters[end - 1] = "s"
    return "".join(letters)


@cache
def _lexicon() -> tuple[dict[str, str], re.Pattern[str]]:
    """The sign of each named group, and the one pattern of all groups, as phrasings.txt gives them."""
    macros = {"<unit>": _UNIT, "<kind>": _KIND, "<numbers>": "|".join(_NUMBERS)}
    signs: dict[str, str] = {}
    groups: list[str] = []
    sign = ""
    for line in Path(__file__).with_name("phrasings.txt").read_text(encoding="utf-8").splitlines():
        name, is_macro, value = line.partition(" = ")
        if is_macro and name.startswith("<"):
            macros[name] = value
        elif line.strip() and not line.startswith("# "):
            if not line.startswith(" "):
                sign, line = line[0], line[2:]
            pattern = line.strip()
            for macro, meaning in macros.items():
                pattern = pattern.replace(macro, meaning)
            signs[f"g{len(groups)}"] = sign
            groups.append(f"(?P<g{len(groups)}>{pattern})")
    return signs, re.compile("|".join(groups), re.IGNORECASE)
