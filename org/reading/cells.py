"""One cell: cleaned of what nobody sees, and guarded against spreadsheets that would run it as a formula.

Knows nothing about columns or files.
"""

from __future__ import annotations

import re
import unicodedata

MAX_CELL = 32_767
"""Characters, as many as a spreadsheet keeps. The path of 65 names of MAX_NAME characters fits."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# Not the whitespace among the controls, which becomes one space. Neither half of a surrogate pair nor a non-character
# can be written to a file.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
# Zero-width joiners are part of words in scripts whose letters join, Arabic and Indic, and of pictures made of several;
# variation selectors are part of Chinese characters, Mongolian letters and pictures. Anywhere else nobody sees them.
_HIDING = "\u200c\u200d\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PICTURES = "\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1cd0-\u1cff\ua8e0-\ua8ff\uaa60-\uaa7f"
    f"\ufb50-\ufdff\ufe70-\ufefc\ufe0f{_PICTURES}"
)
_VARIED = f"\u1000-\u109f\u1820-\u18aa\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff{_PICTURES}"
_ANY_HIDING = re.compile(f"[{_HIDING}]")
_HIDDEN = re.compile(
    f"(?<![{_VARIED}])[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
    f"|(?<![{_JOINED}\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![{_JOINED}])"
)
SIGNS = frozenset("=+-@＝＋－＠﹢﹣﹦﹫")
"""With one of these a formula begins; of the full-width ones, in some spreadsheets."""
_ANY_SIGN = re.escape("".join(sorted(SIGNS)))
_NUMBER = re.compile(r"[-+]?[\d\s().,/-]*")
_GUARDED = re.compile(rf"'*[\t\r\n\0]*[{_ANY_SIGN}\t\r\n\0]")


def clean(cell: str) -> str:
    """The cell in one Unicode form, without invisible and control characters, its spaces single."""
    if cell.isascii():
        return " ".join((cell if cell.isprintable() else _CONTROL.sub("", cell)).split())
    cell = unicodedata.normalize("NFC", _CONTROL.sub("", _INVISIBLE.sub("", cell)))
    cell = " ".join(cell.split())
    shown = _HIDDEN.sub("", cell) if _ANY_HIDING.search(cell) else cell
    return cell if shown == cell else clean(shown)


def has_invisible(cell: str) -> bool:
    """Whether cleaning takes something out that a reader could not have seen."""
    if cell.isascii():
        return False
    return bool(_INVISIBLE.search(cell) or (_ANY_HIDING.search(cell) and _HIDDEN.search(cell)))


def seen(cell: str) -> str:
    """What a reader tells a clean cell from others by: no joiners and selectors, in whatever case."""
    return (cell if cell.isascii() else _ANY_HIDING.sub("", cell)).casefold()


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run a clean cell: it begins with a sign and is neither a dash nor a number."""
    return cell[:1] in SIGNS and len(cell) > 1 and _NUMBER.fullmatch(cell) is None


def guard(cell: str) -> str:
    """The cell for a CSV file: with an apostrophe in front where a spreadsheet would run it as a formula.

    So is one that has apostrophes before the sign already, so that `unguard` always gives the cell back.
    """
    return "'" + cell if _GUARDED.match(cell) else cell


def unguard(cell: str) -> str:
    """The cell of a CSV file as it was before it was guarded."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell
