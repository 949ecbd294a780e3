"""Templates x database -> questions with their truth (GRAMMAR, 4.2), in words as people say them.

Values are drawn by a seed that gives the same ones whatever order the database answers in; the answer is what the SQL
gives, and must be one.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, get_args

from store.source import Unrunnable
from trag.evaluate.cases import Case
from trag.evaluate.grammar.sql import fill_in
from trag.evaluate.grammar.templates import Ready, shortened
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from store.source import Source

BOUND, TEXTS, SEED = 4, 2, 1
"""Meanings a template, texts a form of each, and the seed that draws them."""
SHORT, LONG = "short", "long"
FORMS = (SHORT, LONG)
"""The two textual forms; a Case has its form as its kind."""
_DRAWN = 20
"""Fillings drawn for each that is wanted: some will have no singular answer."""
LONGEST = 120
"""Characters of a value that is put in a question, or that is a singular answer."""
_MONTHS = "January February March April May June July August September October November December".split()
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]00:00(?::00(?:\.0+)?)?)?")


@dataclass(frozen=True, slots=True)
class Meaning:
    """One SQL query with its values, its truth, and all the texts that ask for it: a semantic group (GRAMMAR, 4.3).

    `values` are what the placeholders were filled with; `gold` has an item for each column of the answer, with the
    forms in which it may be said.
    """

    id: str
    sql: str
    values: tuple[str, ...]
    answer: str
    gold: tuple[tuple[str, ...], ...]
    short: tuple[str, ...]
    long: tuple[str, ...]


Reason = Literal["no_answer", "several", "unsayable", "given_away"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Fillings that were left out: without an answer, with several, with one that nobody says, or named in the question
    itself."""

    no_answer: int = 0
    several: int = 0
    unsayable: int = 0
    given_away: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.no_answer + self.several + self.unsayable + self.given_away


@dataclass(frozen=True, slots=True)
class Filled:
    """The meanings of all templates; what was dropped; and `problems`, the templates that the database refused."""

    meanings: tuple[Meaning, ...]
    dropped: Dropped
    problems: tuple[str, ...] = ()


def fill(
    templates: Sequence[Ready], source: Source, *, seed: int, bound: int, texts: int, progress: Progress = silent
) -> Filled:
    """At most `bound` meanings a template, each with at most `texts` texts of either form.

    A placeholder is filled from the column it is compared with, and only with values under which the query finds a row:
    the paper's product of all values, less the combinations that would be dropped. Raises StoreError when the database
    is gone.
    """
    meanings: list[Meaning] = []
    problems: list[str] = []
    dropped: Counter[Reason] = Counter()
    for done, ready in enumerate(templates):
        progress("filling templates", done, len(templates))
        try:
            meanings += _fill(ready, source, dropped, seed, bound, texts)
        except Unrunnable as error:
            problems.append(f"template {ready.number} ({shortened(ready.template.sql)}) {error.message}")
    left_out = Dropped(*(dropped[reason] for reason in get_args(Reason)))
    return Filled(tuple(meanings), left_out, tuple(problems))


def cases(meanings: Sequence[Meaning]) -> tuple[Case, ...]:
    """A case for each text: its kind is the form of the text, its group the meaning."""
    return tuple(
        Case(f"{one.id}-{form}-{number}", text, form, answer=one.answer, gold=one.gold, group=one.id)
        for one in meanings
        for form, texts in ((SHORT, one.short), (LONG, one.long))
        for number, text in enumerate(texts, 1)
    )


def _fill(ready: Ready, source: Source, dropped: Counter[Reason], seed: int, bound: int, texts: int) -> list[Meaning]:
    """The meanings of one template; why others were left out is counted in `dropped`."""

    def order(drawn: object) -> bytes:
        return hashlib.blake2b(f"{seed} {ready.number} {drawn!r}".encode("utf-8", "replace")).digest()

    found: list[Meaning] = []
    for values in heapq.nsmallest(bound * _DRAWN, source.stream(ready.select.fillings), key=order):
        if len(found) == bound:
            break
        truth = _truth(ready, values, source)
        if isinstance(truth, str):
            dropped[truth] += 1
            continue
        said = [ways_to_say(value)[0] for value in values]
        named = {str(placeholder): words for placeholder, words in zip(ready.select.placeholders, said, strict=True)}
        short, long = (
            tuple(fill_in(text, named) for text in sorted(some, key=lambda text: order((values, text)))[:texts])
            for some in (ready.template.short, ready.template.long)
        )
        answer = ", ".join(item[0] for item in truth)
        id = f"{ready.number:02}-{len(found) + 1:02}"
        found.append(Meaning(id, ready.template.sql, tuple(said), answer, truth, short, long))
    return found


def _truth(ready: Ready, values: tuple[Any, ...], source: Source) -> tuple[tuple[str, ...], ...] | Reason:
    """The gold of a filling, or why it is left out: the paper wants a specific and singular answer (appendix D.1)."""
    said = [ways_to_say(value) for value in values]
    if not all(said):
        return "unsayable"
    bound = {placeholder.name: value for placeholder, value in zip(ready.select.placeholders, values, strict=True)}
    rows = source.rows(ready.select.statement, bound, most=2)
    if len(rows) > 1:
        return "several"
    if not rows or any(value is None or value == "" for value in rows[0]) or (ready.select.counts and not rows[0][0]):
        return "no_answer"
    gold = tuple(ways_to_say(value) for value in rows[0])
    if not all(gold):
        return "unsayable"
    if any(holds(words[0], form) for item in gold for form in item for words in said):
        return "given_away"
    return gold


def ways_to_say(value: object) -> tuple[str, ...]:
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
        case str():
            text = " ".join(value.split())
            if len(text) > LONGEST or not text.isprintable() or not re.search(r"\w", text) or "�" in text:
                return ()
            with suppress(ValueError):
                if _DAY.fullmatch(text):
                    return _day(date.fromisoformat(text[:10]))
            return () if text[0] in "{[" else (text,)
        case _:
            return ()


def holds(text: str, words: str) -> bool:
    """Whether `words` stand in `text` as whole words, whatever their case and the spaces between them."""
    wanted = r"\s+".join(map(re.escape, words.casefold().split()))
    return bool(wanted) and re.search(rf"(?<!\w){wanted}(?!\w)", text.casefold()) is not None


def _day(day: date) -> tuple[str, ...]:
    month, year = _MONTHS[day.month - 1], day.year
    said = (f"{day.day} {month} {year}", f"{month} {day.day}, {year}", f"{month} {day.day} {year}")
    return (*said, day.isoformat(), f"{day:%d/%m/%Y}", f"{day:%d.%m.%Y}")


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
