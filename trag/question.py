"""What somebody typed as a question is read: as it shows, not too long, and in which language."""

from __future__ import annotations

import re
import unicodedata

from org.language import LANGUAGES
from store.language import language
from trag.errors import TragError

LONGEST_QUESTION = 4_000
"""Characters a question may have."""
_JOINERS = "\u200c\u200d"
"""Marks that nobody sees, without which Persian and the Indic scripts are misspelt."""
_STRAY = re.compile(f"(?<![\u0600-\U0010ffff])[{_JOINERS}]+")
"""Joiners where nothing is joined: behind a Latin letter, a sign or a space they only hide what is written."""


def cleaned(question: str) -> str:
    """The question as it shows, without joiners that join nothing and without outer white space. Raises TragError when
    nothing is left, or too much."""
    text = _STRAY.sub("", visible(question)).strip()
    if not text:
        raise TragError("The question is empty.", "Type a question about the organization or its documents.")
    if len(text) > LONGEST_QUESTION:
        raise TragError(
            f"The question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are read.",
            "Shorten it to what you want to know.",
        )
    return text


def spoken(question: str, page: str = "en") -> str:
    """The language to answer in, one of `org.language`: the question's where it is one of them, else the page's."""
    told = language(question, hint="" if page == "en" else page)
    return next((tag for tag in (told, page) if tag in LANGUAGES), "en")


def visible(text: str) -> str:
    """The text as it shows: a space for each control character and whatever is no character, nothing for marks that
    nobody sees (one of them turns the words after it around), but joiners, which some scripts need."""

    def shown(character: str) -> str:
        if character in "\n\t" or character in _JOINERS:
            return character
        category = unicodedata.category(character)
        return "" if category == "Cf" else " " if category[0] == "C" else character

    return "".join(map(shown, text))
