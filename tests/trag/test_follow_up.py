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


COURT = b"""id,name,parent,type
c,Court of Lindmark,,court
v,Civil Division,c,division
vr,Registry,v,registry
m,Criminal Division,c,division
mr,Registry,m,registry
g,Registrar General,c,office
f,Finance,g,unit
h,HR,g,unit
l,Court Library,g,unit
"""


@pytest.fixture(scope="module")
def finder() -> EntityFinder:
    return EntityFinder(load(CSV, "chart.csv"))


@pytest.fixture(scope="module")
def court() -> EntityFinder:
    return EntityFinder(load(COURT, "chart.csv"))


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


HEADS = Turn("who heads finance?", "Anna Lind does.")
UNDER = Turn("is finance under the registrar general?", "Yes, Finance is under the Registrar General.")
ABOVE = Turn("who does finance report to?", "Finance is under the Registrar General.")
OF = Turn("where is the registry of the civil division?", "Registry is under Civil Division.")
ITS = Turn("where is the civil division's registry?", "Registry is under Civil Division.")


@pytest.mark.parametrize(
    "question",
    [
        "Can I take IT equipment home?",
        "can employees bring their dog?",
        "who has to wear their badge?",
        "which drivers wash their car?",
        "if my laptop breaks who repairs it?",
        "which laptop do I get if it breaks?",
        "can people work from home if they are sick?",
        "if I move to Oslo can I work there?",
        "and how long do I keep receipts?",
        "and who heads HR?",
    ],
)
def test_what_a_question_says_for_itself_is_left_alone(question: str, court: EntityFinder) -> None:
    assert standalone(question, [HEADS], court) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who chairs it?", "who chairs the finance?"),
        ("WHO IS ABOVE IT?", "WHO IS ABOVE the finance?"),
        ("how many teams are under it?", "how many teams are under the finance?"),
        ("are there any teams under it?", "are there any teams under the finance?"),
        ("who is the head of it?", "who is the head of the finance?"),
        ("can you tell me what it does?", "can you tell me what the finance does?"),
        ("do I have to ask them first?", "do I have to ask the finance first?"),
        ("when do they open?", "when do the finance open?"),
        ("how do I get their number?", "how do I get the finance's number?"),
        ("does it have its own budget?", "does the finance have its own budget?"),
        ("and is it under HR?", "and is the finance under HR?"),
    ],
)
def test_a_pronoun_with_nothing_of_its_own_before_it_takes_the_unit(
    question: str, expected: str, court: EntityFinder
) -> None:
    assert standalone(question, [HEADS], court) == expected


@pytest.mark.parametrize(
    ("last", "question", "expected"),
    [
        (UNDER, "and hr?", "is hr under the registrar general?"),
        (UNDER, "who heads it?", "who heads the finance?"),
        (UNDER, "and under HR?", "is finance under the HR?"),
        (OF, "who heads it?", "who heads the registry of the civil division?"),
        (OF, "and the court library?", "where is the court library?"),
        (OF, "and the criminal division?", "where is the registry of the criminal division?"),
        (ITS, "who heads it?", "who heads the civil division's registry?"),
        (ITS, "and the criminal division?", "where is the criminal division's registry?"),
        (HEADS, "and how many teams?", "and how many teams (finance)?"),
        (ABOVE, "who heads it?", "who heads the finance?"),
        (ABOVE, "and who does that one report to?", "and who does the Registrar General report to?"),
        (ABOVE, "and who does it report to?", "and who does the Registrar General report to?"),
        (Turn("what is finance's address?", "Room 4."), "and hr?", "what is hr's address?"),
    ],
)
def test_a_follow_up_is_about_the_subject_of_the_last_question(
    last: Turn, question: str, expected: str, court: EntityFinder
) -> None:
    assert standalone(question, [last], court) == expected


def test_the_first_question_is_left_alone(finder: EntityFinder) -> None:
    assert standalone("who chairs it?", [], finder) == "who chairs it?"


def test_without_a_chart_a_pronoun_takes_the_last_question_along() -> None:
    assert (
        standalone("who decides on it?", [RULE], None)
        == "How many days do I have to declare a gift? who decides on it?"
    )
