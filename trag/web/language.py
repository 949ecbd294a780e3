"""The languages of the pages: which one a browser is spoken to in, and each text in it.

Texts stand in English where they are used, and in trag/web/locale/LANGUAGE.po in the others; one that is missing there
is shown in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from gettext import NullTranslations
from pathlib import Path

import org.language
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
    """A text in the language of what is being drawn."""
    return translations(SPOKEN.get()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The same of a text that tells a number, in the form that the number takes there."""
    return translations(SPOKEN.get()).ngettext(one, many, number)


def translations(language: str) -> NullTranslations:
    """All texts of a language, as its file has them. Raises babel.messages.pofile.PoFileError for a broken one."""
    return org.language.translations(language, _FOLDER)


def _weight(text: str) -> float:
    try:
        return float(text or "1")
    except ValueError:
        return 0.0
