"""Whether words in a sentence are someone, or only something."""

from __future__ import annotations

import pytest

from org.finding import speech


def place(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    "text",
    [
        "ask legal before signing",
        "send the form to legal",
        "is it approved by legal",
        "someone in legal called me",
        "legal told me to wait",
        "legal wants my diploma",
        "can legal refuse",
        "can legal speed up my order",
        "does the legal keep copies",
        "legal hotline",
        "legal took my form",
        "is legal in charge of this",
        "does legal need three signatures",
        "who in legal looks after leases",
        "legal's answer",
        "is legal holding my contract",
        "legal lost it",
    ],
)
def test_who_is_asked_or_decides_is_someone(text: str) -> None:
    assert speech.is_someone(text, *place(text, "legal"))


@pytest.mark.parametrize(
    "text",
    [
        "i need legal advice",
        "ask legal questions",
        "is it legal",
        "a legal told me",
        "can legal advice be refused",
        "what is the legal age",
        "the rules are legal",
        "does legal contract law say more",
        "how long does legal take after a claim",
        "the law on legal says a thing",
    ],
)
def test_a_word_of_something_longer_is_no_one(text: str) -> None:
    assert not speech.is_someone(text, *place(text, "legal"))


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("i start in radiology on monday", "radiology", True),
        ("a letter from procurement", "procurement", True),
        ("a letter from procurement experts", "procurement", False),
        ("the fees at radiology", "radiology", True),
        ("by radiology", "radiology", False),
        ("he works in surgery", "surgery", False),
        ("a degree in radiology", "radiology", False),
        ("questions about radiology", "radiology", False),
    ],
)
def test_where_someone_is(text: str, words: str, expected: bool) -> None:
    assert speech.is_somewhere(text, *place(text, words)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" under the ", "place"),
        (" is part of ", "place"),
        (" both in ", "place"),
        (" or ", "pair"),
        (", ", "pair"),
        (" & ", "pair"),
        (" policy and ", ""),
        (" ", ""),
    ],
)
def test_what_joins_two_units(text: str, expected: str) -> None:
    assert speech.link(text) == expected
