"""Dates as people write them: what is plain is read, what may mean several days says so, other calendars are none."""

import pytest

from trag.dates import days

pytestmark = pytest.mark.slow  # dateparser takes a second to load


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2025-03-01", ["2025-03-01"]),
        ("1 March 2025", ["2025-03-01"]),
        ("March 1st, 2025", ["2025-03-01"]),
        ("1. März 2025", ["2025-03-01"]),
        ("1er mars 2025", ["2025-03-01"]),
        ("1 марта 2025 г.", ["2025-03-01"]),
        ("2025年3月1日", ["2025-03-01"]),
        ("١ مارس ٢٠٢٥", ["2025-03-01"]),
        ("13/04/2025", ["2025-04-13"]),
        ("03/04/2025", ["2025-03-04", "2025-04-03"]),
        ("01.03.2025", ["2025-01-03", "2025-03-01"]),
        ("March 2025", ["2025-03-01"]),
        ("2025", ["2025-01-01"]),
        ("1446-09-01", []),
        ("11 พฤษภาคม 2566", []),
        ("Q3 2025", []),
        ("HR-2025-01", []),
        ("12 Feb", []),
        ("next year", []),
        ("", []),
    ],
)
def test_a_date(text: str, read: list[str]) -> None:
    assert [str(day) for day in days(text)] == read


def test_the_end_of_a_month_or_a_year() -> None:
    assert [str(day) for text in ("February 2024", "2024") for day in days(text, end=True)] == [
        "2024-02-29",
        "2024-12-31",
    ]
