"""A question as it might have been typed as well: in small letters, without its mark, with a slip of the fingers.

It touches no figures, names or short words.
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
    ways = ("slip", "small letters", "no mark", "polite", "mark")  # first the slip, which is one in words that ask
    for way in sorted(chance.sample(ways, chance.choice((1, 1, 2))), key=ways.index):
        ends = question.endswith(("?", ".", "!"))
        match way:
            case "slip" if found := list(_LONG_WORD.finditer(question)):
                word = chance.choice(found)
                slip = chance.choice(_slips(word[0], chance.randrange(1, len(word[0]) - 2)))
                question = question[: word.start()] + slip + question[word.end() :]
            case "small letters" if not re.search(r"\b[A-Z]{2,}\b", question):
                question = question.lower()
            case "no mark":
                question = question.rstrip(" ?.!") or question
            case "polite" if chance.random() < 0.5:
                small = question[0].lower() + question[1:] if re.match(r"[A-Z][a-z]* ", question) else question
                question = chance.choice(_OPENINGS) + small
            case "polite" if not ends:
                question += chance.choice(_ENDS)
            case "mark" if not ends:
                question += "?"
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


def _slips(word: str, place: int) -> tuple[str, str, str]:
    """One letter the wrong way round, left out, or twice, never the first or last of its word."""
    return (
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[: place + 1] + word[place:],
    )
