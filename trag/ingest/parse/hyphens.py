"""Words that the ends of lines cut, made whole. Knows no format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_CUT = re.compile(r"(?<![\w-])([\w-]*\w)-\n(\w+)")
_JOINS = ("and", "or", "nor", "to")
"""Words before which a hyphen stands for a word that follows: "short- and long-term"."""


def words(texts: Iterable[str]) -> Counter[str]:
    """How often a document writes each word, with the hyphens in it."""
    return Counter(word for text in texts for word in re.findall(r"[\w-]+", text))


def unwrapped(text: str, written: Counter[str]) -> str:
    """Lines joined to one. A hyphen at an end of line stays in a compound: one that has a hyphen already, or that the
    document writes with it elsewhere. `written` is what `words` counts."""

    def word(match: re.Match[str]) -> str:
        first, second = match.groups()
        if second in _JOINS and not written[first + second]:
            return f"{first}- {second}"
        named = second[0].isupper() or not (first.isalpha() and second.isalpha())
        compound = named or written[f"{first}-{second}"]
        return f"{first}-{second}" if compound and not written[first + second] else first + second

    return _CUT.sub(word, text).replace("\n", " ")
