"""How units of one name are told apart, and that the finder reads it back."""

from __future__ import annotations

import random

import pytest

from org.chart import Chart, Unit
from org.linking import disambiguation
from org.linking.entities import EntityFinder
from org.query.expression import run
from org.query.sentences import label, placed
from org.reading.charts import load

UNIVERSITY = """\
id,name,parent,type,head
0,University,,university,Ida
1,School of Law,0,school,
2,School of Medicine,0,school,
3,Administration,1,office,
4,Administration,2,office,
5,Registry,3,office,Ann
6,Registry,4,office,Bob
7,Registry,0,office,Cem
8,North,0,campus,
9,South,0,campus,
10,Branch 1,8,branch,
11,Branch 1,9,branch,
12,Branch 2,8,branch,
13,Branch 2,9,branch,
14,Front Desk,10,desk,Dana
15,Front Desk,11,desk,Eva
16,Front Desk,12,desk,Finn
17,Front Desk,13,desk,Gus
18,Service Desk (1st Line),8,desk,Hal
19,Service Desk (1st Line),9,desk,Ilse
"""
TOLD = {
    "3": "School of Law",
    "5": "School of Law",
    "6": "School of Medicine",
    "7": "University",
    "11": "South",
    "14": "North > Branch 1",
    "17": "South > Branch 2",
    "18": "North",
    "0": "",
    "1": "",
}


@pytest.fixture(scope="module")
def university() -> Chart:
    return load(UNIVERSITY.encode(), "chart.csv")


@pytest.fixture(scope="module")
def registrar(university: Chart) -> EntityFinder:
    return EntityFinder(university)


def shared(chart: Chart) -> list[Unit]:
    return [unit for unit in chart.units.values() if len(chart.named(unit.name)) > 1]


def test_a_unit_is_told_by_the_nearest_unit_above_that_differs(university: Chart) -> None:
    assert {unit: disambiguation.told(university.unit(unit), university) for unit in TOLD} == TOLD
    assert label(university.unit("5"), university) == "Registry (School of Law)"
    assert label(university.unit("1"), university) == "the School of Law"


@pytest.mark.parametrize(
    "question",
    ["Where does the {} sit?", "How do I reach the {} on Fridays?", "{}: until when may I hand in my thesis?"],
)
def test_a_question_with_what_tells_a_unit_finds_that_unit_alone(
    university: Chart, registrar: EntityFinder, question: str
) -> None:
    for unit in shared(university):
        name = f"{unit.name} ({disambiguation.told(unit, university)})"
        found = [mention for mention in registrar.find(question.format(name)) if unit.name.startswith(mention.text)]
        assert found[0].units == (unit.id,), name


def test_a_unit_told_in_brackets_is_answered_about_and_nothing_else_in_them_is(
    university: Chart, registrar: EntityFinder
) -> None:
    for unit in shared(university):
        question = f"Where is the {unit.name} ({disambiguation.told(unit, university)})?"
        assert registrar.find_types(question) == (), question
        (mention,) = registrar.find(question)
        reply = run("path(u1)", mention.units, university)
        assert reply is not None
        assert reply.text == placed(unit, university)
        head = run("head(u1)", mention.units, university)
        assert (head and head.text) == (f"The head of {label(unit, university)} is {unit.head}." if unit.head else None)


def test_a_unit_right_under_the_one_in_brackets_is_meant_before_those_further_down(
    university: Chart, registrar: EntityFinder
) -> None:
    (mention,) = registrar.find("the Registry (University)")
    assert mention.units == ("7",)
    both, _ = registrar.find("the Registry (Administration)")
    assert both.units == ("5", "6")


def test_the_topmost_unit_is_told_from_one_below_it_that_has_its_name() -> None:
    chart = load(b"id,name,parent\n0,Larkmoor,\n1,Bar,0\n2,Larkmoor,1\n", "chart.csv")
    finder = EntityFinder(chart)
    for unit, told in (("0", disambiguation.TOP), ("2", "Bar")):
        assert disambiguation.told(chart.unit(unit), chart) == told
        assert finder.find(f"Where is Larkmoor ({told})?")[0].units == (unit,)


def test_the_whole_path_tells_a_unit_too(university: Chart, registrar: EntityFinder) -> None:
    found = registrar.find("Where is the Front Desk (University > South > Branch 1)?")
    assert found[0].units == ("15",)


@pytest.mark.parametrize("seed", range(40))
def test_in_any_chart_what_tells_a_unit_is_its_own_and_leads_back(seed: int) -> None:
    chance = random.Random(seed)
    units = [Unit("0", "A", "", None)]
    taken = {(None, "A")}
    for number in range(1, 120):
        above, name = chance.choice(units), chance.choice("ABCDE")
        if (above.id, name) not in taken:
            taken.add((above.id, name))
            units.append(Unit(str(number), name, "", above.id))
    chart = Chart(units)
    for unit in shared(chart):
        told = disambiguation.told(unit, chart)
        assert disambiguation.meant(chart.named(unit.name), told, chart) == (unit,), told


def test_brackets_that_never_close_are_read_at_once(university: Chart) -> None:
    registries = university.named("Registry")
    for text in (" " + "(" * 200_000, " (" + "()" * 100_000, " (" + "a" * 200_000):
        assert disambiguation.told_in_brackets(registries, text, 0, university) == ((), 0)
