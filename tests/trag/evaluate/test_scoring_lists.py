"""Lists of units as sets, whole ones and some of each group: each rule by small answers judged by hand."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case, Some
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

TEAMS = Case(
    id="teams",
    question="which teams are under the finance division",
    kind="list",
    units=("Payroll Team", "Treasury Team", "Finance Division > Registry"),
)
DESKS = Case(
    id="desks", question="list what is under the legal office", kind="list", units=("Contracts Desk", "Claims Desk")
)


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
        pytest.param(
            DESKS,
            "Contracts Desk and Claims Desk. The office also has the Registry.",
            V,
            1,
            1,
            id="one more told apart",
        ),
        pytest.param(
            DESKS,
            "Contracts Desk and Claims Desk. The Payroll Team is under the Finance Division.",
            V,
            1,
            1,
            id="another rightly placed",
        ),
        pytest.param(
            DESKS,
            "Contracts Desk, Claims Desk. The Payroll Team is under the Board of Trustees.",
            V,
            1,
            1,
            id="placed high up",
        ),
        pytest.param(
            DESKS,
            "Contracts Desk, Claims Desk. The Payroll Team is under the Audit Committee.",
            I,
            2 / 4,
            1,
            id="misplaced",
        ),
    ],
)
def test_lists_are_sets_of_units(
    scored: Scored, case: Case, answer: str, verdict: str, precision: float | None, recall: float
) -> None:
    found = scored(case, answer)
    assert (found.verdict, found.precision, found.recall) == (
        verdict,
        precision if precision is None else pytest.approx(precision),
        pytest.approx(recall),
    ), found.reasons


SOME = Case(
    id="some",
    question="name two teams of the finance division and one desk of the legal office",
    kind="compound",
    some=(
        Some(("Payroll Team", "Treasury Team", "Finance Division > Registry"), 2),
        Some(("Contracts Desk", "Claims Desk"), 1),
    ),
)


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
