"""One thing said in two ways: "thirty days" and "30-day", "£1,200" and "1200 pounds", "per cent" and "%".

text -> Words, each with a key that is the same for all ways of writing it; a gold alternative -> its places in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

_PLAIN = str.maketrans("’‘ʼ´`“”„«»–—‑‐−\u00a0\u202f\u2009", "'''''\"\"\"\"\"-----   ")
_DIGITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: value for value, word in enumerate(_DIGITS)} | {word: 10 * ten for ten, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "k": 1_000, "m": 1_000_000}
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS) + "|Sept"
_NUMBER_WORD = rf"(?:{'|'.join([*_DIGITS, *_TENS, 'hundred', 'thousand', 'million'])})"
_CURRENCIES = {"£": "gbp", "pound": "gbp", "quid": "gbp", "€": "eur", "euro": "eur", "$": "usd", "dollar": "usd"}
_CURRENCIES |= {code: code for code in ("gbp", "eur", "usd", "chf")}
_SAME = {"per cent": "%", "percent": "%", "pct": "%", "&": "and", "hr": "hour", "min": "minute", "yr": "year"}
_ARTICLES = frozenset({"the", "a", "an"})
_BETWEEN = frozenset({"calendar", "full", "whole", "consecutive", "written"})
"""What may stand between a number and what it counts without making it another amount."""

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^\sa-z])|\s*\n+\s*(?:[-*•·]\s+)?")
_OPEN_END = re.compile(r"(?:\b(?:[A-Z]|No|Nos|Dr|Mr|Mrs|Ms|St|Art|Sec)\.|^\W*\d+[.)])$")
"""What ends with a full stop without ending a sentence: an initial, a title, the number of an item."""
_LONGEST = 40  # digits of a number
_TOKEN = re.compile(
    rf"(?P<iso>(?<!\d)\d{{4}}-\d\d-\d\d(?!\d))"
    rf"|(?P<day>\b\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b\.?,?"
    rf"|\b(?P<month2>{_MONTH})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),?"
    r"|(?P<hour>(?<![\d.,])\d{1,2})(?:[:.](?P<minute>[0-5]\d))? ?(?P<half>[aApP]\.?[mM])\b\.?"
    r"|(?P<clock>(?<![\d:])\d{1,2}:[0-5]\d(?![\d:]))(?: ?(?:h|hrs|hours|o'clock)\b)?"
    r"|(?P<figure>\d{1,3}(?:[ ,']\d{3})+(?!\d)|\d+)(?P<fraction>\.\d+)?(?P<scale> ?(?:thousand|million)\b|[kKmM]\b)?"
    rf"|(?P<spelled>\b{_NUMBER_WORD}(?:(?:[ -]+|,? and ){_NUMBER_WORD})*\b)"
    r"|(?P<percent>%|\bper ?cent\b|\bpct\b)"
    r"|(?P<sign>[£€$&])"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*|[\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number, date or time at `text[start:end]`; `joined` when only a hyphen parts it from the one before."""

    key: str
    start: int
    end: int
    joined: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is a plain number: no date, no time of day."""
        return self.key[0].isdecimal()


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of text: `text[start:end]`."""

    start: int
    end: int

    def overlaps(self, other: Place) -> bool:
        """Whether they share a character."""
        return self.start < other.end and other.start < self.end


def plain(text: str) -> str:
    """The text with plain quotes, dashes and spaces and without marks of emphasis, as all of this room reads it. Of a
    row of digits without end, as a small model may write, so many are kept as make no number any more."""
    bare = re.sub(r"\*\*|__", "", unicodedata.normalize("NFC", text).translate(_PLAIN))
    return re.sub(rf"(\d{{{_LONGEST}}})\d+", r"\1", bare)


def words(text: str) -> tuple[Word, ...]:
    """The words of a `plain` text, articles left out, a currency after its amount."""
    found: list[Word] = []
    for word in _tokens(text):
        last = found[-1] if found else None
        if last and last.key == word.key and word.is_number and text[last.end : word.start].strip() == "(":
            found[-1] = replace(last, end=word.end)  # "twelve (12)"
        elif last and word.is_number and last.key in _CURRENCIES.values() and not (found[:-1] and found[-2].is_number):
            found[-1:] = [replace(word, start=last.start, joined=last.joined), replace(last, end=word.end)]
        elif word.key not in _ARTICLES:
            found.append(word)
    return tuple(found)


def places(phrase: str, text: str, among: Sequence[Word]) -> tuple[Place, ...]:
    """Where a phrase stands in a `plain` text, whose words are `among`, in any way of writing it."""
    wanted = words(plain(phrase))
    found = [
        Place(among[first].start, among[last - 1].end)
        for first in range(len(among) if wanted else 0)
        if (last := _match(wanted, among, first))
    ]
    if not found:
        literal = re.compile(rf"(?<![\w])(?<!\d[.,:]){re.escape(plain(phrase))}(?!\w|[.,:]\d)", re.IGNORECASE)
        found = [Place(*match.span()) for match in literal.finditer(text)]
    return tuple(found)


