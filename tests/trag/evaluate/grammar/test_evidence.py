"""Which evidence holds the truth of a meaning."""

import pytest

from trag.evaluate.grammar.diagnosis import covered_meanings, outcome_of, tells
from trag.evaluate.grammar.questions import Meaning
from trag.record import AnswerRecord, ModelUsed, Source

MEANING = Meaning("01-01", "SELECT ...", ("Legal Office",), "5", (("5", "five"),), ("a",), ("b",))


def source(id: str, text: str, *, kind: str = "section", section: str = "") -> Source:
    return Source(id, kind, "manual", section, None, text, 0.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The legal office has five people.", True),
        ("The Legal Office has 15 people.", False),
        ("The board has 5 people.", False),
    ],
)
def test_a_text_tells_when_it_holds_the_answer_and_what_it_answers(text: str, expected: bool) -> None:
    assert tells(text, MEANING) is expected


def test_every_item_of_an_answer_must_be_held() -> None:
    both = Meaning("1", "", ("Ann",), "Tarn, 5", (("Tarn",), ("5",)), (), ())
    assert tells("Ann, Tarn, 5", both)
    assert not tells("Ann, Tarn", both)


def test_an_outcome_keeps_what_was_read_and_what_of_it_holds_the_truth() -> None:
    record = AnswerRecord(
        "1", "q", "q", "5", "answered", ModelUsed("m", "", ""),
        sources=(
            source("p1", "Five people.", section="Staff > Legal Office"),
            source("p2", "Nothing."),
            source("chart-1", "Legal Office has 5 units.", kind="chart", section="Club > Legal Office"),
        ),
    )  # fmt: skip
    found = outcome_of(MEANING, "short", record, right=False)
    assert found.context == {"p1", "p2", "chart Club > Legal Office"}
    assert found.holding == {"p1", "chart Club > Legal Office"}
    assert (found.group, found.form, found.right) == ("01-01", "short", False)


def test_meanings_are_covered_by_any_of_the_texts() -> None:
    other = Meaning("01-02", "", ("Board",), "7", (("7",),), (), ())
    assert covered_meanings((MEANING, other), iter(["nothing", "the LEGAL\n office: 5", "Board 8"])) == {"01-01"}
