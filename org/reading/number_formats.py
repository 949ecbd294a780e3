"""Numbers of a spreadsheet as it shows them, by their format codes: `0.0,,"M"` makes 1.5M of 1500000.

The codes are those of ECMA-376, part 1, 18.8.30 and 18.8.31. Whole dates are written as 2026-03-01, whatever their
order in the sheet; names of months and weekdays are English, and left aside for numbers where the code asks for
another language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<exponent>E[+-])(?=[0#?])|(?P<half>AM/PM|A/P)|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)"
    r"|(?P<percent>%)|(?P<slash>/)|(?P<text>@)|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+)|(?P<literal>.)",
    re.IGNORECASE | re.DOTALL,
)
_SECTION = re.compile(r'(?:"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]|[^;])*', re.DOTALL)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_MOST_DIGITS = 60  # of a format; what asks for more was never made to be read
_WIDE = Context(prec=400)  # the largest number of a sheet has 308 digits
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a code. `condition` is an operator and a bound, `is_foreign` says that it asks for the names of days
    and months in another language than English."""

    tokens: tuple[_Token, ...]
    condition: tuple[str, float] | None
    is_foreign: bool

    @property
    def is_date(self) -> bool:
        return any(token.kind in ("date", "elapsed", "half") for token in self.tokens)


def shown(value: float, code: str, *, since_1904: bool = False) -> str:
    """The text of a number under a format code, without spaces at its ends; "" where the code shows nothing.

    `since_1904` says that days are counted from 1904-01-01. A day that is none shows as its number.
    """
    if not isfinite(value):
        return str(value)
    section, value = _chosen(_sections(code), value)
    if section is None:
        return general(value)
    if section.is_date:
        moment = moment_of(value, since_1904=since_1904)
        text = general(value) if moment is None else _date(section, value, moment)
    else:
        text = _number(section, value)
    return " ".join(text.split())


def shown_text(text: str, code: str) -> str:
    """A text under a format code, whose fourth part, or the one with an @, is that for texts."""
    sections = _sections(code)
    of_text = sections[3] if len(sections) > 3 else sections[-1]
    if len(sections) < 4 and not any(token.kind == "text" for token in of_text.tokens):
        return text
    return "".join(text if token.kind == "text" else _plain(token) for token in of_text.tokens).strip()


def general(value: float) -> str:
    """A number without a format: 3 for 3.0, 0.3 for 0.1 + 0.2."""
    return str(int(value)) if float(value).is_integer() else repr(round(value, 10))


def is_date(code: str) -> bool:
    """Whether a code shows a number as a day or a time."""
    return _sections(code)[0].is_date


def moment_of(days: float, *, since_1904: bool = False) -> datetime | None:
    """The moment that a number stands for, to the second, None for none."""
    # Day 60 of the other count is 29 February 1900, which never was: days before it are one too few.
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 31 if 1 <= days < 60 else 30)
    try:
        return start + timedelta(seconds=round(days * 86_400)) if days >= 0 else None
    except (OverflowError, ValueError):
        return None


@lru_cache(maxsize=2_048)
def _sections(code: str) -> tuple[_Section, ...]:
    parts: list[str] = []
    at = 0
    while len(parts) < 4 and at <= len(code):
        match = _SECTION.match(code, at)
        parts.append(match[0] if match else "")
        at += len(parts[-1]) + 1
    return tuple(map(_section, parts))


def _section(part: str) -> _Section:
    tokens: list[_Token] = []
    condition = None
    is_foreign = False
    for match in _TOKEN.finditer(part):
        kind, text = match.lastgroup or "literal", match[match.lastgroup or 0]
        if kind == "bracket":
            if found := _CONDITION.fullmatch(text):
                condition = found[1], float(found[2])
            elif _ELAPSED.fullmatch(text):
                tokens.append(_Token("elapsed", text.lower()))
            elif text.startswith("$"):
                symbol, _, language = text[1:].partition("-")
                tokens.append(_Token("quoted", symbol))
                is_foreign |= bool(language) and not language.upper().endswith(("09", "F800", "F400"))
        else:
            tokens.append(_Token(kind, text.lower() if kind == "date" else text))
    return _Section(tuple(tokens[:500]), condition, is_foreign)


def _chosen(sections: Sequence[_Section], value: float) -> tuple[_Section | None, float]:
    """The section that a number falls under, and the number as it is to be shown there: without its sign where the
    section is that of numbers below nought. None where no condition holds."""
    if any(section.condition for section in sections[:2]):
        for at, section in enumerate(sections[:3]):
            if section.condition and _holds(section.condition, value):
                operator, bound = section.condition
                return section, abs(value) if bound <= 0 and operator in ("<", "<=") else value
            if section.condition is None and (at or value > 0):
                return section, value
        return None, value
    if len(sections) == 1 or value > 0 or (value == 0 and len(sections) == 2):
        return sections[0], value
    return (sections[1], abs(value)) if value < 0 else (sections[2], value)


