"""The languages of answers: every sentence is there in each, with the same holes."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from string import Formatter

import pytest
from babel.messages import extract, pofile

from org import language
from prompts import CANNOT_ANSWER

ROOT = Path(__file__).parents[2]
OTHERS = [each for each in language.LANGUAGES if each != "en"]


def said() -> dict[str, tuple[str, ...]]:
    """Every sentence of the code, by its singular: all its English forms."""
    found = {CANNOT_ANSWER: (CANNOT_ANSWER,)}
    for file in (*(ROOT / "org" / "query").glob("*.py"), ROOT / "trag" / "ask.py"):
        with file.open("rb") as source:
            for _, text, _, _ in extract.extract("python", source, extract.DEFAULT_KEYWORDS, (), {}):
                forms = (text,) if isinstance(text, str) else tuple(each for each in text if each)
                found[forms[0]] = forms
    return found


def holes(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("tag", OTHERS)
def test_every_sentence_is_there_with_the_same_holes_and_none_that_nobody_says(tag: str) -> None:
    with (ROOT / "org" / "locale" / f"{tag}.po").open("rb") as file:
        catalog = pofile.read_po(file, locale=tag, abort_invalid=True)
    messages = {each.id if isinstance(each.id, str) else each.id[0]: each.string for each in catalog if each.id}
    sentences = said()
    assert len(sentences) > 50
    assert messages.keys() == sentences.keys()
    for text, forms in sentences.items():
        several = messages[text] if isinstance(messages[text], tuple) else (messages[text],)
        assert len(several) == (catalog.num_plurals if len(forms) > 1 else 1), text
        assert [holes(each) for each in several] == [holes(text)] * len(several), several


def test_numbers_lists_and_days_are_written_as_each_language_does() -> None:
    def told(tag: str) -> tuple[str, str, str]:
        with language.speaking(tag):
            return language.number(1200), language.listing(["A", "B", "C"]), language.day(date(2026, 3, 5))

    assert told("en") == ("1,200", "A, B and C", "5 March 2026")
    assert told("de") == ("1.200", "A, B und C", "5. März 2026")
    assert told("fr") == ("1\u202f200", "A, B et C", "5 mars 2026")
    assert told("es")[1:] == ("A, B y C", "5 de marzo de 2026")
    assert told("ar")[1] == "A وB وC"
    assert told("tlh") == told("en"), "a language that there is not"


def test_a_name_with_braces_stays_as_it_is() -> None:
    with language.speaking("de"):
        assert language.gettext("under {units}", units="{place} 100%") == "unter {place} 100%"
