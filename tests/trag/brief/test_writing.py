"""A line as a sentence of its own words: which words may be written, by a real model under a real grammar, and what is
taken of it."""

import re
import threading
from collections.abc import Generator
from typing import Any

import pytest

import prompts
from org.linking.entities import Organization
from org.reading.charts import load
from store.passage import Passage
from tests.scripted import Scripted
from trag.brief.gathering import Fact
from trag.brief.writing import bare, grammar, says, sentence, stands_alone
from trag.llm.local import LocalModel
from trag.llm.model import Usage, text_of

CHART = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Ethics Office,Acme Foundation,office,EO,
Finance Division,Acme Foundation,division,,
"""
ROW = "Travel – Subject: Daily allowance abroad; Rule: LMD 140."


@pytest.fixture(scope="module")
def organization() -> Organization:
    return Organization.of(load(CHART, "chart.csv"))


def fact(line: str, question: str = "", before: str = "", section: str = "7 People > 7.5 Travel") -> Fact:
    return Fact(question, Passage("p1", "section", "manual.md", section, None, f"{before}\n{line}"), line, before, 5.0)


def written(
    organization: Organization, fact: Fact, *answers: str, unit: str = "", subject: str = "travel"
) -> tuple[Any, int, Scripted]:
    model = Scripted(*answers)
    found, again = sentence(fact, subject, unit, model, organization, threading.Event())  # type: ignore[arg-type]
    return found, again, model


def test_a_row_is_worded_by_its_question(organization: Organization) -> None:
    row = fact(ROW, "What is the daily allowance abroad?")
    found, again, model = written(organization, row, "The daily allowance abroad is LMD 140.")
    assert (found.text, found.how, found.evidence, found.source) == (
        "The daily allowance abroad is LMD 140.", "model", ROW, "p1",
    )  # fmt: skip
    assert again == 0
    assert "Question: What is the daily allowance abroad?" in model.asked[0][-1].content


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (ROW, "The daily allowance abroad is LMD 95."),  # another number
        (ROW, "LMD 140."),  # of what is not said
        ("Secretary: the head, without a vote;", "The head votes."),  # turned round
        ("receipts are attached above LMD 20;", "Receipts are attached."),  # a condition lost
        ("- is decided by the Finance Division;", "Acme decides."),  # another name
    ],
)
def test_what_does_not_say_its_line_is_tried_again_and_then_the_line_stands(
    organization: Organization, line: str, said: str
) -> None:
    found, again, model = written(organization, fact(line, "What is the rule?", "Some rules:"), said)
    assert (found.text, found.how, again) == (bare(line), "quotation", 2)
    assert len(model.asked) == 2
    assert "Before: Some rules:" in model.asked[0][-1].content
    assert "Before: Some rules:" not in model.asked[1][-1].content


def test_the_second_try_counts(organization: Organization) -> None:
    row = fact(ROW, "What is the daily allowance abroad?")
    found, again, _ = written(organization, row, "It is LMD 95.", "The daily allowance abroad is LMD 140.")
    assert (found.how, again) == ("model", 1)


def test_a_whole_sentence_is_left_as_it_is(organization: Organization) -> None:
    line = "Gifts above LMD 200 are surrendered to the Ethics Office."
    unit = organization.chart.named("Ethics Office")[0].id if organization.chart else ""
    found, again, model = written(organization, fact(line), "Never asked.", unit=unit)
    assert (found.text, found.how, again, model.asked) == (line, "quotation", 0, [])
    finder = organization.finder
    assert not stands_alone("It meets every month.", unit, finder)
    assert stands_alone("It meets every month.", "", finder)
    assert not stands_alone(ROW, "", finder)
    assert not stands_alone("receipts are attached;", "", finder)


def test_a_row_that_no_question_asks_for_is_read_as_it_is(organization: Organization) -> None:
    found, again, model = written(organization, fact(ROW), "Never asked.")
    assert (found.text, found.how, again, model.asked) == (ROW, "quotation", 0, [])
    only_read_out = "Travel – subject: daily allowance abroad, rule: LMD 140."
    found, _, _ = written(organization, fact(ROW, "What is the allowance abroad?"), only_read_out)
    assert (found.text, found.how) == (ROW, "quotation")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1. A complaint is made.", "A complaint is made."),
        ("(b) receipts\n are kept;", "receipts are kept;"),
        ("- 14 days;", "14 days;"),
        ("2.5 per cent are kept back.", "2.5 per cent are kept back."),
        ("Nothing.", "Nothing."),
    ],
)
def test_the_mark_of_an_item_is_no_word(line: str, expected: str) -> None:
    assert bare(line) == expected


def test_words_that_are_known_already_need_not_be_said() -> None:
    assert says("The allowance abroad is LMD 140.", ROW, "Travel – Subject: Rule")
    assert not says("The allowance is LMD 140.", "Fee – Kind: boat, for partners; Rule: LMD 140.", "Fee")


@pytest.mark.slow
@pytest.mark.parametrize(
    "texts",
    [
        ["Receipts are kept for 2 years; \"Form 7\" (blue) is at the Treasurer's desk.", "Small purchases"],
        ["Cada préstamo dura 3 semanas y puede renovarse una vez.", "Biblioteca"],
        ["البطاقة صالحة لمدة 3 سنوات", "البطاقات"],
        ["後援会の会費は年 5,000 円である。", "会費"],
        ["a \\ back, a \"quote\" and a [bracket]", "root ::= x"],
    ],
)  # fmt: skip
def test_a_real_model_can_write_no_other_words(model: LocalModel, texts: list[str]) -> None:
    asked = prompts.brief_line("Rules", "", "", texts[0])
    text = text_of(model.stream(asked, max_tokens=60, task="brief_line", grammar=grammar(texts)))[0]
    known = set(re.findall(r"[^\W_]+", " ".join(texts).casefold()))
    assert re.findall(r"[^\W_]+", text)
    assert set(re.findall(r"[^\W_]+", text.casefold())) <= known


class Stopped(Scripted):
    """Is stopped while it writes."""

    def stream(self, messages: Any, **how: Any) -> Generator[str | Usage, None, None]:
        how["stop"].set()
        yield from super().stream(messages, **how)


def test_what_was_stopped_is_no_sentence(organization: Organization) -> None:
    model = Stopped("The daily allowance abroad is LMD 140.")
    found, _ = sentence(fact(ROW), "travel", "", model, organization, threading.Event())  # type: ignore[arg-type]
    assert (found.text, found.how) == (ROW, "quotation")
