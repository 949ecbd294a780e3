"""A question as it might have been typed as well: in small letters, without its mark, with a slip of the fingers.

text -> text.  Knows nothing about what is asked, and touches no figures, names or short words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

_LONG_WORD = re.compile(r"\b[a-z]{6,}\b")
_OPENINGS = ("hi, ", "hello, ", "quick question: ", "please, ", "sorry, ")
_ENDS = (" pls", " please", " thanks", " thx")
_POLITE = re.compile(
    rf"^(?:(?:{'|'.join(one.strip(', :') for one in _OPENINGS)}) )+|(?: (?:{'|'.join(one.strip() for one in _ENDS)}))+$"
)


def typed(question: str, chance: Random) -> str:
    """The question typed otherwise, in one or two ways that change nothing of what it asks."""
    ways = (_slipped, _small, _without_mark, _polite, _marked)  # first the slip, which is one in words that ask
    for way in sorted(chance.sample(ways, chance.choice((1, 1, 2))), key=ways.index):
        question = way(question, chance)
    return question


def plain(question: str) -> str:
    """The words of a question in small letters, without politeness: the same for all ways of typing it but a slip."""
    return _POLITE.sub("", " ".join(re.findall(r"\w+", question.casefold())))


def slips(question: str) -> Iterator[str]:
    """The words of a question as `plain` gives them, after every slip that `typed` may make of it."""
    text = plain(question)
    for match in _LONG_WORD.finditer(text):
        for place in range(1, len(match[0]) - 2):
            for slip in _slips(match[0], place):
                yield text[: match.start()] + slip + text[match.end() :]


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
    slip = chance.choice(_slips(match[0], chance.randrange(1, len(match[0]) - 2)))
    return question[: match.start()] + slip + question[match.end() :]


def _slips(word: str, place: int) -> tuple[str, str, str]:
    return (
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[: place + 1] + word[place:],
    )
