"""The statements that a model is given about the units of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from org.chart import Chart
from org.linking.entities import EntityFinder
from org.query.sentences import MOST, Statement, describe, placement
from org.reading.charts import check, load

EXAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor" / "chart.csv"
LEGAL = "the Legal Affairs & Ethics Division, which is under Chief Executive, which is under The Harbour Trust"


def words(text: str) -> int:
    return len(text.split())


def test_placement_is_one_sentence_about_its_unit(chart: Chart) -> None:
    (ethics,) = chart.named("Ethics Office")
    assert placement(ethics.id, chart) == Statement(ethics.id, f"The Ethics Office is under {LEGAL}.", chart.version)
    assert placement(chart.root.id, chart).text == "The Harbour Trust is at the top of the organization."


def test_places_come_first_then_what_units_do_then_what_is_under_them(chart: Chart, finder: EntityFinder) -> None:
    mentions = finder.find("how are the ethics office and the DPO related?")
    statements = describe(mentions, chart, budget=300, count=words)
    assert [(chart.unit(one.unit).name, one.text) for one in statements] == [
        ("Ethics Office", f"The Ethics Office is under {LEGAL}."),
        ("Data Protection Office", f"The Data Protection Office is under {LEGAL}."),
        ("Ethics Office", "The Ethics Office: Advises on conduct."),
        ("Data Protection Office", "The Data Protection Office: Handles personal data."),
        ("Ethics Office", "Directly under the Ethics Office: Speak-Up Line (team)."),
    ]
    assert {one.version for one in statements} == {chart.version}
    assert describe((), chart, budget=300, count=words) == ()


@pytest.mark.parametrize("budget", [0, 12, 60, 150, 2000])
def test_what_does_not_fit_is_left_out_whole(budget: int) -> None:
    rows = "\n".join(f"Desk {number} of Many,Top Office,desk" for number in range(400))
    chart = load(f"name,parent,type\nTop Office,,office\n{rows}".encode(), "chart.csv")
    mentions = EntityFinder(chart).find("which units are under the Top Office")
    texts = [one.text for one in describe(mentions, chart, budget=budget, count=words)]
    assert sum(map(words, texts)) <= budget
    lists = [text for text in texts if text.startswith("Directly")]
    assert all(text.endswith("380 more.") for text in lists), texts
    assert bool(lists) == (budget >= 150), texts


def test_a_name_that_very_many_share_is_described_for_some_of_them() -> None:
    rows = "".join(f"House {number},Top,house\nFront Desk,House {number},desk\n" for number in range(20))
    chart = load(f"name,parent,type\nTop,,\n{rows}".encode(), "chart.csv")
    statements = describe(EntityFinder(chart).find("Where is the Front Desk?"), chart, budget=2000, count=words)
    assert len({one.unit for one in statements}) == MOST
    assert len({one.text for one in statements}) == len(statements)


def test_the_sample_chart_loads_without_problems() -> None:
    report = check(EXAMPLE.read_bytes(), EXAMPLE.name)
    assert report.problems == ()
    assert report.chart is not None
    finder = EntityFinder(report.chart)
    for unit in report.chart.units.values():
        assert any(unit.id in mention.units for mention in finder.find(f"Where does {unit.name} sit?")), unit
