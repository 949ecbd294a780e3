"""Names: what may be typed to sign in, and what others see."""

import pytest

from trag.errors import TragError
from trag.people.names import LONGEST, accepted, accepted_shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (" Ada  Lovelace ", "Ada Lovelace"),
        ("", "ada"),
        ("Root\u202etooR", "RoottooR"),
        ("R\u200boot\ufeff\u2066", "Root"),
        ("\u200b\u200e\u200d", "ada"),
        ("Ada\x00\x1b[31m", "Ada[31m"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\ud800b", "ab"),
    ],
    ids=["spaces", "none", "turned round", "invisible", "only invisible", "controls", "tags", "joiner", "surrogate"],
)
def test_a_name_is_shown_without_what_nobody_sees(typed: str, shown: str) -> None:
    assert accepted_shown(typed, "ada") == shown


def test_a_name_has_a_length() -> None:
    assert accepted_shown("x" * LONGEST, "ada")
    with pytest.raises(TragError, match="cannot be shown"):
        accepted_shown("x" * (LONGEST + 1), "ada")


@pytest.mark.parametrize(
    "typed", ["ro\u200bot", "root\u202e", "ro ot", "root\0", "<b>", "a/b", "../x", "'; --", "a\nb"]
)
def test_nobody_signs_in_under_a_name_that_looks_like_another(typed: str) -> None:
    with pytest.raises(TragError, match="name to sign in with"):
        accepted(typed)


def test_one_name_in_two_widths_is_one_name() -> None:
    assert accepted("ｒｏｏｔ") == "root"
