"""The days of which a question asks what applied then, read by the model as an expression that code works out.

"what was the fee last year?" -> "year -1" -> 1 January to 31 December of the year before today's
"""

from __future__ import annotations

import calendar
import re
import threading
from datetime import date, timedelta

import prompts
from store.standing import Period
from trag.llm.model import LanguageModel, text_of

NONE = "none"
_COUNTS = 'root ::= "none" | unit " " [+-] [0-9] [0-9]?\nunit ::= "year" | "month" | "day"\n'
_POINTS = """root ::= "none" | point (".." point)? | unit " " [+-] [0-9] [0-9]?
point ::= year ("-" [01] [0-9] ("-" [0-3] [0-9])?)?
unit ::= "year" | "month" | "day"
"""
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_POINT = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_COUNTED = re.compile(r"(year|month|day) ([+-]\d{1,2})")
_TOKENS = 24


def ask(question: str, model: LanguageModel, *, stop: threading.Event, today: date | None = None) -> Period | None:
    """The days that are asked for, None where it is today. Raises what `LanguageModel.stream` raises."""
    messages = prompts.asked_days(question)
    stream = model.stream(messages, max_tokens=_TOKENS, stop=stop, task="asked_days", grammar=grammar(question))
    written, _ = text_of(stream)
    return period(written, today or date.today())


def grammar(question: str) -> str:
    """What may be written of a question: no year but those that stand in it, in digits of any script."""
    years = {str(int(year)) for year in _YEAR.findall(question)}
    named = " | ".join(f'"{year}"' for year in sorted(years) if "1900" <= year < "2200")
    return f"{_POINTS}year ::= {named}\n" if named else _COUNTS


def period(written: str, today: date) -> Period | None:
    """The days that an expression stands for; None for "none", and for what no calendar has."""
    text = written.strip()
    try:
        if counted := _COUNTED.fullmatch(text):
            return _counted(counted[1], int(counted[2]), today)
        points = [_POINT.fullmatch(part) for part in text.split("..")]
        first, last = points[0], points[-1]
        if not (first and last and len(points) <= 2):
            return None
        found = Period(_day(first, end=False), _day(last, end=True))
        return found if found.first <= found.last else None
    except (ValueError, OverflowError):
        return None


def _counted(unit: str, number: int, today: date) -> Period:
    if unit == "day":
        return Period.of(today + timedelta(days=number))
    if unit == "year":
        return Period(date(today.year + number, 1, 1), date(today.year + number, 12, 31))
    months = 12 * today.year + today.month - 1 + number
    year, month = months // 12, months % 12 + 1
    return Period(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _day(point: re.Match[str], *, end: bool) -> date:
    """The first or the last day of a year, a month or a day."""
    year, month, day = (int(part) if part else 0 for part in point.groups())
    month = month or (12 if end else 1)
    return date(year, month, day or (calendar.monthrange(year, month)[1] if end else 1))
