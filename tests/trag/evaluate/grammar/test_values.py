"""What people say for a value of a database."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from trag.evaluate.grammar.questions import holds, ways_to_say


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  Quay \n Street ", ("Quay Street",)),
        (5, ("5", "five")),
        (50_000, ("50000", "50,000", "50 000")),
        (3.0, ("3", "three")),
        (Decimal("1250.50"), ("1250.5", "1,250.5", "1250.50", "1,250.50")),
        (-2.5, ("-2.5", "-2.50")),
        (3.14159, ("3.14159",)),
        (Decimal("40.00"), ("40", "40.00")),
        (time(9, 30), ("09:30",)),
        (datetime(2024, 3, 1, 9, 5), ("1 March 2024 09:05", "2024-03-01 09:05")),
        ("2024-02-30", ("2024-02-30",)),
    ],
    ids=str,
)
def test_a_value_is_said_in_each_of_its_forms(value: object, expected: tuple[str, ...]) -> None:
    assert ways_to_say(value) == expected


@pytest.mark.parametrize(
    "value", [date(2024, 3, 1), "2024-03-01", "2024-03-01 00:00:00", datetime(2024, 3, 1)], ids=str
)
def test_a_day_is_said_as_people_write_days(value: object) -> None:
    assert {"1 March 2024", "March 1, 2024", "2024-03-01", "01/03/2024"} <= set(ways_to_say(value))


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        " - ",
        b"\xff",
        {"a": 1},
        [1],
        True,
        float("nan"),
        float("inf"),
        UUID(int=1),
        timedelta(1),
        "x" * 121,
        "a\x00b",
        '{"nested": [1]}',
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_nobody_says_has_no_form(value: object) -> None:
    assert ways_to_say(value) == ()


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("It is the  LEGAL\noffice.", "Legal Office", True),
        ("the illegal office", "legal office", False),
        ("C++ (2024)", "C++", True),
        ("15 days", "5", False),
        ("x", " ", False),
    ],
)
def test_words_are_held_whole_whatever_their_case(text: str, words: str, expected: bool) -> None:
    assert holds(text, words) is expected
