"""An answer as it looks: letters of other scripts that pass for Latin ones are read as those.

"The Аudit Office" with a Cyrillic A is the Audit Office to whoever reads it, so it is to be that to verification. Knows
nothing about units.
"""

from __future__ import annotations

import re
import unicodedata

_FOREIGN = {
    "АВЕЅІЈКМНОРСТУХҮԚԜ": "ABESIJKMHOPCTYXYQW",
    "аеѕіјкорсухԁһӏԛԝ": "aesijkopcyxdhlqw",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    "αικνορτυχ": "aikvoptux",
    "ոօսհ": "nouh",
}
"""Cyrillic, Greek and Armenian letters, and the Latin ones that they look like."""
_LETTERS = {ord(one): latin for some in _FOREIGN.items() for one, latin in zip(*some, strict=True)}
# Full-width letters, and those of mathematics: bold, italic, script.
_STYLED = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFF21, 0xFF5B), *range(0x1D400, 0x1D6A4))
}
_WORD = re.compile(r"[^\W\d_]+")
_UNSEEN = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")


def as_seen(text: str) -> str:
    """`text` in which a word that is Latin to the eye is that in its letters too, and nothing stands that nobody sees.

    Words of other letters alone stay, and so does a text that is mostly of another script.
    """
    if text.isascii():
        return text
    seen = _UNSEEN.sub("", text).translate(_STYLED)
    if 2 * sum(letter.isascii() for letter in seen if letter.isalpha()) < sum(map(str.isalpha, seen)):
        return text
    return _WORD.sub(_word, seen)


def _word(found: re.Match[str]) -> str:
    """The word in Latin letters, where some of them are that and the others look so."""
    word = found[0]
    latin = word.translate(_LETTERS)
    return latin if latin.isascii() and any(map(str.isascii, word)) else word
