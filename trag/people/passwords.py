"""Passwords: which may be chosen, and the hash that is kept of them.

Argon2id with 19 MiB, two passes and one lane (OWASP, Password Storage). No rule says what a password is made of (NIST
SP 800-63B): one that is guessed early is refused, by its length and by how an attacker's lists would come to it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from trag.errors import TragError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 8, 128
GUESSES = 10**6
"""Guesses that a password must hold out against, counted as zxcvbn counts them (Wheeler 2016)."""
_STRETCH, _ESTIMATED = 20, 72
"""Characters that are estimated in one go where some may stand for letters, whose time grows fast with them; and of
which anything is estimated."""
_PARTS = 4
"""Characters that one is composed of at most (UAX #15)."""


def check(password: str, about: Sequence[str] = ()) -> None:
    """Raises TragError, with the reason, for a password that may not be chosen. `about` are words that whoever guesses
    tries first: the names of the person and of the organization."""
    composed = _composed(password)
    if not SHORTEST <= len(composed) <= LONGEST:
        raise TragError(
            f"A password has {SHORTEST} to {LONGEST} characters, this one has {len(composed)}.",
            "Three or four words that have nothing to do with each other are long, and easy to keep in mind.",
        )
    from zxcvbn import zxcvbn
    from zxcvbn.matching import L33T_TABLE

    composed = composed[:_ESTIMATED]
    costly = any(sign in composed for signs in L33T_TABLE.values() for sign in signs)
    stretch = _STRETCH if costly else _ESTIMATED
    words = [part for word in about for part in (word, *word.split())]
    why = ""
    for start in range(0, len(composed), stretch):
        found = zxcvbn(composed[start : start + stretch], user_inputs=words)
        if found["guesses"] >= GUESSES:
            return  # whatever stands beside it
        why = why or found["feedback"]["warning"]
    why = why or "It is made of words and figures that are tried first."
    raise TragError(f"This password would be guessed soon. {why}", "Add a word or two that are not common.")


def hashed(password: str) -> str:
    """What is kept of a password. Takes some 50 ms, and 19 MiB while it does."""
    return _hasher().hash(_composed(password))


def is_right(password: str, kept: str) -> bool:
    """Whether this is the password that was kept. Takes as long where nothing was kept, which is always wrong."""
    from argon2.exceptions import VerificationError

    try:
        looked_at = kept if is_one(kept) else _nobodys()
        return _hasher().verify(looked_at, _composed(password)) and is_one(kept)
    except VerificationError:
        return False


def is_one(kept: str) -> bool:
    """Whether what is kept of somebody is of a password, and not of another way in."""
    return kept.startswith("$argon2")


def is_dated(kept: str) -> bool:
    """Whether a right password should be hashed again, because it was kept in an older way."""
    return _hasher().check_needs_rehash(kept)


def _composed(password: str) -> str:
    """The same characters however a keyboard composes them. What is too long in any case stays as it is: the time that
    marks take to be composed grows with the square of their number."""
    composed = password if len(password) > LONGEST * _PARTS else unicodedata.normalize("NFC", password)
    return composed.encode("utf-8", "replace").decode("utf-8")


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@cache
def _nobodys() -> str:
    """A hash that is looked at where there is none, so that nobody learns from the time who has one."""
    return _hasher().hash("nobody")
