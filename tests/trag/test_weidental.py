"""A town in German: its chart answers in German, its documents are found by inflected words, over real parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, cast

import pytest

from org.reading.charts import load
from prompts import CANNOT_ANSWER, NOT_FOUND
from tests.scripted import Scripted
from trag import translate
from trag.home import Home, open_home
from trag.question import spoken
from trag.record import AnswerRecord
from trag.settings import Settings

pytestmark = pytest.mark.slow

TOWN = Path(__file__).parents[1] / "weidental"


class Asked(TypedDict, total=False):
    question: str
    kind: str
    expression: str
    section: str
    gold: str


QUESTIONS = [cast("Asked", json.loads(line)) for line in (TOWN / "questions.jsonl").read_text("utf-8").splitlines()]
CHART = [each for each in QUESTIONS if each["kind"] == "chart"]
DOCUMENTS = [each for each in QUESTIONS if each["kind"] == "document"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    content = (TOWN / "chart.csv").read_bytes()
    with open_home(Settings(home=tmp_path_factory.mktemp("weidental"))) as home:
        home.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="ada")
        home.ingest([TOWN / "documents"], replace=False, progress=lambda step, done, total: None)
        yield home


def answer(home: Home, question: str, said: str, *, expression: str = "documents()", page: str = "en") -> AnswerRecord:
    assistant = replace(home.assistant, model=Scripted(said, chart_query=expression))
    *_, last = assistant.ask(question, page=page)
    return last.record


@pytest.mark.parametrize("asked", CHART, ids=[each["expression"] for each in CHART])
def test_the_chart_answers_in_german(home: Home, asked: Asked) -> None:
    found = answer(home, asked["question"], "never asked", expression=asked["expression"])
    assert (found.answer, found.status, found.checks.replaced) == (asked["gold"], "answered", "chart")
    assert " is " not in "".join(one.text for one in found.sources)


def test_a_question_in_another_language_is_answered_in_that_one(home: Home) -> None:
    def above(question: str, page: str = "en") -> str:
        return answer(home, question, "never asked", expression="parent(u1)", page=page).answer

    assert above("what is the Passstelle under?", "de") == "Passstelle is directly under Bürgeramt."
    assert above("De qui dépend la Passstelle ?") == "Passstelle\xa0: directement sous Bürgeramt."
    assert above("Passstelle?", "es") == "Passstelle: directamente bajo Bürgeramt.", "a name alone: that of the page"
    assert spoken("Gdzie jest dział finansów?", "fr") == "fr"
    assert spoken("Gdzie jest dział finansów?") == "en"


@pytest.mark.parametrize("asked", DOCUMENTS, ids=[each["section"] for each in DOCUMENTS])
def test_the_section_with_the_answer_is_found_and_its_words_stand(home: Home, asked: Asked) -> None:
    found = answer(home, asked["question"], f"{asked['gold']}.")
    assert (found.answer, found.status) == (f"{asked['gold']}.", "answered")
    (sentence,) = found.checks.sentences
    assert next(one for one in found.sources if one.id == sentence.source).section.endswith(asked["section"])


@pytest.mark.parametrize(
    ("word", "section"),
    [("Urlaubstag", "Erholungsurlaub"), ("Gerüste", "Sondernutzung"), ("Verwaltungsgebühr", "Befreiung")],
)
def test_another_form_of_a_word_is_found_by_the_words_alone(home: Home, word: str, section: str) -> None:
    stored = [*home.records.library.passages()]
    with home.vectors._open_index() as index:
        (row, *_) = index.keywords.search(word, 1, living=index.catalog.living, readable=index.catalog.living)
        found = index.catalog.ids[row]
    assert next(one.section for one in stored if one.id == found).endswith(section)
    assert not any(word in one.text.split() for one in stored)


def test_a_refusal_is_in_german_and_is_one_to_the_page(home: Home) -> None:
    (asked,) = (each for each in QUESTIONS if each["kind"] == "refusal")
    found = answer(home, asked["question"], NOT_FOUND)
    assert (found.answer, found.status) == (asked["gold"], "cannot_answer")
    assert answer(home, "which pets may i bring?", NOT_FOUND, page="de").answer == CANNOT_ANSWER


def test_where_no_document_is_in_english_nothing_is_searched_in_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def unasked(*_: object, **__: object) -> str:
        raise AssertionError("it was put into English")

    monkeypatch.setattr(translate, "in_english", unasked)
    assert home.vectors.languages() == {"de"}
    assert answer(home, "Welche Farbe hat der Mond über dem Hafen?", NOT_FOUND).status == "cannot_answer"
