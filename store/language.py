"""In which language a text is written, as CLD2 tells it from its tables: nothing is loaded, a page takes 0.1 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import Stemmer

ENGLISH = "en"
"""What a text counts as where nothing else is told."""
_MOST = 4_000
"""Characters that are looked at."""


def language(text: str, *, hint: str = "", surely: bool = False) -> str:
    """The ISO 639-1 code of the language of a text, "" where none can be told.

    A few words are guessed at, for which `hint` is the language to expect; `surely` tells nothing that is a guess.
    """
    import pycld2

    shown = "".join(sign if sign.isprintable() else " " for sign in text[:_MOST])
    expected = {"hintLanguage": hint} if hint else {}
    try:
        is_sure, _, found = pycld2.detect(shown, isPlainText=True, bestEffort=not surely, **expected)
    except pycld2.error:  # a sign that Unicode has no name for
        return ""
    (_, code, _, _), *_ = found
    return "" if code == "un" or (surely and not is_sure) else str(code)


def stemmer(language: str) -> Stemmer.Stemmer:
    """A new stemmer of a language by its ISO 639-1 code, the English one where Snowball does not know it. For one
    thread at a time."""
    import Stemmer

    try:
        return Stemmer.Stemmer(language)
    except KeyError:
        return Stemmer.Stemmer(ENGLISH)
