"""How many units there are: each rule by small answers judged by hand."""

from collections.abc import Callable

import pytest

from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

UNITS = Case(id="units", question="how many units are directly under the director general", kind="count", count=2)
BOTH_WAYS = Case(
    id="ways", question="how many units are under the director general, directly and indirectly", kind="count", count=8
)
DEEP = Case(id="deep", question="how many units are under the director general in all", kind="count", count=8)
TYPED = Case(id="typed", question="how many teams are there under the director general", kind="count", count=4)
NONE = Case(id="none", question="how many teams has the audit committee", kind="count", count=0)
NOTHING = Case(id="nothing", question="what is under the payroll team", kind="list", count=0)
NO_DESK = Case(id="no desk", question="which desks are under the finance division", kind="list", count=0)


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(UNITS, "2", C, id="a figure"),
        pytest.param(UNITS, "There are two units directly under it.", C, id="a word"),
        pytest.param(UNITS, "There are three.", I, id="another number"),
        pytest.param(UNITS, "2 or 3.", I, id="two numbers"),
        pytest.param(UNITS, "The DG presides over 2 units.", C, id="over them"),
        pytest.param(UNITS, "The Director General is a position with 2 direct subunits.", C, id="with"),
        pytest.param(UNITS, "2 units, with 8 under them.", C, id="with others behind the first"),
        pytest.param(UNITS, "2 units are directly under it, and 8 in all.", C, id="and those of all levels"),
        pytest.param(BOTH_WAYS, "2 units are directly under it, and 8 in all.", C, id="directly and indirectly"),
        pytest.param(UNITS, "There are 2 teams directly under it.", I, id="of the wrong thing"),
        pytest.param(UNITS, "Two: the Legal Office and the Finance Division.", C, id="with the units"),
        pytest.param(UNITS, "The Legal Office and the Finance Division.", C, id="the units alone"),
        pytest.param(UNITS, "1. Legal Office\n2. Finance Division", C, id="numbers of a list"),
        pytest.param(UNITS, "There are 2.\n1. Legal Office\n2. Finance Division", C, id="a number before a list"),
        pytest.param(DEEP, "The total is 8. This includes all levels.", C, id="a figure ends a sentence"),
        pytest.param(DEEP, "It has eight. They are on all levels.", C, id="a word ends a sentence"),
        pytest.param(DEEP, "It has 7. This includes all levels.", I, id="a wrong figure ends a sentence"),
        pytest.param(DEEP, "2 directly and 8 in total.", C, id="the total"),
        pytest.param(DEEP, "2 units are directly under it.", I, id="only those right below"),
        pytest.param(TYPED, "Four teams, and two desks besides.", C, id="another type beside"),
        pytest.param(TYPED, "Not four teams.", I, id="denied"),
        pytest.param(TYPED, "The Finance Division has 3 teams.", I, id="of another unit"),
        pytest.param(NONE, "It has none.", C, id="none"),
        pytest.param(NONE, "There are no teams under it.", C, id="no teams"),
        pytest.param(NONE, "One.", I, id="one for none"),
        pytest.param(NOTHING, "Nothing is under the Payroll Team.", C, id="nothing"),
        pytest.param(NOTHING, "The Payroll Team has no units under it.", C, id="no units"),
        pytest.param(NOTHING, "There are no units under the Payroll Team in the chart.", C, id="none in the chart"),
        pytest.param(NOTHING, "The documents do not mention any unit under it.", I, id="not known"),
        pytest.param(NOTHING, "It doesn't have any subunits.", C, id="not any"),
        pytest.param(NOTHING, "Nobody reports to the Payroll Team.", C, id="nobody"),
        pytest.param(NOTHING, "It is the only team there and has nothing under it.", C, id="the only one of another"),
        pytest.param(
            NOTHING,
            "Nothing is under the Payroll Team. The Claims Desk is under the Legal Office.",
            V,
            id="another's place",
        ),
        pytest.param(NOTHING, "Only the Claims Desk is under the Payroll Team.", I, id="only one"),
        pytest.param(NOTHING, "The Payroll Team has no head. Under it are the desks: Claims Desk.", I, id="no head"),
        pytest.param(NOTHING, "The Claims Desk is under the Payroll Team, and nothing else.", I, id="nothing else"),
        pytest.param(NOTHING, "The Volcano Team is under the Payroll Team, no others.", I, id="an invented one"),
        pytest.param(NO_DESK, "There are no desks under the Finance Division.", C, id="none of the type"),
        pytest.param(NO_DESK, "It doesn't have desks.", C, id="not have"),
        pytest.param(
            NO_DESK, "No desk is under the Finance Division. It has 3 units, all teams.", V, id="units of others"
        ),
        pytest.param(NO_DESK, "There are 3 units under the Finance Division.", I, id="units for none of the type"),
        pytest.param(NO_DESK, "Only the Claims Desk is under the Finance Division.", I, id="one of elsewhere"),
        pytest.param(NO_DESK, "Only the Payroll Team.", I, id="another type for none"),
    ],
)
def test_counts_are_of_the_thing_asked(scored: Scored, case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons
