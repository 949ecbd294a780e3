"""The languages that answers are given in: what the chart says, and the refusals, in each.

The sentences stand in English where they are said, and in org/locale/LANGUAGE.po in the others. Those are short and
name a unit without an article or an ending, so that they are right whatever its gender is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

LANGUAGES = ("en", "de", "fr", "es", "ar")
_SPOKEN: ContextVar[str] = ContextVar("answered", default="en")
_FOLDER = Path(__file__).parent / "locale"


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """What is said within is in this language, in English where it is none of LANGUAGES. Not across a `yield` of a
    generator: whoever takes what it yields would speak so too."""
    before = _SPOKEN.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def in_english() -> bool:
    """Whether English is spoken: its sentences have articles, plurals and verbs that the others do without."""
    return _SPOKEN.get() == "en"


def gettext(text: str, /, **holes: object) -> str:
    """A sentence in the language that is spoken, with what stands in its {holes}."""
    return translations(_SPOKEN.get()).gettext(text).format(**holes)


def ngettext(one: str, many: str, count: int, /, **holes: object) -> str:
    """The same of one that tells a number, in the form that the number takes there."""
    return translations(_SPOKEN.get()).ngettext(one, many, count).format(**holes)


def number(value: int) -> str:
    """A number with its thousands parted: 1,200, or 1.200."""
    if in_english():
        return f"{value:,}"
    from babel.numbers import format_decimal

    return format_decimal(value, locale=_SPOKEN.get())


def listing(items: Sequence[str]) -> str:
    """A, B and C."""
    if in_english():
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
    from babel.lists import format_list

    return format_list(items, locale=_SPOKEN.get())


def day(value: date) -> str:
    """A day as it is written out: 3 March 2026."""
    if in_english():
        return f"{value:%-d %B %Y}"
    from babel.dates import format_date

    return format_date(value, "long", locale=_SPOKEN.get())


def in_all(text: str) -> frozenset[str]:
    """A sentence without holes in every language."""
    return frozenset(translations(language).gettext(text) for language in LANGUAGES)


@cache
def translations(language: str, folder: Path = _FOLDER) -> NullTranslations:
    """All sentences of a language, as its file in a folder has them. Raises babel.messages.pofile.PoFileError for a
    broken one."""
    if language == "en":
        return NullTranslations()
    from babel.messages import mofile, pofile
    from babel.support import Translations

    with (folder / f"{language}.po").open("rb") as file:
        catalog = pofile.read_po(file, locale=language, abort_invalid=True)
    packed = BytesIO()
    mofile.write_mo(packed, catalog)
    packed.seek(0)
    return Translations(packed)
