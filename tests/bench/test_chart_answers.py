"""How a question of the exam of chart queries ends, by what a scripted model reads it as."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import chart_answers
from tests.scripted import Scripted
from trag.evaluate.cases import Case

CHART = """\
name,parent,type
Harbour Board,,board
Pilots' Office,Harbour Board,office
Tug Team,Pilots' Office,team
"""
PARENT = Case("1", "Who does the Tug Team report to?", "simple", gold=(("Pilots' Office",),))
NOWHERE = Case("2", "How tall is the Tug Team?", "unanswerable", refuse=True)
NOTHING = Case("3", "How do I claim a taxi?", "unanswerable", refuse=True)


@pytest.mark.parametrize(
    ("case", "expression", "outcome"),
    [
        (PARENT, "parent(u1)", "right"),
        (PARENT, "top()", "wrong"),
        (PARENT, "documents()", "left to the documents"),
        (PARENT, "parent(u7)", "left to the documents"),
        (NOWHERE, "documents()", "right"),
        (NOWHERE, "parent(u1)", "wrong"),
        (NOTHING, "never asked", "right"),
    ],
)
def test_how_a_question_ends(tmp_path: Path, case: Case, expression: str, outcome: str) -> None:
    (tmp_path / "chart.csv").write_text(CHART)
    organization = chart_answers.known(tmp_path / "chart.csv")
    assert chart_answers.ended(case, organization, Scripted("", chart_query=expression))[0] == outcome
    assert chart_answers.asked(NOTHING.question, organization, Scripted("", chart_query=expression)).expression == ""


def test_the_charts_of_the_bench_are_examined() -> None:
    assert len(chart_answers.CHARTS) > 5
