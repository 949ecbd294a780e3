"""The same thing said in two ways has the same words; another thing has not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trag.evaluate.scoring.wording import places, plain, words


def keys(text: str) -> list[str]:
    return [word.key for word in words(plain(text))]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("30 days", "thirty days"),
        ("30-day", "30 days"),
        ("four thousand words", "4,000 words"),
        ("4 000 words", "4000 words"),
        ("one hundred and fifty", "150"),
        ("two hundred thousand", "200k"),
        ("twelve (12) months", "12 months"),
        ("£1,200", "1200 pounds"),
        ("EUR 30", "30 euros"),
        ("€30.50", "30.5 EUR"),
        ("10%", "ten per cent"),
        ("10 percent", "10 per cent"),
        ("2 pm", "14:00"),
        ("7:30 p.m.", "19:30"),
        ("1 March 2024", "March 1st, 2024"),
        ("2024-03-01", "1 March 2024"),
        ("the member’s vote", "a members' vote"),
        ("e-mails", "e-mail"),
        ("policies & classes", "policy and class"),
        ("the Café", "cafe"),
        ("tc-chair", "TC chair"),
    ],
)
def test_two_ways_of_writing_are_one(first: str, second: str) -> None:
    assert keys(first) == keys(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("30 days", "30 weeks"),
        ("30 days", "13 days"),
        ("£30", "€30"),
        ("1 March", "1 May"),
        ("2 pm", "2 am"),
        ("2 may vote", "2 May"),
        ("five seven", "57"),
        ("director", "directorate"),
    ],
)
def test_two_things_stay_two(first: str, second: str) -> None:
    assert keys(first) != keys(second)


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        pytest.param("30 days", "within 30 calendar days of it", ["30 calendar days"], id="calendar days"),
        pytest.param("30 days", "130 days, 30.5 days, 30 hours", [], id="other amounts"),
        pytest.param("4", "4,000 words in 2.4 seconds", [], id="part of a number"),
        pytest.param("4", "four or 4", ["four", "4"], id="twice"),
        pytest.param("distributor", "Only distributors’ lists", ["distributors"], id="plural possessive"),
        pytest.param("e-mail", "by email", ["email"], id="hyphen left out"),
        pytest.param("email", "by e-mail", ["e-mail"], id="hyphen put in"),
        pytest.param("the board", "a vote of the **Board**", ["Board"], id="article and emphasis"),
        pytest.param("chair", "the chairman", [], id="part of a word"),
        pytest.param("7:30", "at 7:30 pm", ["7:30"], id="to the letter"),
        pytest.param("%", "100 %", ["%"], id="a sign alone"),
    ],
)
def test_places_are_whole_words(phrase: str, text: str, found: list[str]) -> None:
    text = plain(text)
    assert [text[place.start : place.end] for place in places(phrase, text, words(text))] == found


@settings(deadline=None)
@given(st.integers(0, 999_999))
def test_a_number_is_the_same_with_and_without_separators(number: int) -> None:
    assert keys(f"{number:,} words") == keys(f"{number} words") == [str(number), "word"]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_words_stand_where_they_say(text: str) -> None:
    text = plain(text)
    found = words(text)
    assert all(0 <= word.start < word.end <= len(text) and word.key for word in found)
    assert [word.start for word in found] == sorted(word.start for word in found)
    assert all(places(word.key, text, found) for word in found if word.key.isalpha() and len(word.key) < 4)