def _holds(condition: tuple[str, float], value: float) -> bool:
    operator, bound = condition
    return {
        "<": value < bound,
        "<=": value <= bound,
        ">": value > bound,
        ">=": value >= bound,
        "=": value == bound,
        "<>": value != bound,
    }[operator]


def _plain(token: _Token) -> str:
    """What a token that is neither a digit nor a part of a date shows by itself."""
    if token.kind in ("quoted", "escaped", "literal", "percent", "slash", "point", "comma", "half", "exponent"):
        return token.text
    return " " if token.kind == "space" else ""


def _number(section: _Section, value: float) -> str:
    tokens = section.tokens
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    sign = "-" if value < 0 else ""
    if not digits or len(digits) > _MOST_DIGITS:
        if not any(token.kind in ("general", "text") for token in tokens):
            return "".join(map(_plain, tokens)) if not digits else general(value)
        return "".join(general(value) if token.kind in ("general", "text") else _plain(token) for token in tokens)
    amount = abs(Decimal(f"{value:.15g}"))
    slash = next((at for at, token in enumerate(tokens) if token.kind == "slash"), None)
    if slash is not None and digits[0] < slash:
        return sign + _fraction(tokens, slash, amount)
    amount *= 100 ** sum(token.kind == "percent" for token in tokens)
    power = next((at for at, token in enumerate(tokens) if token.kind == "exponent"), None)
    point = next((at for at, token in enumerate(tokens) if token.kind == "point"), len(tokens))
    mantissa = [at for at in digits if power is None or at < power]
    whole, decimals = [at for at in mantissa if at < point], [at for at in mantissa if at > point]
    exponent = 0
    if power is not None and amount:
        exponent = amount.adjusted() - amount.adjusted() % max(len(whole), 1)
        amount = amount.scaleb(-exponent)
    commas = {at for at, token in enumerate(tokens) if token.kind == "comma"}
    grouped = any(whole and whole[0] < at < whole[-1] for at in commas)
    for last in {*whole[-1:], *mantissa[-1:]}:
        while last + 1 in commas:  # each comma right behind the last digit divides by a thousand
            amount, last = amount / 1000, last + 1
    amount = amount.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP, _WIDE)
    before, _, after = f"{amount:f}".partition(".")
    pieces = _laid_out(tokens, whole, before.lstrip("0"), grouped=grouped)
    kept = after.rstrip("0")
    for place, at in enumerate(decimals):
        filler = {"0": "0", "?": " "}.get(tokens[at].text, "")
        pieces[at] = after[place] if place < len(kept) else filler
    if power is not None:
        behind = [at for at in digits if at > power]
        pieces |= _laid_out(tokens, behind, str(abs(exponent)).lstrip("0"), grouped=False)
        mark = "-" if exponent < 0 else "+" if tokens[power].text.endswith("+") else ""
        pieces[power] = f"E{mark}"
    if not any(pieces[at].strip() for at in decimals):
        pieces[point] = ""
    is_nought = not any(character in "123456789" for character in before + after)
    text = "".join(
        pieces.get(
            at, "" if token.kind == "comma" and at in range(digits[0], digits[-1] + len(commas) + 1) else _plain(token)
        )
        for at, token in enumerate(tokens)
    )
    return text if is_nought else sign + text.lstrip()


def _laid_out(tokens: Sequence[_Token], places: Sequence[int], digits: str, *, grouped: bool) -> dict[int, str]:
    """What stands at each place for a digit: those that are too many at the first one, and what fills up those that
    are too few."""
    pieces: dict[int, str] = {}
    spare = len(places) - len(digits)
    done = 0
    for order, at in reversed(list(enumerate(places))):
        if order < spare:
            found = {"0": "0", "?": " "}.get(tokens[at].text, "")
        elif order == 0:
            found = digits[: 1 - spare] if spare <= 0 else digits[:1]
        else:
            found = digits[order - spare]
        written = ""
        for digit in reversed(found):
            written = digit + ("," if grouped and done and done % 3 == 0 and digit != " " else "") + written
            done += 1
        pieces[at] = written
    return pieces


