"""A second factor beside a password: the codes of an authenticator app (TOTP, RFC 6238), which pyotp computes, and
recovery codes for when the app is lost."""

from __future__ import annotations

import re
import secrets

RECOVERY_CODES = 10
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Those of a recovery code: none that looks like another. Ten of them are 49 bits."""
_OFF = 1
"""Steps of 30 seconds by which the clock of a phone may be wrong, either way."""


def new_key() -> str:
    """A key for an app, 160 random bits in base32."""
    import pyotp

    return pyotp.random_base32()


def address(key: str, name: str, organization: str) -> str:
    """The otpauth:// address by which an app takes the key, under the name of who signs in and where."""
    import pyotp

    return pyotp.TOTP(key).provisioning_uri(name=name, issuer_name=organization)


def step_of(key: str, typed: str) -> int:
    """The step of the clock, a number that only grows, whose code this is now; 0 where it is none."""
    import pyotp

    code = "".join(typed.split())
    if not re.fullmatch(r"\d{6}", code, re.ASCII):
        return 0
    try:
        return pyotp.TOTP(key).verify_and_get_timecode(code, valid_window=_OFF)
    except pyotp.OTPVerificationError:
        return 0


def recovery_codes() -> dict[int, str]:
    """New recovery codes by their numbers, which they begin with."""
    made = {}
    for number in range(1, RECOVERY_CODES + 1):
        letters = "".join(secrets.choice(_LETTERS) for _ in range(10))
        made[number] = f"{number}-{letters[:5]}-{letters[5:]}"
    return made


def as_recovery_code(typed: str) -> tuple[int, str]:
    """The number of the recovery code that this looks like, 0 for none, and the code as it was made."""
    code = "".join(typed.split()).casefold()
    found = re.fullmatch(rf"(\d{{1,2}})-[{_LETTERS}]{{5}}-[{_LETTERS}]{{5}}", code, re.ASCII)
    return (int(found[1]), code) if found else (0, "")
