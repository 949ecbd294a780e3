"""The names that people sign in with: what is typed, in one form. Knows nothing about who is called so."""

from __future__ import annotations

import re
import unicodedata

from trag.errors import TragError

LONGEST = 100
_NAME = re.compile(rf"[\w.+@'-]{{1,{LONGEST}}}")
_SHOWN = re.compile(rf"[^\x00-\x1f\x7f]{{1,{LONGEST}}}")


def accepted(typed: str) -> str:
    """A name to sign in with, in its composed form. Raises TragError where nobody may be called so."""
    name = unicodedata.normalize("NFKC", typed.strip())
    if not _NAME.fullmatch(name):
        raise TragError(
            f"{name[:LONGEST]!r} cannot be a name to sign in with." if name else "A name to sign in with is missing.",
            f"It may have 1 to {LONGEST} letters, digits and any of . _ - + @ ', and no spaces.",
        )
    return name


def accepted_shown(typed: str, name: str) -> str:
    """A name to be shown, the one to sign in with where none is given. Raises TragError for one that is too long."""
    shown = " ".join(unicodedata.normalize("NFC", typed).split()) or name
    if not _SHOWN.fullmatch(shown):
        raise TragError(f"{shown[:LONGEST]!r} cannot be shown as a name.", f"It may have {LONGEST} characters.")
    return shown
