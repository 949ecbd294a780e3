"""Answers whose documents say different things, over a real index, encoder, reranker and database; the reader is
scripted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prompts import NOT_FOUND
from store.conflict import Side, conflict_id
from store.passage import Excerpt, Passage
from tests.scripted import Scripted
from trag import conflicts
from trag.conflicts import Reading, differs
from trag.errors import TragError
from trag.events import Answer
from trag.home import Home, open_home
from trag.ingest.reconciliation import set_audience
from trag.llm.model import ModelDied
from trag.progress import silent
from trag.record import AnswerRecord
from trag.settings import Settings
from trag.terminal.ask import answer_as_text
from trag.web.api.mcp import told

QUESTION = "What does a night in a guest room cost?"
FEES = "# Fees\n\n## Guest rooms\n\nA night in a guest room costs 30 EUR. Towels are on the bed.\n"
GUIDE = "# Guide for guests\n\n## Guest rooms\n\nFor a night in a guest room we ask 25 EUR. Breakfast is at eight.\n"
ABOUT = "# Parking\n\n## Cars\n\nCars stand behind the mill. A place costs 4 EUR a day.\n"


def line(text: str, passage: str = "", document: str = "d") -> Excerpt:
    return Excerpt(Passage("1", "section", document, "Rooms", None, passage or text), text)


@pytest.mark.parametrize(
    ("answer", "reading", "whether"),
    [
        ("30 EUR", "25 EUR", True),
        ("30 EUR", "25 EUR, paid in 30 days", False),
        ("30 EUR a night.", "30 EUR", False),
        ("The Board.", "The Treasurer.", True),
        ("The Board.", "the board", False),
    ],
)
def test_two_answers_differ_where_each_has_what_the_other_passage_lacks(
    answer: str, reading: str, whether: bool
) -> None:
    assert differs(answer, line(answer), Reading(reading, 0.0), line(reading)) is whether


def test_what_stands_in_the_other_passage_too_is_no_difference() -> None:
    mine = line("A room costs 30 EUR.", "A room costs 30 EUR. Members pay 25 EUR.")
    assert not differs("30 EUR", mine, Reading("25 EUR", 0.0), line("Members pay 25 EUR."))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    for name, text in (("fees.md", FEES), ("guide.md", GUIDE), ("parking.md", ABOUT)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(conflicts, "_BIAS", 1_000.0)  # which pairs are told is measured in bench/conflicts.py
    monkeypatch.setattr(conflicts, "_NEAR", 0.0)
    with open_home(Settings(home=tmp_path / "home")) as home:
        home.ingest([tmp_path / name for name in ("fees.md", "guide.md", "parking.md")], replace=False, progress=silent)
        yield home


def ask(home: Home, *answers: str | Exception) -> AnswerRecord:
    (*_, last) = replace(home.assistant, model=Scripted(*answers)).ask(QUESTION)
    assert isinstance(last, Answer)
    return last.record


@pytest.mark.slow
def test_an_answer_shows_the_other_document_that_says_something_else(home: Home) -> None:
    record = ask(home, "30 EUR.", "25 EUR.")
    (conflict,) = record.conflicts
    by_id = {source.id: source.document for source in record.sources}
    assert (by_id[conflict.source], by_id[conflict.other]) == ("fees.md", "guide.md")
    assert conflict.other_evidence == "For a night in a guest room we ask 25 EUR."
    assert conflict.other_answer == "25 EUR."
    assert AnswerRecord.from_json(record.to_json()) == record
    assert "[another document in force may say something else: guide.md" in answer_as_text(record)
    assert "Another document in force may say something else: guide.md: For a night" in told(record)
    (kept,) = home.records.conflicts.all()
    assert (kept.question, {kept.first.document, kept.second.document}) == (QUESTION, {"fees.md", "guide.md"})


@pytest.mark.slow
def test_what_is_too_far_to_be_told_is_not_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts, "_NEAR", 0.99)
    assert ask(home, "30 EUR.").conflicts == ()  # the reader has no second answer to give


@pytest.mark.slow
def test_no_answer_tells_of_what_somebody_said_to_be_none_or_of_what_is_not_in_force(home: Home) -> None:
    fees = Side("fees.md", "Fees > Guest rooms", "A night in a guest room costs 30 EUR.")
    guide = Side("guide.md", "Guide for guests > Guest rooms", "For a night in a guest room we ask 25 EUR.")
    assert ask(home, "30 EUR.", "25 EUR.").conflicts
    home.records.conflicts.set_state(conflict_id(fees, guide), "none", by="ann")
    assert not ask(home, "30 EUR.", "25 EUR.").conflicts
    home.records.conflicts.set_state(conflict_id(fees, guide), "open", by="ann")
    superseded = replace(home.records.validity.of("guide.md"), status="superseded", by="ann")
    home.records.validity.put({"guide.md": superseded}, by="ann")
    assert not ask(home, "30 EUR.", "25 EUR.").conflicts


@pytest.mark.slow
@pytest.mark.parametrize("broken", [ModelDied("The model ended."), TragError("The prompt is too long.")])
def test_a_model_that_does_not_read_the_other_document_costs_no_answer(home: Home, broken: TragError) -> None:
    record = ask(home, "30 EUR.", broken)
    assert (record.answer, record.status, record.interrupted, record.conflicts) == ("30 EUR.", "answered", "", ())


@pytest.mark.slow
def test_a_document_that_the_model_finds_no_answer_in_is_in_no_conflict(home: Home) -> None:
    assert not ask(home, "30 EUR.", NOT_FOUND).conflicts


@pytest.mark.slow
def test_nobody_is_shown_the_words_of_a_document_that_they_may_not_read(home: Home) -> None:
    set_audience("guide.md", frozenset({"somebody"}), home.stock, by="ann")
    assert not ask(home, "30 EUR.", "25 EUR.").conflicts
