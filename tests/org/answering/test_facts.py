"""What an answer to a comparison must hold, in every form of the question."""

from __future__ import annotations

import pytest

from org.answering import facts, subjects
from org.answering.facts import Fact
from org.answering.patterns import Kind
from org.chart import Chart
from org.entities import EntityFinder

LEGAL, BOARD = "Legal Affairs & Ethics Division", "Board of Governors"  # 4 and 2 units, 2 and 1 offices
ETHICS, DATA = "Ethics Office", "Data Protection Office"


@pytest.mark.parametrize(
    ("question", "about", "verdict"),
    [
        ("which has more units, the board of governors or the legal division", (LEGAL, BOARD), True),
        ("which has fewer units, the board of governors or the legal division", (LEGAL, BOARD), True),
        ("which has more offices, the legal division or the board of governors", (LEGAL, BOARD), True),
        (
            "which is bigger, the ethics office, the board of governors or the legal division",
            (LEGAL, BOARD, ETHICS),
            True,
        ),
        ("which is bigger, the speak-up line or the dpo", ("Speak-Up Line", DATA), False),
        ("does the legal division have more offices than the board of governors", (LEGAL, BOARD), True),
        ("does the board of governors have more offices than the legal division", (BOARD, LEGAL), False),
        ("are the ethics office and the dpo in the same division", (ETHICS, DATA), True),
        (
            "are the ethics office and communications (health division) in the same division",
            (ETHICS, "Communications"),
            False,
        ),
    ],
)
def test_a_comparison_has_its_fact(
    question: str, about: tuple[str, ...], verdict: bool, chart: Chart, finder: EntityFinder
) -> None:
    asked = subjects.read(question, finder.find(question), finder.find_types(question), chart)
    ((fact,),) = facts.expected(asked, chart)
    assert isinstance(fact, Fact)
    assert tuple(chart.unit(unit).name for unit in fact.about) == about
    assert fact.verdict is verdict


@pytest.mark.parametrize(("question", "verdicts"), [("offices", [True]), ("bureaus", [])])
def test_a_kind_of_unit_that_the_chart_lacks_is_neither_there_nor_not(
    question: str, verdicts: list[bool], chart: Chart, finder: EntityFinder
) -> None:
    question = f"does the legal division have any {question}"
    asked = subjects.read(question, finder.find(question), finder.find_types(question), chart)
    assert [one.asked.kind for one in asked] == [Kind.HAS_UNITS]
    assert [fact.verdict for facts_of_one in facts.expected(asked, chart) for fact in facts_of_one] == verdicts


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("list the units under the legal division", [ETHICS, DATA, "Secretariat"]),
        (
            "list all units under the legal division at every level",
            [ETHICS, DATA, "Secretariat", "Speak-Up Line"],
        ),
    ],
)
def test_a_list_of_every_level_holds_every_level(
    question: str, names: list[str], chart: Chart, finder: EntityFinder
) -> None:
    asked = subjects.read(question, finder.find(question), finder.find_types(question), chart)
    ((fact,),) = facts.expected(asked, chart)
    assert sorted(chart.unit(unit).name for unit in fact.all_of) == sorted(names)
