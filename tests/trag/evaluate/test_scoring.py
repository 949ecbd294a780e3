"""Scores of whole answers: refusals, cases without gold, homes without a chart, any text at all; and that the scorer
shares no code with what it scores."""

import ast
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import CANNOT_ANSWER
from trag.evaluate import scoring
from trag.evaluate.cases import Case, Some
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

DAYS = Case(id="days", question="how long", kind="document", answer="21 days.", gold=(("21 days",),), document="a.md")
DESKS = Case(
    id="desks", question="list what is under the legal office", kind="list", units=("Contracts Desk", "Claims Desk")
)
SOME = Case(id="some", question="name one desk", kind="compound", some=(Some(("Contracts Desk", "Claims Desk"), 1),))
UNITS = Case(id="units", question="how many units are directly under the director general", kind="count", count=2)
YES = Case(id="yes", question="is the claims desk under the legal office", kind="complex", polarity="yes")
REFUSE = Case(id="refuse", question="what does the DG earn", kind="unanswerable", refuse=True)


def test_the_scorer_shares_no_code_with_what_it_scores() -> None:
    allowed = ("org.chart", "trag.evaluate.cases", "trag.evaluate.scoring", "trag.record")
    for path in Path(scoring.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("org", "trag", "prompts"):
                assert str(node.module).startswith(allowed), f"{path.name} imports {node.module}"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param(CANNOT_ANSWER, C, id="the product's words"),
        pytest.param("The documents don’t say what the DG earns.", C, id="the model's words"),
        pytest.param("I could not find that in the documents. Please ask the Legal Office.", C, id="with advice"),
        pytest.param("The pay is not mentioned. The board meets monthly.", V, id="and a fact of the sources"),
        pytest.param("The pay is not mentioned. The DG earns a million.", I, id="and an invention"),
        pytest.param("The DG earns 100,000 a year.", I, id="an invention"),
        pytest.param("", C, id="nothing at all"),
    ],
)
def test_questions_that_nothing_answers(scored: Scored, answer: str, verdict: str) -> None:
    found = scored(REFUSE, answer, "The board meets monthly.")
    assert found.verdict == verdict, found.reasons


def test_what_is_said_besides_a_refusal_cannot_be_judged_without_sources(scored: Scored) -> None:
    assert scored(REFUSE, "The pay is not mentioned. The board meets monthly.").verdict is None


def test_a_case_without_gold_is_left_to_people_unless_the_answer_refuses(scored: Scored) -> None:
    case = Case(id="open", question="how do i feel", kind="document", answer="Well.")
    assert scored(case, "Well.").verdict is None
    assert scored(case, CANNOT_ANSWER).verdict == I


def test_without_a_chart_units_are_compared_by_name(scored: Scored) -> None:
    assert scored(DESKS, "Contracts Desk and Claims Desk", of=None) == Score(C, (), None, 1.0)
    assert scored(DESKS, "Contracts Desk", of=None) == Score(I, ('lacks "Claims Desk"',), None, 0.5)


@settings(max_examples=20, deadline=None)
@given(answer=st.text(max_size=80))
def test_any_answer_gets_a_score(scored: Scored, answer: str) -> None:
    for case in (DAYS, DESKS, UNITS, YES, REFUSE, SOME):
        found = scored(case, answer)
        assert found.verdict in (C, V, I, None)
        assert found.precision is None or 0 <= found.precision <= 1


OBJECTS = Case(id="objects", question="when", kind="document", answer="If she does not object.", gold=(("object",),))
_TEN = " one two three four five six seven eight nine ten 21 days object"


@pytest.mark.parametrize(
    "answer",
    [
        "1" * 5000,
        "not " + "-" * 5000 + " 21 days",
        "not " + "-" * 5000 + _TEN,
        "cannot " + "-" * 5000 + _TEN,
        "unless " + "-" * 5000 + _TEN,
        "'" * 5000,
        "\n" * 3000,
    ],
    ids=["figures", "not", "not, ten words off", "cannot, ten words off", "unless, ten words off", "quotes", "lines"],
)
def test_runaway_answers_are_scored_within_seconds(scored: Scored, answer: str) -> None:
    began = process_time()
    assert scored(UNITS, answer).verdict == I
    assert scored(DAYS, answer).verdict in (C, V, I, None)
    assert scored(OBJECTS, answer).verdict in (C, V, I, None)
    assert scored(REFUSE, answer).verdict in (C, I)
    assert process_time() - began < 5