def sentences(text: str) -> tuple[Place, ...]:
    """The sentences of a `plain` text; the items of a list are sentences of their own."""
    found: list[Place] = []
    start = 0
    for match in _BREAK.finditer(text):
        if text[start : match.start()].strip() and not _OPEN_END.search(text, start, match.start()):
            found.append(Place(start, match.start()))
            start = match.end()
    return (*found, Place(start, len(text))) if text[start:].strip() else tuple(found)


def says(text: str, phrases: Iterable[str]) -> bool:
    """Whether a text says one of the phrases, in any way of writing it."""
    text = plain(text)
    among = words(text)
    return any(places(phrase, text, among) for phrase in phrases)


def says_all(text: str, items: Iterable[Iterable[str]]) -> bool:
    """Whether a text says every item in one of its alternatives."""
    return all(says(text, item) for item in items)


def _match(wanted: Sequence[Word], among: Sequence[Word], first: int) -> int:
    """The end of the words from `first` on that are the wanted ones, 0 where they are not."""
    here, there = 0, first
    while here < len(wanted):
        if there >= len(among):
            return 0
        want, have = wanted[here], among[there]
        if want.key == have.key:
            here, there = here + 1, there + 1
        elif _is_joined(wanted, here) and want.key + wanted[here + 1].key == have.key:
            here, there = here + 2, there + 1
        elif _is_joined(among, there) and have.key + among[there + 1].key == want.key:
            here, there = here + 1, there + 2
        elif here and wanted[here - 1].is_number and have.key in _BETWEEN:
            there += 1
        else:
            return 0
    return there


def _is_joined(row: Sequence[Word], place: int) -> bool:
    return place + 1 < len(row) and row[place + 1].joined


def _tokens(text: str) -> Iterator[Word]:
    end = -1
    for match in _TOKEN.finditer(text):
        start = match.start()
        joined = end >= 0 and text[end:start] == "-"
        for key in _keys(match):
            yield Word(key, start, match.end(), joined)
        end = match.end()


def _keys(match: re.Match[str]) -> Iterator[str]:
    if match["iso"]:
        year, number, day = match["iso"].split("-")
        yield from (_date(int(day), int(number)), str(int(year)))
    elif day := match["day"] or match["day2"]:
        month = match["month"] or match["month2"]
        if month[0].isupper() and 1 <= int(day) <= 31:  # "2 may attend" is none
            short = month[:3].title()
            yield _date(int(day), next(place for place, name in enumerate(_MONTHS, 1) if name.startswith(short)))
            return
        yield from (word.key for part in re.findall(r"\d+|[a-zA-Z]+", match[0]) for word in _tokens(part))
    elif match["half"]:
        noon = 12 if match["half"][0] in "pP" else 0
        yield f"t{int(match['hour']) % 12 + noon}:{match['minute'] or '00'}"
    elif match["clock"]:
        hour, minute = match["clock"].split(":")
        yield f"t{int(hour)}:{minute}"
    elif match["figure"]:
        value = float(re.sub(r"\D", "", match["figure"]) + (match["fraction"] or ""))
        yield _number(value * _SCALES.get((match["scale"] or "").strip().lower(), 1))
    elif match["spelled"]:
        yield from _spelled(match["spelled"])
    elif match["percent"]:
        yield "%"
    elif match["sign"]:
        yield _CURRENCIES.get(match["sign"], "and")
    else:
        yield _word(match["word"])


def _date(day: int, month: int) -> str:
    return f"d{month:02}-{day:02}"


def _number(value: float) -> str:
    return f"{value:.10g}" if value < 1e9 else f"{value:.0f}"


def _spelled(text: str) -> Iterator[str]:
    """The numbers in a row of number words: "one hundred and fifty" is one number, "two three" are two."""
    total, part, last = 0, 0, ""
    for word in re.findall(r"[a-z]+", text.lower()):
        if word == "and":
            last = last if last == "scale" else "end"
            continue
        value = _VALUES.get(word)
        if value is None:
            part = max(part, 1) * _SCALES[word]
            if word != "hundred":
                total, part = total + part, 0
            last = "scale"
            continue
        if last not in ("", "scale") and not (last == "ten" and 0 < value < 10):
            yield _number(total + part)
            total = part = 0
        part += value
        last = "ten" if value >= 20 else "one"
    yield _number(total + part)


def _word(text: str) -> str:
    """A word in small letters without accents, possessive or plural ending."""
    lower = re.sub(r"'s?$", "", text.lower())
    bare = "".join(c for c in unicodedata.normalize("NFD", lower) if not unicodedata.combining(c))
    if len(bare) > 4 and bare.endswith("ies"):
        bare = bare[:-3] + "y"
    elif len(bare) > 4 and re.search(r"(?:ch|sh|x|ss|z)es$", bare):
        bare = bare[:-2]
    elif len(bare) > 3 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")):
        bare = bare[:-1]
    return _CURRENCIES.get(bare) or _SAME.get(bare, bare)
