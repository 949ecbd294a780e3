"""A value of a database as people say it: in a question, and in the forms in which an answer may give it.

What nobody says in a sentence (pictures, nested JSON, long texts) has no form. Knows nothing about tables or templates.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

LONGEST = 120
"""Characters of a value that is put in a question, or that is a singular answer."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]00:00(?::00(?:\.0+)?)?)?")


def forms(value: object) -> tuple[str, ...]:
    """The ways to say a value, the one for a question first; none for a value that nobody says."""
    match value:
        case bool() | None:
            return ()
        case int() | Decimal() | float():
            return _number(value)
        case datetime() if value.time() == time():
            return _day(value.date())
        case datetime():
            return (f"{_day(value.date())[0]} {value:%H:%M}", f"{value:%Y-%m-%d %H:%M}")
        case date():
            return _day(value)
        case time():
            return (f"{value:%H:%M}",)
        case timedelta():
            return ()
        case str():
            return _text(value)
        case _:
            return ()


def holds(text: str, words: str) -> bool:
    """Whether `words` stand in `text` as whole words, whatever their case and the spaces between them."""
    wanted = r"\s+".join(map(re.escape, words.casefold().split()))
    return bool(wanted) and re.search(rf"(?<!\w){wanted}(?!\w)", text.casefold()) is not None


def _text(value: str) -> tuple[str, ...]:
    text = " ".join(value.split())
    if len(text) > LONGEST or not text.isprintable() or not re.search(r"\w", text) or "�" in text or text[0] in "{[":
        return ()
    if _DAY.fullmatch(text):
        try:
            return _day(date.fromisoformat(text[:10]))
        except ValueError:
            return (text,)
    return (text,)


def _day(day: date) -> tuple[str, ...]:
    month = _MONTHS[day.month - 1]
    return (
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day} {day.year}",
        day.isoformat(),
        f"{day:%d/%m/%Y}",
        f"{day:%d.%m.%Y}",
    )


def _number(value: int | float | Decimal) -> tuple[str, ...]:
    if not math.isfinite(value):
        return ()
    if value == int(value):
        whole = int(value)
        words = [_NUMBERS[whole]] if 0 <= whole < len(_NUMBERS) else []
        cents = [f"{value:,.2f}"] if isinstance(value, Decimal) else []
        return tuple(dict.fromkeys([str(whole), f"{whole:,}", f"{whole:,}".replace(",", " "), *words, *cents]))
    plain = Decimal(str(value)).normalize()
    cents = [f"{plain:.2f}", f"{plain:,.2f}"] if plain == round(plain, 2) else []
    return tuple(dict.fromkeys([f"{plain:f}", f"{plain:,f}", *cents]))
