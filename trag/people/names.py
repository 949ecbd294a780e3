"""The names that people sign in with: what is typed, in one form. Knows nothing about who is called so."""

from __future__ import annotations

import re
import unicodedata

from trag.errors import TragError

LONGEST = 100
_NAME = re.compile(rf"[\w.+@'-]{{1,{LONGEST}}}")
_READ = 1_000
"""Characters that are read of what is typed, too long already: the time that marks take to be composed grows with the
square of their number."""
_JOINERS = "\u200c\u200d"
"""Marks that nobody sees, without which Persian and the Indic scripts are misspelt."""


def accepted(typed: str) -> str:
    """A name to sign in with, in its composed form. Raises TragError where nobody may be called so."""
    name = unicodedata.normalize("NFKC", typed.strip()[:_READ])
    if not _NAME.fullmatch(name):
        raise TragError(
            f"{name[:LONGEST]!r} cannot be a name to sign in with." if name else "A name to sign in with is missing.",
            f"It may have 1 to {LONGEST} letters, digits and any of . _ - + @ ', and no spaces.",
        )
    return name


def accepted_shown(typed: str, name: str) -> str:
    """A name to be shown, without marks that nobody sees, turn text round or make two names look the same; the one to
    sign in with where nothing is left. Raises TragError for one that is too long."""
    spaced = " ".join(unicodedata.normalize("NFC", typed[:_READ]).split())
    shown = "".join(c for c in spaced if c in _JOINERS or unicodedata.category(c)[0] != "C").strip(_JOINERS) or name
    if len(shown) > LONGEST:
        raise TragError(f"{shown[:LONGEST]!r} cannot be shown as a name.", f"It may have {LONGEST} characters.")
    return shown
