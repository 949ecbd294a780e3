"""Typing errors put right as far as they come near known names, and honest words left alone."""

from __future__ import annotations

import pytest

from org.linking import names
from org.linking.names import BODIES, OFFICES
from org.linking.spelling import Speller

NAMES = [
    "information technology department",
    "data protection office",
    "nuclear medicine department",
    "medecine travail",
    "committee audit risk",
    "helpdesk",
    "payroll",
    "call center",
    "ward 12",
    "ward 3b",
    "administration section",
    "superintendent office",
    "public health",
    "مكتب وزير",
]


@pytest.fixture(scope="module")
def speller() -> Speller:
    return Speller(NAMES, OFFICES | BODIES, frozenset(("where", "there")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("informaton technolgy department", "information technology department"),
        ("dtaa protection", "data protection"),
        ("public helth", "public health"),
        ("nuclear medecine department", "nuclear medicine department"),
        ("medecine travail", "medecine travail"),
        ("comitee", "committee"),
        ("paroll", "payroll"),
        ("superintendant office", "superintendent office"),
        ("help desk", "helpdesk"),
        ("help-desk", "helpdesk"),
        ("ward 3 B", "ward 3b"),
        ("callcentre", "call center"),
        ("بمكتب الوزير", "مكتب وزير"),
    ],
)
def test_slips_are_put_right(speller: Speller, text: str, expected: str) -> None:
    assert " ".join(word.text for word in speller.repair(text, names.words(text))) == expected


@pytest.mark.parametrize(("text", "expected"), [("A and B", ["A", "B"]), ("r & d", ["r & d"])])
def test_two_letters_are_one_word_only_where_a_name_has_it(text: str, expected: list[str]) -> None:
    found = Speller(["rd"], frozenset(), frozenset()).repair(text, names.words(text))
    assert [text[word.start : word.end] for word in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        "helth", "there", "unit 7", "protect",
        "wards 1 and 2", "wards 1, 2", "wards 1 2", "help and desk", "help & desk", "help,desk", "help the desk",
    ],
)  # fmt: skip
def test_other_words_are_left_alone(speller: Speller, text: str) -> None:
    found = names.words(text)
    assert list(speller.repair(text, found)) == found


def test_a_repaired_word_keeps_its_place(speller: Speller) -> None:
    text = "the callcentre"
    assert [text[word.start : word.end] for word in speller.repair(text, names.words(text))] == ["call", "centre"]
