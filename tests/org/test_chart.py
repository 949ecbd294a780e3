"""The chart as a tree: who is above, under and beside whom."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from org.chart import Chart, ChartError, Unit
from org.reading.charts import check, load


def by_name(chart: Chart, name: str) -> Unit:
    (unit,) = chart.named(name)
    return unit


def test_paths_children_and_counts(chart: Chart) -> None:
    ethics = by_name(chart, "Ethics Office")
    assert [unit.name for unit in chart.path(ethics.id)] == [
        "The Harbour Trust",
        "Chief Executive",
        "Legal Affairs & Ethics Division",
        "Ethics Office",
    ]
    legal = ethics.parent or ""
    assert [unit.name for unit in chart.children(legal)] == ["Data Protection Office", "Ethics Office", "Secretariat"]
    under = ["Data Protection Office", "Ethics Office", "Speak-Up Line", "Secretariat"]
    assert [unit.name for unit in chart.descendants(legal)] == under
    assert [unit.name for unit in chart.siblings(ethics.id)] == ["Data Protection Office", "Secretariat"]
    assert chart.depth(ethics.id) == 3
    assert chart.root.name == "The Harbour Trust"
    assert len(chart) == 32


@pytest.mark.parametrize(
    ("first", "second", "above"),
    [
        ("Speak-Up Line", "Data Protection Office", "Legal Affairs & Ethics Division"),
        ("Speak-Up Line", "Ethics Office", "Legal Affairs & Ethics Division"),
        ("Ethics Office", "Ethics Office", "Legal Affairs & Ethics Division"),
        ("Health Division", "Audit & Risk Committee", "The Harbour Trust"),
        ("The Harbour Trust", "Health Division", "The Harbour Trust"),
    ],
)
def test_common_is_the_deepest_unit_that_both_are_under(chart: Chart, first: str, second: str, above: str) -> None:
    assert chart.common(by_name(chart, first).id, by_name(chart, second).id).name == above


def test_load_lists_every_error_and_hints() -> None:
    with pytest.raises(ChartError) as caught:
        load(b"name,parent\nFinance,\nA,Finanse\nB,Legal\n", "chart.csv")
    assert "row 3" in caught.value.message
    assert "row 4" in caught.value.message
    assert caught.value.hint == 'Did you mean "Finance"?'


def test_the_version_follows_the_content_and_not_the_file() -> None:
    plain = load(b"name,parent\nTop,\nA,Top\n", "a.csv")
    other_form = load('\ufeffparent;name\n;Top\nTop;"A"\n'.encode(), "b.csv")
    changed = load(b"name,parent\nTop,\nB,Top\n", "a.csv")
    assert plain.version == other_form.version
    assert plain.version != changed.version
    assert len(plain.version) == 12


def test_the_version_of_a_chart_without_the_later_columns_stays_what_it_was() -> None:
    text = "id,name,parent,type,aliases,description\n1,École,,school,E|S,Teaches.\n,A,1,,,\n"
    assert load(text.encode(), "a.csv").version == "013758d3c325"
    wider = text.replace("\n", ",head,email,code,Phone\n", 1)
    assert load(wider.encode(), "a.csv").version == "013758d3c325"
    versions = {
        load((wider + f",B,1,,,,{cells}\n").encode(), "a.csv").version for cells in (",,,", "x,,,", ",,x,", ",,,x")
    }
    assert len(versions) == 4


def test_a_report_shows_how_the_file_was_read_also_when_it_cannot_be_used() -> None:
    report = check(b"Bereich,Chefin,Leitung\nTop,,Ann\nLow,Top,Bo\n", "a.csv")
    assert report.chart is None
    assert report.header == ("Bereich", "Chefin", "Leitung")
    assert report.columns == (("head", "Leitung"),)
    assert report.samples == (("Top", "", "Ann"), ("Low", "Top", "Bo"))
    asked = check(b"Bereich,Chefin\nTop,\nLow,Top\n", "a.csv", columns={"name": "Bereich", "parent": "Chefin"})
    assert asked.chart is not None
    assert (asked.columns, asked.problems) == ((("name", "Bereich"), ("parent", "Chefin")), ())


MESSY = """\
Stand: Mai 2026;;;
;;;
Organisationseinheit;Übergeordnete Einheit;Kürzel;Telefon
Stiftung;-;ST;+49 30 1
Büro für Öffentlichkeitsarbeit;Stiftng;BÖ;
Abteilung Recht;stiftung;R;
Abteilung Recht;Stiftung;R;
"""


def test_a_messy_chart_is_reported_all_at_once() -> None:
    report = check(MESSY.encode("cp1252"), "chart.csv")
    assert [(problem.row, problem.severity, problem.message) for problem in report.problems] == [
        (5, "error", 'The parent "Stiftng" is not in the chart.'),
        (7, "error", '"Abteilung Recht" appears twice under the same parent, first in row 6.'),
        (3, "warning", "The file is not in UTF-8; it was read as Windows-1252 (Western European)."),
        (3, "warning", "The header was found in row 3; what stands above it was left aside."),
        (3, "warning", 'The column "Übergeordnete Einheit" was read as parent.'),
        (3, "warning", 'The column "Organisationseinheit" was read as name.'),
        (3, "warning", 'The column "Kürzel" was read as aliases.'),
        (4, "warning", 'The parent "-" was read as none.'),
        (6, "warning", 'The parent "stiftung" was taken for "Stiftung".'),
        (7, "warning", 'The alias "R" is also a name of "Abteilung Recht" (row 6).'),
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(min_value=0), max_size=60))
def test_any_tree_agrees_with_a_plain_walk(choices: list[int]) -> None:
    parents = [choice % place for place, choice in enumerate(choices, start=1)]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerows([("name", "parent"), ("n0", ""), *((f"n{i}", f"n{p}") for i, p in enumerate(parents, start=1))])
    report = check(table.getvalue().encode(), "chart.csv")
    if report.chart is None:
        assert "levels deep" in report.problems[0].message
        return
    ids = {unit.name: unit.id for unit in report.chart.units.values()}

    def above(place: int) -> list[int]:
        return [] if place == 0 else [parents[place - 1], *above(parents[place - 1])]

    for place in range(len(parents) + 1):
        name = f"n{place}"
        assert [unit.name for unit in report.chart.path(ids[name])][::-1] == [name, *(f"n{p}" for p in above(place))]
        under = {f"n{other}" for other in range(len(parents) + 1) if place in above(other)}
        assert {unit.name for unit in report.chart.descendants(ids[name])} == under
        assert report.chart.total(ids[name]) == len(under)
        assert all(report.chart.is_under(ids[other], ids[name]) == (other in under) for other in ids)
