"""Lists of units as sets, some of each group, and counts: each rule by small answers judged by hand."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case, Some
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

BOTH, PAYROLL = "Contracts Desk and Claims Desk.", "The Payroll Team is"
FINANCE = ("Payroll Team", "Treasury Team", "Finance Division > Registry")
LEGAL = ("Contracts Desk", "Claims Desk")
TEAMS = Case("teams", "which teams are under the finance division", "list", units=FINANCE)
DESKS = Case("desks", "list what is under the legal office", "list", units=LEGAL)


@pytest.mark.parametrize(
    ("case", "answer", "verdict", "precision", "recall"),
    [
        pytest.param(TEAMS, "Payroll Team, Treasury Team and the Registry.", C, 1, 1, id="whole"),
        pytest.param(TEAMS, "- Registry\n- Payroll Team\n- Treasury Team", C, 1, 1, id="in bullets, another order"),
        pytest.param(
            TEAMS, "Under the Finance Division of HT: Payroll Team, Treasury Team, Registry.", C, 1, 1, id="head"
        ),
        pytest.param(TEAMS, "Payroll Team and Treasury Team.", I, 1, 2 / 3, id="one left out"),
        pytest.param(TEAMS, "Payroll, Treasury Team, Registry, Claims Desk.", I, 3 / 4, 1, id="one too many"),
        pytest.param(TEAMS, "Payroll Team, Treasury Team, Registry, Volcano Team.", I, 3 / 4, 1, id="one invented"),
        pytest.param(TEAMS, "Payroll Team, Treasury Team but not the Registry.", I, 1, 2 / 3, id="one denied"),
        pytest.param(TEAMS, "None.", I, None, 0, id="none at all"),
        pytest.param(TEAMS, CANNOT_ANSWER, I, None, 0, id="refused"),
        pytest.param(DESKS, "Contracts Desk and Claims Desk.", C, 1, 1, id="two"),
        pytest.param(DESKS, f"{BOTH} The office also has the Registry.", V, 1, 1, id="one more told apart"),
        pytest.param(DESKS, f"{BOTH} {PAYROLL} under the Finance Division.", V, 1, 1, id="another rightly placed"),
        pytest.param(DESKS, f"{BOTH} {PAYROLL} under the Board of Trustees.", V, 1, 1, id="placed high up"),
        pytest.param(DESKS, f"{BOTH} {PAYROLL} under the Audit Committee.", I, 2 / 4, 1, id="misplaced"),
    ],
)
def test_lists_are_sets_of_units(
    scored: Scored, case: Case, answer: str, verdict: str, precision: float | None, recall: float
) -> None:
    found = scored(case, answer)
    shares = tuple(share if share is None else pytest.approx(share) for share in (precision, recall))
    assert (found.verdict, found.precision, found.recall) == (verdict, *shares), found.reasons


NAME = "name two teams of the finance division and one desk of the legal office"
SOME = Case("some", NAME, "compound", some=(Some(FINANCE, 2), Some(LEGAL, 1)))


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param("Payroll Team and Treasury Team; Claims Desk.", C, id="enough of each"),
        pytest.param(
            "Finance Division: Payroll Team, Treasury Team\nLegal Office: Claims Desk", C, id="under headings"
        ),
        pytest.param("Payroll Team; Claims Desk.", I, id="too few"),
        pytest.param("Finance Division: Payroll Team, Claims Desk\nLegal Office: Treasury Team", I, id="misaligned"),
        pytest.param("Payroll Team, Treasury Team, Claims Desk, Audit Committee.", I, id="a stranger"),
    ],
)
def test_some_of_several_groups(scored: Scored, answer: str, verdict: str) -> None:
    found = scored(SOME, answer)
    assert found.verdict == verdict, found.reasons


units = st.sampled_from(["Payroll Team", "Treasury Team", "Claims Desk", "Contracts Desk", "Audit Committee"])


@settings(max_examples=20, deadline=None)
@given(named=st.lists(units, unique=True, min_size=1))
def test_precision_and_recall_are_those_of_the_sets(scored: Scored, named: list[str]) -> None:
    found = scored(DESKS, "; ".join(named))
    right = {*named} & {*DESKS.units}
    assert found.recall == pytest.approx(len(right) / 2)
    assert found.precision == pytest.approx(len(right) / len(named))
    assert (found.verdict == C) == ({*named} == {*DESKS.units})


UNITS = Case(id="units", question="how many units are directly under the director general", kind="count", count=2)
ALL = "how many units are under the director general, directly and indirectly"
BOTH_WAYS = Case("ways", ALL, "count", count=8)
DEEP = Case(id="deep", question="how many units are under the director general in all", kind="count", count=8)
TYPED = Case(id="typed", question="how many teams are there under the director general", kind="count", count=4)
NONE = Case(id="none", question="how many teams has the audit committee", kind="count", count=0)
NONE_BUT = "Nothing is under the Payroll Team. The Claims Desk is under the Legal Office."
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
        pytest.param(NOTHING, NONE_BUT, V, id="another's place"),
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
