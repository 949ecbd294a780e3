"""Dates as people write them, in the languages that dateparser knows: the days that one may mean. What may mean several
days, or none of this calendar, is for a person to say."""

from __future__ import annotations

import calendar
import re
from datetime import date

_YEARS = range(1900, 2200)
"""Of the Gregorian calendar; 1446 is of the Hijri, 2568 of the Buddhist one."""
_LONGEST = 60
_DIGITS = re.compile(r"\d+")
_SETTINGS = {"PARSERS": ["absolute-time"], "PREFER_LOCALE_DATE_ORDER": False}


def days(text: str, *, end: bool = False) -> tuple[date, ...]:
    """The days that a date may mean, the earliest first: one where it is plain, several for 03/04/2025, none for what
    is no date or of another calendar. A month stands for its first day, or its `end`; so does a year."""
    text = " ".join(text.split())
    try:
        found = {date.fromisoformat(text)}
    except ValueError:
        found = _parsed(text, end) if 4 <= len(text) <= _LONGEST else set()
    return tuple(sorted(day for day in found if day.year in _YEARS))


def _parsed(text: str, end: bool) -> set[date]:
    """Parsed in each order of day, month and year that is in use: what begins with a year goes on with the month."""
    import dateparser

    digits = _DIGITS.findall(text)
    years = [number for number in digits if len(number) == 4]
    if text.isdecimal() and years and int(text) in _YEARS:
        return {date(int(text), 12, 31) if end else date(int(text), 1, 1)}

    def parsed(order: str, *parts: str) -> date | None:
        settings = _SETTINGS | {"DATE_ORDER": order, "REQUIRE_PARTS": [*parts]}
        moment = dateparser.parse(text, settings=settings)
        return moment.date() if moment else None

    if len(digits) > 1:
        orders = ("YMD",) if len(digits[0]) == 4 else ("DMY", "MDY", "YMD")
        found: set[date] = set()
        for order in orders:
            if (day := parsed(order, "day", "month", "year")) is None:
                break
            found.add(day)
        if found:
            return found
    # A month and a year: "March 2025", "03/2025", and no number or name of a document that has them in it.
    rest = text.replace(years[0], "", 1) if len(years) == 1 else ""
    is_month = not any(map(str.isdigit, rest)) if len(digits) == 1 else not any(map(str.isalpha, rest))
    if rest and is_month and len(digits) < 3 and (day := parsed("YMD", "month", "year")):
        return {day.replace(day=calendar.monthrange(day.year, day.month)[1] if end else 1)}
    return set()
