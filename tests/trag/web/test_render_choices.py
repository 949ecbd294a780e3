"""The choice among units of one name: each button sends a question that means the unit it names, and no other."""

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from org.chart import Chart
from org.linking.entities import EntityFinder
from org.reading.charts import load
from trag.record import AnswerRecord, Entity, ModelUsed
from trag.web import render

UNIVERSITY = load(
    b"""id,name,parent,type,aliases
0,University,,university,
1,School of Law,0,school,Law
2,School of Medicine,0,school,
3,Administration,1,office,
4,Administration,2,office,
5,Registry,3,office,
6,Registry,4,office,
7,Registry,0,office,
8,North,0,campus,
9,South,0,campus,
10,Branch 1,8,branch,
11,Branch 1,9,branch,
12,Branch 2,8,branch,
13,Branch 2,9,branch,
14,Front Desk,10,desk,
15,Front Desk,11,desk,
16,Front Desk,12,desk,
17,Front Desk,13,desk,
18,Service Desk (1st Line),8,desk,
19,Service Desk (1st Line),9,desk,
20,Records Office,1,office,Registry
21,Deputy Director for Teaching,1,post,
22,Deputy Director for Research,2,post,
""",
    "chart.csv",
)
LARKMOOR = load(b"id,name,parent\n0,Larkmoor,\n1,Bar,0\n2,Larkmoor,1\n", "chart.csv")
FINDERS = {id(chart): EntityFinder(chart) for chart in (UNIVERSITY, LARKMOOR)}


def asked(question: str, chart: Chart) -> AnswerRecord:
    """The record of a question, with the units that it names."""
    entities = tuple(
        Entity(unit, chart.unit(unit).name, mention.text, mention.start, mention.end)
        for mention in FINDERS[id(chart)].find(question)
        for unit in mention.units
    )
    return AnswerRecord("a1", question, question, "It depends.", "answered", ModelUsed("", "", ""), entities=entities)


def buttons(question: str, chart: Chart) -> list[tuple[str, str]]:
    """What stands on each button, and the question it sends."""
    html = render.conversation([render.Turn(asked(question, chart))], chart, documents={})
    found = BeautifulSoup(html, "html.parser").select(".choices button")
    return [(" ".join(each.get_text(" ").split()), str(each["data-question"])) for each in found]


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("Where is the Administration?", 2),
        ("where is the registry", 4),
        ("Where is the Registry (Administration)?", 2),
        ("Who may use the Registry in the evening?", 4),
        ("How late is the Front Desk open?", 4),
        ("Is the front desk of Branch 1 open on Sundays?", 4),
        ("What does the service desk do?", 2),
        ("what is under branch 2", 2),
        ("Who does the Deputy Director report to?", 2),
    ],
)
def test_the_question_of_each_button_finds_one_unit_and_each_another(question: str, choices: int) -> None:
    shown = buttons(question, UNIVERSITY)
    assert len(shown) >= choices
    assert len({label for label, _ in shown}) == len(shown)
    meant = []
    for label, sent in shown:
        name = label.partition(" under ")[0]
        again = asked(sent, UNIVERSITY)
        found = [entity for entity in again.entities if entity.name == name]
        assert len(found) == 1, sent
        meant.append(found[0].unit)
        assert not [each for each, _ in buttons(sent, UNIVERSITY) if each.startswith(f"{name} under")], sent
    assert len(set(meant)) == len(meant)


def labels(question: str, chart: Chart = UNIVERSITY) -> list[str]:
    return [label for label, _ in buttons(question, chart)]


def test_a_button_names_the_nearest_unit_above_that_differs() -> None:
    assert labels("where is the registry") == [
        "Registry under School of Law > Administration",
        "Registry under School of Medicine",
        "Registry under University",
        "Records Office under School of Law",
    ]
    schools = ["Administration under School of Law", "Administration under School of Medicine"]
    assert labels("where is the administration") == schools
    assert labels("How late is the Front Desk open?")[0] == "Front Desk under North > Branch 1"
    assert labels("Where is Larkmoor?", LARKMOOR) == ["Larkmoor at the top", "Larkmoor under Bar"]


def test_the_topmost_unit_can_be_chosen_too() -> None:
    sent = [asked(each, LARKMOOR) for _, each in buttons("Where is Larkmoor?", LARKMOOR)]
    assert [again.entities[0].unit for again in sent] == ["0", "2"]


def test_brackets_that_did_not_tell_one_are_replaced() -> None:
    assert buttons("Where is the Registry (Administration)?", UNIVERSITY)[0][1] == (
        "Where is the Registry (School of Law > Administration)?"
    )


def test_no_more_than_some_units_are_offered_and_the_rest_is_counted() -> None:
    houses = "".join(f"House {number},Top,\nLarder,House {number},\n" for number in range(render.CHOICES + 5))
    chart = load(f"name,parent,type\nTop,,\n{houses}".encode(), "chart.csv")
    larders = tuple(Entity(unit.id, "Larder", "Larder", 13, 19) for unit in chart.named("Larder"))
    record = replace(asked("Where is the Larder?", UNIVERSITY), entities=larders)
    soup = BeautifulSoup(render.conversation([render.Turn(record)], chart, documents={}), "html.parser")
    assert len(soup.select(".choices button")) == render.CHOICES
    assert soup.select(".choices p")[-1].get_text().startswith("5 more share it.")
