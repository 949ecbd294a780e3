"""Numbers as a spreadsheet shows them."""

from __future__ import annotations

import pytest

from org.reading.number_formats import is_date, shown, shown_text

ACCOUNT = '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'
SIZES = '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0'


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1_500_000, '0.0,,"M"', "1.5M"),
        (250_000, '#,##0,"k"', "250k"),
        (-1_500_000, '0.0,,"M"', "-1.5M"),
        (712, "00000", "00712"),
        (7, '"Grade "0', "Grade 7"),
        (45, r"\A\-000", "A-045"),
        (1234.5, "[$£-809]#,##0.00", "£1,234.50"),
        (1234567.891, "#,##0.00 [$€-407]", "1,234,567.89 €"),
        (-5, "$0", "-$5"),
        (-1234.5, '"$"#,##0.00_);("$"#,##0.00)', "($1,234.50)"),
        (-1234, "#,##0;[Red]-#,##0", "-1,234"),
        (1234.5, ACCOUNT, "1,234.50"),
        (-1234.5, ACCOUNT, "(1,234.50)"),
        (0, ACCOUNT, "-"),
        (0, '0;-0;"none"', "none"),
        (5, ";;;", ""),
        (0.125, "0.0%", "12.5%"),
        (1234.567, "0.0", "1234.6"),
        (0.285, "0.00", "0.29"),
        (12, "0.##", "12"),
        (0.5, "#.00", ".50"),
        (-0.4, "0", "0"),
        (1234, "# ##0", "1 234"),
        (123456789, "000-00-0000", "123-45-6789"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (12345, "0.00E+00", "1.23E+04"),
        (12345, "##0.0E+0", "12.3E+3"),
        (1.5, "# ?/?", "1 1/2"),
        (0.25, "# ?/?", "1/4"),
        (0.375, "?/8", "3/8"),
        (2, "# ?/?", "2"),
        (2_500_000, SIZES, "2.5M"),
        (2_500, SIZES, "2.5K"),
        (25, SIZES, "25"),
        (1, '[=1]"day";0" days"', "day"),
        (3, '[=1]"day";0" days"', "3 days"),
        (0, '"Yes";"Yes";"No"', "No"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (3, 'General" days"', "3 days"),
        (5, "@", "5"),
    ],
)  # fmt: skip
def test_a_number_is_shown_as_its_format_says(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text
    assert not is_date(code)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (46082, "dd/mm/yyyy", "2026-03-01"),
        (46082.395833, "yyyy-mm-dd hh:mm", "2026-03-01 09:30"),
        (46082, "[$-F800]dddd, mmmm dd, yyyy", "2026-03-01"),
        (46082, "mmmm yyyy", "March 2026"),
        (46082, "mmm-yy", "Mar-26"),
        (46082, "[$-407]mmmm yyyy", "2026-03"),
        (46082, "dddd", "Sunday"),
        (0.75, "hh:mm", "18:00"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (1.5, "[h]:mm", "36:00"),
        (1.0625, "[hh]:mm:ss", "25:30:00"),
        (1 / 1440, "mm:ss.0", "01:00"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (-3, "yyyy-mm-dd", "-3"),
        (1e12, "yyyy-mm-dd", "1000000000000"),
    ],
)
def test_days_and_times_are_shown(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text
    assert is_date(code)


def test_days_are_counted_from_1904_where_the_file_says_so() -> None:
    assert shown(44620, "yyyy-mm-dd", since_1904=True) == "2026-03-01"


@pytest.mark.parametrize(
    ("code", "text"), [("0", "x"), ('@" (draft)"', "x (draft)"), ("0;-0;0;;", ""), ('0;-0;0;"t: "@', "t: x")]
)
def test_a_text_is_shown_by_the_part_for_texts(code: str, text: str) -> None:
    assert shown_text("x", code) == text


@pytest.mark.parametrize(
    "code",
    ["", "0" * 500, "#,##0.00;;;;;;;", "[", '"open', "\\", "[h", "0/0/0", "?/?", "E+", "E+0", "0E+", ".", ",", "%"],
)
def test_no_format_fails(code: str) -> None:
    for value in (0, -1.5, 1e300, 1e-300):
        assert isinstance(shown(value, code), str)
