"""Follow-ups on a small chart, with the real finder."""

import pytest

from org.chart import load
from org.entities import EntityFinder
from trag.follow_up import Turn, standalone

CSV = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Legal Division,Acme Foundation,division,,
Ethics Office,Legal Division,office,EO,
Audit & Risk Committee,Acme Foundation,committee,ARC,
"""


@pytest.fixture(scope="module")
def finder() -> EntityFinder:
    return EntityFinder(load(CSV, "chart.csv"))


WHERE = Turn("Where does the Ethics Office sit?", "It is under the Legal Division.")
RULE = Turn("How many days do I have to declare a gift?", "Ten days.")


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        ("who does it report to?", WHERE, "who does the Ethics Office report to?"),
        ("what are its duties?", WHERE, "what are the Ethics Office's duties?"),
        ("what about the Audit & Risk Committee?", WHERE, "Where does the Audit & Risk Committee sit?"),
        ("and the ARC?", WHERE, "Where does the ARC sit?"),
        ("who chairs that office?", WHERE, "who chairs the Ethics Office?"),
        ("how many people work there", WHERE, "how many people work in the Ethics Office"),
        ("is it under the Legal Division?", WHERE, "is the Ethics Office under the Legal Division?"),
        ("how many members?", WHERE, "how many members (Ethics Office)?"),
        ("what about hospitality?", RULE, "How many days do I have to declare a gift, hospitality?"),
        ("Where is the Audit & Risk Committee?", WHERE, "Where is the Audit & Risk Committee?"),
        (
            "is it true that gifts must be declared within a month?",
            WHERE,
            "is it true that gifts must be declared within a month?",
        ),
        (
            "How many trustees must be present for a vote of the Board?",
            WHERE,
            "How many trustees must be present for a vote of the Board?",
        ),
    ],
)
def test_a_follow_up_is_made_to_stand_alone(question: str, last: Turn, expected: str, finder: EntityFinder) -> None:
    assert standalone(question, [RULE, last], finder) == expected


def test_the_first_question_is_left_alone(finder: EntityFinder) -> None:
    assert standalone("who chairs it?", [], finder) == "who chairs it?"


def test_without_a_chart_a_pronoun_takes_the_last_question_along() -> None:
    assert (
        standalone("who decides on it?", [RULE], None)
        == "How many days do I have to declare a gift? who decides on it?"
    )
