"""The languages of the pages: every text is there in each, and a browser is spoken to in its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import extract, pofile
from babel.messages.catalog import Catalog
from bs4 import BeautifulSoup

from org.reading.encodings import ENCODINGS
from tests.pages import words
from trag.changed_settings import meanings
from trag.errors import TragError, in_one_line
from trag.models.catalogue import MODELS
from trag.web import language, render
from trag.web.documents.names import accepted

WEB = Path(language.__file__).parent
OTHERS = [each for each in language.LANGUAGES if each != "en"]
KEYWORDS = {**extract.DEFAULT_KEYWORDS, "later": None, "counted": (1, 2), "forms": (1, 2)}
NAMES = {"desk@example.org", "Word", "Excel", "Markdown", "CSV", "JSON", "BPMN", "Serverless Workflow"}
"""What is called so in every language."""


@pytest.fixture(autouse=True)
def spoken() -> Iterator[None]:
    before = language.SPOKEN.set("en")
    yield
    language.SPOKEN.reset(before)


def used() -> dict[str, tuple[str, ...]]:
    """Every text of templates and code, by its singular: all its English forms."""
    listed = (*meanings().values(), *(one.label for one in ENCODINGS.values()), *(model.said for model in MODELS))
    found = {each: (each,) for each in listed}
    rooms = (WEB.parent, *(WEB.parent / name for name in ("people", "review", "folders")))
    beside = [file for room in rooms for file in room.glob("*.py")]
    templates = (WEB / "templates").rglob("*.html")
    for how, files in (("python", (*WEB.rglob("*.py"), *beside)), ("jinja2.ext:babel_extract", templates)):
        for file in files:
            with file.open("rb") as source:
                options = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
                for _, text, _, _ in extract.extract(how, source, KEYWORDS, (), options):
                    forms = (text,) if isinstance(text, str) else tuple(each for each in text if each)
                    found[forms[0]] = forms
    return found


def catalog(tag: str) -> Catalog:
    with (WEB / "locale" / f"{tag}.po").open("rb") as file:
        return pofile.read_po(file, locale=tag, abort_invalid=True)


def holes(text: str) -> set[str]:
    """What is filled in or marks the text: "%(name)s" and tags."""
    return set(re.findall(r"%\(\w+\)s|<[^>]+>", text))


def unmarked(template: Path) -> list[str]:
    """What people read or hear on a page that is in no language but English."""
    source = re.sub(r"{%-?\s*trans\b.*?endtrans\s*-?%}", "", template.read_text("utf-8"), flags=re.DOTALL)
    source = re.sub(r"{% block (styles|scripts|kind) %}.*?{% endblock %}", "", source, flags=re.DOTALL)
    source = re.sub(r"{%-? macro (address|mine|sending)\b.*?{%-? endmacro %}", "", source, flags=re.DOTALL)
    page = BeautifulSoup(re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL), "html.parser")
    for typed in page(["code", "pre", "kbd"]):
        typed.decompose()
    spoken = ("alt", "aria-label", "aria-roledescription", "data-busy", "data-name", "placeholder", "title")
    found = [*page.stripped_strings, *(str(tag.get(name, "")) for tag in page.find_all(True) for name in spoken)]
    return [each for each in found if re.search("[A-Za-z]{2}", each) and each not in NAMES]


def test_no_words_of_the_pages_are_left_in_english() -> None:
    templates = [*(WEB / "templates").rglob("*.html")]
    assert len(templates) > 100
    assert {file.name: found for file in templates if (found := unmarked(file))} == {}


def test_no_template_takes_words_of_others_for_a_text_of_its_own() -> None:
    """What `_` gives is markup; `in_language` is for what stands in a variable, and is escaped."""
    looked_up = re.compile(r"\b(?:_|gettext|ngettext)\(\s*[^\s\"']")
    files = (WEB / "templates").rglob("*.html")
    assert {file.name: found for file in files if (found := looked_up.findall(file.read_text("utf-8")))} == {}


@pytest.mark.parametrize("tag", OTHERS)
def test_every_text_is_there_with_its_holes_and_none_that_nobody_uses(tag: str) -> None:
    texts, messages = (
        used(),
        {each.id if isinstance(each.id, str) else each.id[0]: each for each in catalog(tag) if each.id},
    )
    assert len(texts) > 100
    assert messages.keys() == texts.keys()
    wrong = []
    for text, forms in texts.items():
        said = messages[text].string
        several = said if isinstance(said, tuple) else (said,)
        enough = len(several) == (catalog(tag).num_plurals if len(forms) > 1 else 1)
        if not enough or not all(several) or any(holes(each) - holes("".join(forms)) for each in several):
            wrong.append((text, said))
        if len(forms) == 1 and holes(several[0]) != holes(text):
            wrong.append((text, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("headers", "spoken_in"),
    [
        ({}, "en"),
        ({"accept-language": "fr-CA,de;q=0.9"}, "fr"),
        ({"accept-language": "ja,es;q=0.4,de;q=0.8"}, "de"),
        ({"accept-language": "ja"}, "en"),
        ({"accept-language": "de;q=wrong,*;q=0.5"}, "de"),
        ({"cookie": "trag=secret; language=ar", "accept-language": "de"}, "ar"),
        ({"cookie": "language=tlh", "accept-language": "de"}, "de"),
    ],
)
def test_a_browser_is_spoken_to_in_the_language_that_was_chosen_else_in_its_own(
    headers: dict[str, str], spoken_in: str
) -> None:
    assert language.of(headers) == spoken_in


def test_a_page_is_drawn_in_the_language_with_its_plurals_and_its_direction() -> None:
    def welcome(tag: str, open_steps: int) -> BeautifulSoup:
        language.SPOKEN.set(tag)
        html = render.welcome("<b>Acme</b>", [], empty=False, in_charge=True, open_steps=open_steps)
        return BeautifulSoup(html, "html.parser")

    assert words(welcome("de", 1), ".setting-up") == "1 Sache ist noch einzurichten"
    assert words(welcome("de", 3), ".setting-up") == "3 Sachen sind noch einzurichten"
    assert words(welcome("en", 3), ".setting-up") == "3 things are still to be set up"
    assert words(welcome("fr", 1), "h1") == "Vos questions sur <b>Acme</b>", "a name is never markup"
    assert (language.direction(), language.language()) == ("ltr", "fr")
    language.SPOKEN.set("ar")
    assert language.direction() == "rtl"


def test_a_text_that_is_missing_is_shown_in_english() -> None:
    language.SPOKEN.set("es")
    assert language.gettext("No such text") == "No such text"


def test_a_script_is_given_every_form_of_a_text_that_tells_a_number() -> None:
    assert language.forms("%(number)s change", "%(number)s changes") == {
        "one": "{number} change",
        "other": "{number} changes",
    }
    language.SPOKEN.set("ar")
    found = language.forms("%(number)s change", "%(number)s changes")
    assert list(found) == ["zero", "one", "two", "few", "many", "other"]
    assert found["few"] == "{number} تغييرات"


def test_what_a_page_refuses_is_said_in_the_language_of_who_is_refused() -> None:
    with pytest.raises(TragError) as refused:
        accepted(f"{'x' * 1_230}.pdf")
    assert in_one_line(refused.value) == "A name may have 300 characters, this one has 1,234. Shorten it."
    language.SPOKEN.set("de")
    assert language.in_words(refused.value) == "Ein Name darf 300 Zeichen haben, dieser hat 1.234. Kürzen Sie ihn."
