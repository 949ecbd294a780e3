"""Who heads a unit, how to reach it, its code and its other columns, from the chart's own cells."""

from __future__ import annotations

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from org.statements import answer, describe

CSV = b"""name,parent,type,head,email,code,Location,Budget code,Phone,Staff
Acme Foundation,,foundation,Jo Root,root@acme.org,,,,,
Legal Division,Acme Foundation,division,Anna Berg,legal@acme.org,LD,Tarnholm,B-17,+44 1,14
Ethics Office,Legal Division,office,,,EO-1,,,,
Communications,Legal Division,unit,Kim One,,,,,,
Finance Division,Acme Foundation,division,Max Fin,,,,,,
Communications,Finance Division,unit,Kim Two,,,,,,
"""


@pytest.fixture(scope="module")
def chart() -> Chart:
    return load(CSV, "chart.csv")


@pytest.fixture(scope="module")
def finder(chart: Chart) -> EntityFinder:
    return EntityFinder(chart)


def reply(question: str, chart: Chart, finder: EntityFinder) -> str:
    stated = answer(question, finder.find(question), finder.find_types(question), chart)
    return stated.text if stated else ""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who heads the Legal Division?", "The head of the Legal Division is Anna Berg."),
        ("who leads the legal division", "The head of the Legal Division is Anna Berg."),
        ("Who is in charge of the Legal Division", "The head of the Legal Division is Anna Berg."),
        ("who is the person in charge of the legal division", "The head of the Legal Division is Anna Berg."),
        ("who is the manager in charge of the legal division", "The head of the Legal Division is Anna Berg."),
        ("hello, who currently heads the legal division", "The head of the Legal Division is Anna Berg."),
        ("whos in charge of legal division", "The head of the Legal Division is Anna Berg."),
        ("who runs legal division", "The head of the Legal Division is Anna Berg."),
        ("Who's the boss of the Legal Division?", "The head of the Legal Division is Anna Berg."),
        ("Who is the Legal Division's head?", "The head of the Legal Division is Anna Berg."),
        ("what's the Legal Division's email address?", "The email of the Legal Division is legal@acme.org."),
        ("how do I contact the Legal Division", "The email of the Legal Division is legal@acme.org."),
        ("what is the code of the Ethics Office", "The code of the Ethics Office is EO-1."),
        ("what is the budget code of the Legal Division", "The budget code of the Legal Division is B-17."),
        ("Where is the Legal Division located?", "The location of the Legal Division is Tarnholm."),
        ("where is the Legal Division", "The Legal Division is under the Acme Foundation."),
        ("what's the phone number of the legal division", "The phone of the Legal Division is +44 1."),
        ("how many staff does the legal division have", "The staff of the Legal Division is 14."),
        (
            "who heads Communications?",
            "The head of Communications (Legal Division) is Kim One. "
            "The head of Communications (Finance Division) is Kim Two.",
        ),
    ],
)
def test_a_question_for_a_cell_is_answered_with_it(
    question: str, expected: str, chart: Chart, finder: EntityFinder
) -> None:
    assert reply(question, chart, finder) == expected


@pytest.mark.parametrize(
    "question",
    [
        "who is the head of the Ethics Office",
        "how do I contact the Legal Division about a gift",
        "who is in charge of gifts in the Legal Division",
        "what does the legal division manage",
        "who manages the budget of the Legal Division",
        "what is the phone number of the Ethics Office",
        "who is the manager of the head of the legal division",
        "who is the legal division's head's boss",
        "who formerly headed the legal division",
        "where is the legal division and who leads it",
        "who leads the legal division, and how many staff does it have",
    ],
)
def test_what_the_chart_lacks_or_only_touches_is_left_to_the_documents(
    question: str, chart: Chart, finder: EntityFinder
) -> None:
    assert reply(question, chart, finder) == ""


def test_a_question_about_a_unit_comes_with_its_cells(chart: Chart, finder: EntityFinder) -> None:
    question = "How long does the Legal Division take to advise?"
    stated = describe(question, finder.find(question), (), chart, budget=300, count=lambda text: len(text.split()))
    texts = [statement.text for statement in stated]
    assert "The head of the Legal Division is Anna Berg." in texts
    assert "The location of the Legal Division is Tarnholm." in texts
    assert {statement.version for statement in stated} == {chart.version}


def test_of_many_units_of_one_name_some_are_told_and_all_are_counted() -> None:
    regions = "".join(f"Region {n},Top,,\nRegistry,Region {n},Ann {n},\n" for n in range(1, 9))
    chart = load(f"name,parent,head,aliases\nTop,,,\n{regions}".encode(), "chart.csv")
    text = reply("who heads the registry", chart, EntityFinder(chart))
    assert text.startswith("There are 8 units called Registry. The head of Registry (Region 1) is Ann 1.")
    assert text.count(" is Ann ") == 6
    assert text.endswith("2 more units are called Registry.")