def _fraction(tokens: Sequence[_Token], slash: int, amount: Decimal) -> str:
    """An amount as a fraction: `# ?/?` has its whole part apart, `0/4` fixes what it is divided by."""
    below = "".join(token.text for token in tokens[slash + 1 :] if token.kind in ("digit", "literal")).strip()
    above = slash
    while above and tokens[above - 1].kind == "digit":
        above -= 1
    has_whole = any(token.kind == "digit" for token in tokens[:above])
    whole = int(amount) if has_whole else 0
    rest = Fraction(amount) - whole
    if below.isdecimal() and int(below):
        part, divisor = round(rest * int(below)), int(below)
    else:
        found = rest.limit_denominator(10 ** min(max(len(below), 1), 6) - 1)
        part, divisor = found.numerator, found.denominator
    if has_whole and part == divisor:
        whole, part = whole + 1, 0
    fraction = f"{part}/{divisor}" if part or not has_whole else ""
    before = "".join(_plain(token) for token in tokens[:above] if token.kind != "digit").strip()
    end = next(
        (at for at in range(len(tokens), slash, -1) if tokens[at - 1].kind == "digit" or tokens[at - 1].text.isdigit()),
        slash,
    )
    behind = "".join(map(_plain, tokens[end:]))
    number = " ".join(filter(None, [str(whole) if has_whole and (whole or not part) else "", fraction]))
    return f"{before}{number}{behind}"


def _date(section: _Section, value: float, moment: datetime) -> str:
    """A moment by the parts that a code names; all of a date as 2026-03-01."""
    parts = _parts(section)
    kinds = {kind for kind, _ in parts}
    if {"year", "month", "day"} <= kinds or kinds & {"era"}:
        clock = "" if "hour" not in kinds else f"{moment:%H:%M:%S}" if "second" in kinds else f"{moment:%H:%M}"
        return f"{moment:%Y-%m-%d} {clock}"
    if section.is_foreign and any(kind in ("month", "day") and len(text) > 2 for kind, text in parts):
        return f"{moment:%Y-%m}" if kinds & {"year"} else f"{moment:%Y-%m-%d}"
    half = any(token.kind == "half" for token in section.tokens)
    seconds = round(value * 86_400)
    return "".join(_part(kind, text, moment, seconds, half=half) for kind, text in parts)


def _parts(section: _Section) -> list[tuple[str, str]]:
    """The tokens of a date as (kind, text); an m is minutes behind hours or before seconds, else the month."""
    found: list[tuple[str, str]] = []
    tokens = section.tokens
    timed = [token for token in tokens if token.kind in ("date", "elapsed")]
    nth = -1
    in_fraction = False
    for token in tokens:
        if token.kind in ("date", "elapsed"):
            nth += 1
            in_fraction = False
        letter = token.text[:1]
        if token.kind == "elapsed":
            found.append(("elapsed", token.text))
        elif token.kind == "date":
            behind_hours = nth > 0 and timed[nth - 1].text[:1] == "h"
            before_seconds = nth + 1 < len(timed) and timed[nth + 1].text[:1] == "s"
            kinds = {"y": "year", "d": "day", "h": "hour", "s": "second", "m": "month"}
            kind = kinds.get(letter, "era")
            found.append(("minute" if letter == "m" and (behind_hours or before_seconds) else kind, token.text))
        elif token.kind == "half":
            found.append(("half", token.text))
        elif token.kind in ("point", "digit"):  # parts of a second, which nobody reads
            in_fraction = in_fraction or token.kind == "point"
            if not in_fraction or (found and found[-1][0] not in ("second", "elapsed")):
                found.append(("literal", token.text))
        else:
            found.append(("literal", _plain(token)))
    return found


def _part(kind: str, text: str, moment: datetime, seconds: int, *, half: bool) -> str:
    wide = len(text)
    if kind == "elapsed":
        total = seconds // {"h": 3600, "m": 60, "s": 1}[text[0]]
        return f"{total:0{wide}d}"
    if kind == "year":
        return f"{moment:%Y}" if wide > 2 else f"{moment:%y}"
    if kind == "month":
        name = _MONTHS[moment.month - 1]
        return {3: name[:3], 4: name, 5: name[0]}.get(wide, f"{moment.month:0{min(wide, 2)}d}")
    if kind == "day":
        name = _DAYS[moment.weekday()]
        return {3: name[:3], 4: name}.get(wide, f"{moment.day:0{min(wide, 2)}d}")
    if kind == "hour":
        hour = (moment.hour % 12 or 12) if half else moment.hour
        return f"{hour:0{min(wide, 2)}d}"
    if kind in ("minute", "second"):
        return f"{getattr(moment, kind):0{min(wide, 2)}d}"
    if kind == "half":
        return f"{moment:%p}" if wide > 3 else f"{moment:%p}"[0]
    return text
