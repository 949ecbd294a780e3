"""The languages of the pages: which one a browser is spoken to in, and each text in it.

Texts stand in English where they are used, and in trag/web/locale/LANGUAGE.po in the others; one that is missing there
is shown in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from gettext import NullTranslations
from pathlib import Path

import org.language
from trag.errors import Filled, Shown
from trag.errors import later as later

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ar": "العربية"}
"""Each by its tag (BCP 47), as those who read it call it."""
RIGHT_TO_LEFT = frozenset({"ar"})
COOKIE = "language"
"""Holds the language that somebody chose, which the pages write themselves."""
SPOKEN: ContextVar[str] = ContextVar("spoken", default="en")
"""The language of what is being drawn."""
_FOLDER = Path(__file__).parent / "locale"


def of(headers: Mapping[str, str]) -> str:
    """The language for the sender of these headers: the one they chose, else the first of the browser's that there is,
    else English."""
    from babel import negotiate_locale

    chosen = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";")).get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    weighed = []
    for number, part in enumerate(headers.get("accept-language", "")[:1_000].split(",")):
        tag, _, weight = part.strip().partition(";q=")
        weighed.append((-_weight(weight), number, tag))
    return negotiate_locale([tag for _, _, tag in sorted(weighed)], [*LANGUAGES], sep="-") or "en"


def language() -> str:
    """The language of what is being drawn."""
    return SPOKEN.get()


def direction() -> str:
    """Where its lines begin, as HTML says it."""
    return "rtl" if SPOKEN.get() in RIGHT_TO_LEFT else "ltr"


def gettext(text: str) -> str:
    """A text in the language of what is being drawn, what fills it too."""
    if isinstance(text, Filled):
        found = translations(SPOKEN.get()).gettext(text.text)
        return found % {name: _spoken(value) for name, value in text.values.items()} if text.values else found
    return translations(SPOKEN.get()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The same of a text that tells a number, in the form that the number takes there."""
    return translations(SPOKEN.get()).ngettext(one, many, number)


def counted(one: str, many: str, number: int, **values: object) -> str:
    """A text that tells a number, in the form that the number takes there, filled with it ("%(num)s") and the rest."""
    return ngettext(one, many, number) % {"num": written(number), **values}


def forms(one: str, many: str) -> dict[str, str]:
    """All forms of such a text by the kind of number that each is for (CLDR: "one", "few", ...), its holes as scripts
    fill them: "{number}"."""
    from babel import Locale

    kind = Locale.parse(SPOKEN.get()).plural_form
    return {
        kind(number): re.sub(r"%\((\w+)\)s", r"{\1}", ngettext(one, many, number))
        for number in (0, 1, 2, 3, 11, 100, 1_000_000)
    }


def in_words(error: Shown) -> str:
    """The message and the hint of one of trag.errors.SHOWN in the language of what is being drawn."""
    return f"{gettext(error.message)} {gettext(error.hint)}".strip()


def day(at: date) -> str:
    """A day as those who read the language write it: "25 Nov 2026"."""
    from babel.dates import format_skeleton

    return format_skeleton("yMMMd", at, locale=_locale())


def moment(at: datetime) -> str:
    """The same with the time, whose zone the machines keep: "25 Nov 2026, 14:05 UTC"."""
    return f"{day(at)}, {at:%H:%M} UTC"


def written(value: float) -> str:
    """A number as those who read the language write it, with three places at most: "1,234"."""
    from babel.numbers import format_decimal

    return format_decimal(value, locale=_locale())


def percent(share: float | None, places: int = 1) -> str:
    """A share as they write it: "12.5%"; for none, "none"."""
    from babel import Locale
    from babel.numbers import format_percent

    if share is None:
        return gettext("none")
    whole = Locale.parse(_locale()).percent_formats[None].pattern
    return format_percent(share, whole.replace("#0", f"#0.{'0' * places}") if places else None, locale=_locale())


def time_left(seconds: float) -> str:
    """A stretch of time as they say it: "20 seconds", "2 minutes"."""
    from babel.dates import format_timedelta

    rounded = max(10, 10 * round(seconds / 10)) if seconds < 90 else seconds
    return format_timedelta(timedelta(seconds=rounded), threshold=1.5, locale=_locale())


def translations(language: str) -> NullTranslations:
    """All texts of a language, as its file has them. Raises babel.messages.pofile.PoFileError for a broken one."""
    return org.language.translations(language, _FOLDER)


def _spoken(value: object) -> object:
    if isinstance(value, Filled):
        return gettext(value)
    return written(value) if type(value) is int else value


def _locale() -> str:
    """English dates are written as most of the world does, the day first."""
    return "en_GB" if SPOKEN.get() == "en" else SPOKEN.get()


def _weight(text: str) -> float:
    try:
        return float(text or "1")
    except ValueError:
        return 0.0
