"""Which passwords may be chosen, and what is kept of them."""

import time
import unicodedata
from typing import Any

import pytest
from zxcvbn import zxcvbn as estimate

from store.person import folded
from trag.errors import TragError
from trag.people import passwords
from trag.people.accounts import accepted, accepted_shown

GOOD = "violet kettle orbit"


def refusal(password: str, *about: str) -> str:
    """Why it may not be chosen, "" where it may."""
    try:
        passwords.check(password, about)
    except TragError as error:
        return f"{error.message} {error.hint}"
    return ""


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "Tr0ub4dor&3",
        "пароль из четырёх слов",
        "z" * 40 + "q7 velvet drum",
        "x9$Lw2!pQz",
        "0123456789 is not how it ends",
        "schwarzer Kater trinkt",
    ],
)
def test_what_is_hard_to_guess_may_be_chosen_whatever_it_is_made_of(password: str) -> None:
    assert refusal(password) == ""


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", "has 0"),
        ("seven77", "has 7"),
        ("q" * 129, "has 129"),
        ("password", "top-10 common"),
        ("qwertyuiop", "guessed soon"),
        ("aaaaaaaaaaaa", "guessed soon"),
        ("password" * 5, "guessed soon"),
        ("12345678", "guessed soon"),
        ("larkmoor2024", "guessed soon"),
        ("ada.lovelace", "guessed soon"),
    ],
)
def test_what_is_guessed_early_may_not(password: str, why: str) -> None:
    assert why in refusal(password, "ada.lovelace", "Ada Lovelace", "Larkmoor")


def test_no_password_is_long_to_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def counted(password: str, **more: Any) -> Any:
        looked_at.append(password)
        return estimate(password, **more)

    monkeypatch.setattr("zxcvbn.zxcvbn", counted)
    for password in ("4@8({[<36970o$5+7%2" * 6, "4" * 128, "a" * 128):
        refusal(password)
    assert looked_at == ["4@8({[<36970o$5+7%24", *["4" * 20] * 3, "4" * 12, "a" * 72]


def test_a_password_is_kept_as_argon2id_of_19_mib_and_never_as_itself() -> None:
    kept = passwords.hashed(GOOD)
    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert kept != passwords.hashed(GOOD)
    assert passwords.is_right(GOOD, kept)
    assert not passwords.is_right(GOOD + " ", kept)
    assert not passwords.is_dated(kept)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kept", ["", "subject:abc", "$argon2id$", "nonsense"])
def test_where_no_password_is_kept_every_one_is_wrong(kept: str) -> None:
    assert not passwords.is_right("nobody", kept)
    assert not passwords.is_right("", kept)


@pytest.mark.usefixtures("quick")
def test_a_password_is_as_long_as_it_is_read_however_a_keyboard_composes_it() -> None:
    composed = (
        "pêche brûlée déjà rêvée à l'été créé là-bas où l'élève mêlé gêné hélé à côté épée zébré forêt naïf aïeul"
    )
    apart = unicodedata.normalize("NFD", composed)
    assert len(composed) < passwords.LONGEST < len(apart)
    assert refusal(apart) == ""
    assert passwords.is_right(apart, passwords.hashed(composed))
    assert "has 129" in refusal("e\u0301" * 129)


@pytest.mark.usefixtures("quick")
def test_a_flood_of_marks_holds_up_nobody() -> None:
    flood, began = "a" + "\u0301\u0327" * 50_000, time.monotonic()
    assert "has 100001" in refusal(flood)
    assert not passwords.is_right(flood, passwords.hashed(GOOD))
    assert len(folded(flood)) <= 1_000
    for read in (accepted, lambda typed: accepted_shown(typed, "ada")):
        with pytest.raises(TragError):
            read(flood)
    assert time.monotonic() - began < 3, "composing all of them takes a time that grows with the square of their number"


@pytest.mark.usefixtures("quick")
def test_the_same_characters_are_the_same_password_however_they_are_composed() -> None:
    assert passwords.is_right("cafe\u0301 au lait", passwords.hashed("caf\u00e9 au lait"))
    assert not passwords.is_right("x" * 128 + "y" * 4, passwords.hashed("x" * 128))
    assert not passwords.is_right("\ud800", passwords.hashed("another"))
