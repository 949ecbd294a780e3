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
from org.finding import names

UNKNOWN = "?"
BEYOND = "beyond"
"""Asks for more than the chart holds, so that a question with it is left alone, whatever else it says."""
AND = "and"
"""Joins two questions: "how many teams are there and who leads A"."""
FLAGS = frozenset(("direct", "deep", "lacking"))
_NOTHING = "-"
_QUANTITY = "number"
_LONGEST = 7  # words of a phrase

_OPENS = frozenset(("is", "are", "was", "were", "does", "do", "did"))
_PERSONS = frozenset(("i", "we", "you", "they", "he", "she"))
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_QUANTITIES = frozenset((*_NUMBERS[2:], "ten", "few", "several"))
_WORD = re.compile(r"[@#]\d+|&&|[^\W_]+(?:['-][^\W_]+)*")
_ASKING = r"(?:who|whom|whose|what|where|when|why|how)"
JOIN = re.compile(
    rf"(?:,\s*(?:(?:also|then|please) )*(?={_ASKING}\b))"
    r"|\b(?:and|plus) (?:(?:also|then|please) )*"
    rf"(?=(?:(?:in|under|to|of|at|by|from) )?(?:{_ASKING}|which)\b|(?:is|are|does|do|did)\b)"
)
"""What stands between two questions in one sentence."""
_DOING = frozenset(("do", "does", "did", "done"))
_SUBJECT = re.compile(r"@\d+|it|they")
_PRONOUN = r"(?:it|they|that|this|there|he|she)"
_POINTING = re.compile(r"\b(?:that|this)\s$", re.IGNORECASE)
_PLAIN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\b(who|what|where|how|which|that|there)'?s\b", r"\1 is"),
        (r"((?:^|[.?!:;,]\s+)(?:is|are|does|do))n'?t\b", r"\1"),
        (r"(^|[.?!:;,]\s+)(?:has|have)\s+(?:the\s+)?(@\d+|it|they)\s+(?:got\b)?", r"\1does \2 have "),
        (r"(\bhow many\s[^@]*)\b(?:has|have)\s+((?:the\s+)?@\d+)", r"\1 does \2 have"),
        (r"\band (?:of|for|from|to)\s+(?=(?:the\s+)?@)", "and "),  # "the parents of A and of B"
        (r"(?<=[\w\s]\s)(?:do (?:we|you) have|have (?:we|you)(?: got)?)\b(?! to\b)", "are there"),
        (r"\bdo we have\b(?! to\b)", "are there"),
        (r"\bwe(?: have|'ve)(?: got)?\b(?! to\b)", "there"),
        (r"(@\d+|\bit)\s+for(?=\s*[.,?!;]|\W*$)", r"\1 what for"),
        (r"\bwhat is\s+an?\s+(?=#\d+\s*(?:[.?!;]|\W*$))", "what is meant by "),
        (r"\(s\)", "s"),
        (r"\bright (?=under|below|beneath|above|over)", "directly "),
        (r"\bright\W*$", "correct"),
        # a tag asks whether it is so, and what it denies is asked all the same: "A isn't under B, is it?"
        (rf"((?:@\d+|it)\s+(?:is|are))(?:n't| not)\b(?=[^,]*,\s*(?:or )?(?:is|are) {_PRONOUN}\W*$)", r"\1"),
        (rf",\s*(?:or )?(?:is|are|was|were|do|does|did|has|have)(?:n't)? {_PRONOUN}(?: not)?\W*$", ", correct"),
    )
)
_RELATES = r"(?:reports|below|above|parent)"
_ASKS = r"\b(?:who|which|where|how|count)\b"
_WITH_OF = "parent|children|path|above|related|alias|type|peer|same|both|between|where|about|more|level|top|purpose"
_TIDY = tuple(
    (re.compile(pattern), tidy)
    for pattern, tidy in (
        # the organization itself adds nothing: "in the structure of the organization"
        (r"\b(?:(?:in|below) )?(?:structure|hierarchy)(?: in)? org\b", ""),
        (r"\b(?:in|below) (?:org )?(?:structure|hierarchy)\b(?! (?:in|below) @)", ""),
        (r"\b(?:(?:in|below) )?org\b", ""),
        # a unit told by one under it: "the unit above A", "whatever A reports to", "the parent of the parent of A"
        (rf"(?<!@\d )\b({_RELATES}) (?:unit|who|which) (@\d+) (?:reports|below)\b", r"\1 parent \2"),
        (rf"\bunit (?:who |which )?(@\d+) (?:reports|below) (?={_RELATES}$)", r"parent in \1 "),
        (rf"(@\d+) (?:reports|below) unit (?:who |which )?(?={_RELATES}$)", r"parent in \1 "),
        (r"\b(?:unit|which) above (@\d+) (?=(?:reports|below)$|above @)", r"parent in \1 "),
        (rf"\b({_RELATES}) unit above (?=@)", r"\1 parent "),
        (r"\bparent in (@\d+) (?:reports|below|above)$|(@\d+) parent (?:reports|below|above)$", r"parent parent \1\2"),
        (r"\babove parent\b", "parent parent"),
        (r"\bbetween (@\d+)(?: in)?(?: top)+", r"path \1"),
        (r"^yes (@\d+) parent (@\d+)$", r"yes \2 parent \1"),  # is A's parent B
        (rf"\b({_WITH_OF}) in(?= @)", r"\1"),
        (r"\b(?:in (?!@|#|who|which|$)|(?<=list )in|(?<=type )in|(?<=structure )in(?= #))", ""),
        (r"(unit|#\d+) (?:who|which) ", r"\1 "),  # a relative clause: "the units which report to"
        (r"\b(list|unit|which)(?: \1)+\b", r"\1"),
        (rf"\blist (?={_ASKS}|yes)|(?<=^yes) list\b", ""),
        (r"^yes (unit peer @\d+)(?: which)?$", r"which \1"),  # is anything beside A, and if so what
        (
            rf"^((?:(?!{_ASKS}).)*@\d+(?:(?!{_ASKS}).)*) ({_ASKS}(?: type)?(?: #\d+| unit)*)$",
            r"\2 \1",
        ),  # A is under what
        (r"^(#\d+|unit)(?= @\d+ (?:below|reports|in|above)$)", r"which \1"),  # the division that A belongs to
        (r"(below @\d+) children$", r"\1"),
        (r"^(?=(?:more|fewer) (?:unit |#\d+ )?(?:below|in) @\d+ (?:below|in) @\d+$)", "yes "),
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
    for place, named in enumerate(mentions):
        if names.is_acronym(named.text):  # "what does DPO mean": of a whole name that asks for more than other names
            masked = re.sub(rf"(@{place})\s+means?\b|\bmeaning of(?=\s+@{place}\b)", r"\1 alias", masked)
    for last in last_words:
        masked = re.sub(rf"\b(?:that|this) {re.escape(last)}\b", "it", masked)  # "this adviser"
    return masked


def read(clause: str, context: Collection[int]) -> list[str]:
    """The words of a clause as signs, without the words that say nothing here.

    `context` are the places of mentions that only tell where another one is; yes-or-no questions are about them too.
    """
    found = _WORD.findall(JOIN.sub(" && ", clause))
    words = [word for word in found if word not in ("the", "a", "an") and not is_idle_adverb(word)]
    row: list[str] = []
    place = 0
    while place < len(words):
        before, word = words[place - 1] if place else "", words[place]
        length = 1
        if word == "&&":
            sign = AND
        elif word[0] == "@" and int(word[1:]) in context and "yes" not in row:
            sign = _NOTHING
            if row and row[-1] in ("in", "below"):
                row.pop()
        elif word[0] == "@" or (word[0] == "#" and before[:1] != "#"):
            sign = word
        elif word[0] == "#" or (word in _DOING and _asks_for_deeds(before, words[place + 1 :])):
            sign = UNKNOWN  # "board committees" are not two types; "what does it do" asks for more than its place
        elif _is_of_each(words[place:], row):
            sign = BEYOND  # "how many teams does each division have" asks for a number of each
        elif (
            row[-1:] in ([], [AND])
            and before not in _PERSONS
            and word in _OPENS
            and tuple(words[place : place + 2]) not in _phrases()
        ):
            sign = "yes"
        else:
            length, sign = _longest(words[place : place + _LONGEST])
            if sign == _NOTHING and _is_quantity(words[place : place + 2]):
                sign = UNKNOWN if _is_name(words[place:], before, row) else _QUANTITY
        row += sign.split() if sign != _NOTHING else []
        place += length
    # "has it five teams" asks whether there are five, "which five teams has it" does not
    return [UNKNOWN if sign == _QUANTITY else sign for sign in row if sign != _QUANTITY or "yes" in row]


def _asks_for_deeds(before: str, after: Sequence[str]) -> bool:
    """Whether "do" between these words asks what a unit does, "what does it do", or any of a type, "... a panel do"."""
    return bool(_SUBJECT.fullmatch(before) and after[:1] != ["you"]) or (
        before[:1] == "#" and after[:1] in ([], ["&&"])
    )


def _is_of_each(words: Sequence[str], row: Sequence[str]) -> bool:
    """Whether words ask of each unit of a kind by itself, as "list each team" and "count every team" do not."""
    alone = (words[0] == "each" and row[-1:] != ["list"]) or (words[0] == "every" and "count" in row[:-1])
    return alone and any(word[0] == "#" or is_unit(word) for word in words[1 : 3 if words[1:2] == ["of"] else 2])


def is_idle_adverb(word: str) -> bool:
    """Whether a word is an adverb in -ly that changes nothing: "currently" is one, "originally" and "only" are not."""
    return word.endswith("ly") and _phrases().get((word,)) == _NOTHING


def _is_name(words: Sequence[str], before: str, row: Sequence[str]) -> bool:
    """Whether a number is part of a name: "Ward 4", which the chart lacks, "Wards 1 and 4", but not "and two of B"."""
    if before[:1] == "#" or is_unit(before):
        return True
    if not (row and row[-1][0] == "@" and words[0].isdecimal()):
        return False
    return bool(re.fullmatch(rf"{_ASKING}|which", "".join(words[1:2]))) or not any(word[0] in "@#" for word in words)


def is_unit(word: str) -> bool:
    """Whether a word stands for any unit: "body", or a kind that the chart may lack, "department"."""
    return _phrases().get((word,), "").partition(" ")[0] == "unit"


def _is_quantity(words: Sequence[str]) -> bool:
    """Whether the first of two words says how many; "one" only before what it counts: "one team", not "the one"."""
    if words[0] == "one":
        return len(words) > 1 and (words[1][0] == "#" or is_unit(words[1]))
    return words[0].isdecimal() or words[0] in _QUANTITIES


def _longest(words: Sequence[str]) -> tuple[int, str]:
    """How many of the words make the longest known phrase, and its signs: "grandparent" is "parent parent"."""
    plain = tuple(_number(word) for word in words)
    for length in range(len(words), 0, -1):
        if sign := _phrases().get(plain[:length]):
            return length, sign
    return 1, UNKNOWN


def _number(word: str) -> str:
    """A number as a word: figures past nine say no more than nine."""
    return _NUMBERS[min(int(word[:4]), 9)] if word.isdecimal() else word


def tidy(row: Sequence[str]) -> str:
    """The signs as a text: what makes it a yes-or-no question first, without flags and what adds nothing."""
    asks = [sign for sign in row if sign not in FLAGS and sign != "yes"]
    text = " ".join(["yes", *asks] if "yes" in row else asks)
    for pattern, plain in _TIDY:
        text = " ".join(pattern.sub(plain, text).split())
    return text if max(text.count("@"), text.count("#")) > 1 else re.sub(r"\bmore (?=unit|#)", "", text)


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
