"""A question as it might have been typed as well: in small letters, without its mark, with a slip of the fingers.

text -> text.  Knows nothing about what is asked, and touches no figures, names or short words.
"""

from __future__ import annotations

import re
from random import Random

_LONG_WORD = re.compile(r"\b[a-z]{6,}\b")
_OPENINGS = ("hi, ", "hello, ", "quick question: ", "please, ", "sorry, ")
_ENDS = (" pls", " please", " thanks", " thx")
_POLITE = re.compile(
    rf"^(?:(?:{'|'.join(one.strip(', :') for one in _OPENINGS)}) )+|(?: (?:{'|'.join(one.strip() for one in _ENDS)}))+$"
)


def typed(question: str, chance: Random) -> str:
    """The question typed otherwise, in one or two ways that change nothing of what it asks."""
    ways = chance.sample((_small, _without_mark, _slipped, _polite, _marked), chance.choice((1, 1, 2)))
    for way in ways:
        question = way(question, chance)
    return question


def plain(question: str) -> str:
    """The words of a question in small letters, without politeness: the same for all ways of typing it but a slip."""
    return _POLITE.sub("", " ".join(re.findall(r"\w+", question.casefold())))


def _small(question: str, chance: Random) -> str:
    return question if re.search(r"\b[A-Z]{2,}\b", question) else question.lower()


def _without_mark(question: str, chance: Random) -> str:
    return question.rstrip(" ?.!") or question


def _marked(question: str, chance: Random) -> str:
    return question if question.endswith(("?", ".", "!")) else f"{question}?"


def _polite(question: str, chance: Random) -> str:
    if chance.random() < 0.5:
        small = question[0].lower() + question[1:] if re.match(r"[A-Z][a-z]* ", question) else question
        return chance.choice(_OPENINGS) + small
    return question if question.endswith(("?", ".", "!")) else question + chance.choice(_ENDS)


def _slipped(question: str, chance: Random) -> str:
    """One letter twice, left out, or the wrong way round, never the first or last of its word."""
    found = list(_LONG_WORD.finditer(question))
    if not found:
        return question
    match = chance.choice(found)
    word, place = match[0], chance.randrange(1, len(match[0]) - 2)
    slips = (
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[: place + 1] + word[place:],
    )
    return question[: match.start()] + chance.choice(slips) + question[match.end() :]
