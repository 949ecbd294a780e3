"""Chart queries to learn: each reads its question rightly, as the product would be asked."""

import ast
from collections import Counter
from random import Random
from typing import Any

import pytest

import prompts
from org.linking.entities import EntityFinder, Organization
from org.query.expression import run
from org.query.grammar import words
from org.reading.charts import load
from trag.evaluate.cases import Case
from trag.finetune.dataset import chart_queries, charts
from trag.finetune.dataset.chart_queries import DOCUMENTS

TABLE = b"""name,parent,type,aliases,description,head,phone
Tollen Council,,council,,,Ada Brandt,100
Harbour Division,Tollen Council,division,HD,Runs the harbour and its cranes.,Ben Olsen,200
Crane Team,Harbour Division,team,,Keeps the cranes.,Cleo Dahl,201
Pilot Team,Harbour Division,team,,Guides ships.,,202
Finance Division,Tollen Council,division,,Pays the bills.,Dora Lund,300
Audit Board,Finance Division,board,AB,Checks the books.,Eli Berg,
"""


@pytest.fixture(scope="module")
def organization() -> Organization:
    chart = load(TABLE, "chart.csv")
    return Organization("Tollen Council", chart, EntityFinder(chart))


def test_every_expression_runs_and_is_asked_for_as_the_product_does(organization: Organization) -> None:
    made = list(chart_queries.from_chart("tollen", organization, chance=Random(1), number=120))
    assert made == list(chart_queries.from_chart("tollen", organization, chance=Random(1), number=120))
    assert len(made) > 60
    for one in made:
        given = chart_queries.linked(one.question, organization)
        if one.answer != DOCUMENTS:
            assert run(one.answer, given, organization.chart), one
        lines = [line for line in one.messages[-1].content.splitlines() if line.startswith("u")][: len(given)]
        assert one.messages == prompts.chart_query(lines, one.question)
    shapes = Counter(one.answer.partition("(")[0] for one in made)
    assert {"parent", "children", "count", "is_under", "documents", "about", "head"} < set(shapes)
    assert shapes["documents"] < len(made) / 3


@pytest.mark.parametrize(
    ("question", "gold", "expected"),
    [
        ("who is above the crane team", {"gold": (("Harbour Division",),)}, "parent(u1)"),
        ("how many teams does HD have", {"count": 2}, "count(children(u1, 'team'))"),
        ("is the audit board part of finance division", {"polarity": "yes"}, "is_under(u1, u2)"),
        ("teams of the harbour division", {"units": ("Crane Team", "Pilot Team")}, "children(u1, 'team')"),
        ("how often does the audit board meet", {"document": "a.md", "section": "1"}, DOCUMENTS),
        ("does the crane team get paid holidays", {"refuse": True}, DOCUMENTS),
    ],
    ids=["parent", "count", "yes or no", "list", "documents", "nothing"],
)
def test_what_people_asked_is_read(
    question: str, gold: dict[str, Any], expected: str, organization: Organization
) -> None:
    case = Case("1", question, "simple", "" if gold.get("refuse") else "As it is.", **gold)
    (found,) = chart_queries.from_cases("tollen", [case], organization, chance=Random(1))
    assert found.answer == expected


def test_what_no_plain_expression_answers_is_left_out(organization: Organization) -> None:
    case = Case("2", "who is the tallest in the crane team", "simple", "Ben.", gold=(("Ben Nevis",),))
    assert list(chart_queries.from_cases("tollen", [case], organization, chance=Random(1))) == []


@pytest.mark.slow
def test_what_an_expression_quotes_stands_in_its_question_and_can_be_written() -> None:
    chance, quoting = Random(4), []
    for _ in range(6):
        chart = charts.of_people(chance)
        own = Organization(chart.root.name, chart, EntityFinder(chart))
        made = chart_queries.from_chart("made", own, chance=chance, number=40, people=True)
        quoting += [(own, one) for one in made if one.answer.startswith(("where(", "count(named("))]
    assert len(quoting) > 20
    for own, one in quoting:
        text = ast.literal_eval(one.answer.rpartition(", ")[2].rstrip(")")) if "where" in one.answer else ""
        assert {*words(text)} <= {*words(one.question)}
        assert run(one.answer, chart_queries.linked(one.question, own), own.chart)


@pytest.mark.slow
def test_charts_made_by_rules_give_queries_of_every_form() -> None:
    chance = Random(3)
    made = []
    for _ in range(8):
        chart = charts.make(chance)
        own = Organization(chart.root.name, chart, EntityFinder(chart))
        made += chart_queries.from_chart("made", own, chance=chance, number=40)
    assert len(made) > 200
    assert {one.answer.partition("(")[0] for one in made} > {"common", "siblings", "path", "any", "same", "type_of"}
