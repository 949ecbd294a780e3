"""The days that an expression of the model stands for."""

from datetime import date

import pytest

from store.standing import Period
from trag.asked_days import grammar, period

TODAY = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("2023", date(2023, 1, 1), date(2023, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-03-01", date(2024, 3, 1), date(2024, 3, 1)),
        ("2019..2021-06", date(2019, 1, 1), date(2021, 6, 30)),
        ("year -1", date(2025, 1, 1), date(2025, 12, 31)),
        ("year +1", date(2027, 1, 1), date(2027, 12, 31)),
        ("month -1", date(2025, 12, 1), date(2025, 12, 31)),
        ("month +1", date(2026, 2, 1), date(2026, 2, 28)),
        ("day -1", date(2026, 1, 30), date(2026, 1, 30)),
    ],
)
def test_what_a_calendar_has(written: str, first: date, last: date) -> None:
    assert period(written, TODAY) == Period(first, last)


@pytest.mark.parametrize(
    "written", ["none", "", "2023-13", "2023-02-30", "2024..2020", "year", "year -1..2020", "soon"]
)
def test_what_no_calendar_has_is_today(written: str) -> None:
    assert period(written, TODAY) is None


def test_no_year_is_read_that_does_not_stand_in_the_question() -> None:
    assert 'year ::= "2019" | "2021"' in grammar("between 2021 and 2019, form 12025, year 2566, in 0815")
    assert 'year ::= "2022"' in grammar("كم كان في عام ٢٠٢٢؟")
    assert "point" not in grammar("what was it last year?")
