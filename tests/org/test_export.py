"""Any valid chart reads back from every format as the same chart, and no file runs in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from typing import get_args

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from org.chart import Chart, Unit
from org.export import Format, write
from org.reading.cells import COLUMNS, clean, guard
from org.reading.charts import check, load

FORMATS: tuple[Format, ...] = get_args(Format)


def again(chart: Chart, format: Format) -> Chart:
    report = check(write(chart, format), f"chart.{'json' if format == 'tree' else format}")
    assert report.chart is not None, report.problems
    assert dict(report.columns) == {column: column for column in COLUMNS}
    return report.chart


HARD = [
    Unit("R", "R", "", None, ("a;b", "=x"), "", "=cmd()", "r@example.org", "007", (("Leiter", "Ann"), ("=h", "@v"))),
    Unit("R > A", "A", "'=t", "R", (), "+1", attributes=(("Leiter", "Bo"), ("Units", "3"), ("name (other)", "x"))),
    Unit("own", "B", "", "R"),
    Unit("R > B'", "b", "", "R > A"),
    Unit("R > A > A", "A", "", "R > A"),
    Unit("R > A > A > B", "B", "", "R > A > A"),
    Unit("x", "R > A", "", "own"),
    Unit("R > B > own", "own", "", "own"),
    Unit("leaf", "_x0041_", "", "R > B > own", attributes=(("Phone", "+49 30"), ("#", "1"), ("order", "2"))),
]


@pytest.mark.parametrize("format", FORMATS)
def test_hard_names_ids_and_orders_read_back(chart: Chart, format: Format) -> None:
    for each in (chart, Chart([HARD[5], *HARD[:5], *HARD[6:]])):  # a child before its parent
        found = again(each, format)
        assert (list(found.units.values()), found.version) == (list(each.units.values()), each.version)


LETTERS = st.characters(codec="utf-8", exclude_categories=("Cs",))
TEXT = st.one_of(
    st.text(LETTERS, max_size=12),
    st.text(st.sampled_from("=+-@'\"|;,<> \t\r\nA\u200c\u200fé한ﾡ＝𐐷1.0_x0041"), max_size=12),
    st.sampled_from(
        ["=1+1", "'=x", "-", "7.0", "2024-05-01", "TRUE", "Top", "top", "Top > a", "ٱلإدارة", "a > b", "NULL"]
    ),
).map(clean)
NAME = TEXT.filter(bool)
ALIAS = TEXT.map(lambda text: clean(text.replace("|", ""))).filter(bool)
HEADERS = st.lists(
    st.sampled_from(["Phone", "Leiter", "Units", "#", "=h", "order", "children", "Größe", "Column 12", "Unit name"]),
    unique=True,
    max_size=3,
)


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    """Any chart that can be made of a file: no two children with one name, ids given or made of the path."""
    headers = draw(HEADERS)
    units: list[Unit] = []
    paths: list[str] = []
    taken: set[tuple[str | None, str]] = set()
    for place in range(draw(st.integers(1, 9))):
        above = None if not units else draw(st.integers(0, len(units) - 1))
        name = draw(NAME)
        parent = None if above is None else units[above].id
        if (parent, name.casefold()) in taken:
            continue
        taken.add((parent, name.casefold()))
        path = name if above is None else f"{paths[above]} > {name}"
        given = draw(st.booleans()) or any(unit.id == path for unit in units)
        own = draw(NAME) if draw(st.booleans()) else f"id{place}"
        unit_id = (
            (own if own not in {*paths, *(unit.id for unit in units)} else f"id {place} {own}"[:50]) if given else path
        )
        aliases = dict.fromkeys(
            alias for alias in draw(st.lists(ALIAS, max_size=3)) if alias.casefold() != name.casefold()
        )
        cells = [(header, draw(TEXT)) for header in headers]
        attributes = tuple((header, cell) for header, cell in cells if cell)
        more = [draw(TEXT) for _ in range(5)]
        units.append(Unit(unit_id, name, more[0], parent, tuple(aliases), *more[1:], attributes))
        paths.append(path)
    return Chart(draw(st.permutations(units)))


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(charts())
def test_any_valid_chart_reads_back_from_every_format(chart: Chart) -> None:
    for format in FORMATS:
        found = again(chart, format)
        assert found.version == chart.version, (format, list(found.units.values()), list(chart.units.values()))


def test_no_cell_of_a_csv_file_is_run_as_a_formula() -> None:
    names = ["=cmd()", "+A1", "-A1", "@x", "＝cmd()", "'=x", "＋x"]
    rows = "\n".join(f'"{guard(name)}",Top,"{guard(name)}"' for name in names)
    chart = load(f"name,parent,=Extra\nTop,,\n{rows}\n".encode(), "chart.csv")
    table = list(csv.reader(io.StringIO(write(chart, "csv").decode("utf-8-sig"))))
    assert [row[1] for row in table[2:]] == [f"'{name}" for name in names]
    assert table[0][-1] == "'=Extra"
    assert not [cell for row in table for cell in row if cell[:1] in tuple("=+-@＝＋－＠")]


def test_every_cell_of_a_workbook_is_a_text() -> None:
    chart = load(b"name,parent,n\n=1+1,,7\n@SUM(A1),=1+1,2024-05-01\n", "chart.csv")
    sheet = openpyxl.load_workbook(io.BytesIO(write(chart, "xlsx"))).active
    assert sheet is not None
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert sheet["B2"].value == "=1+1"


def test_json_has_a_unit_in_each_line_and_the_tree_has_children() -> None:
    chart = load(b"name,parent\nTop,\nA,Top\nB,A\n", "chart.csv")
    lines = write(chart, "json").decode().splitlines()
    assert [json.loads(line.rstrip(","))["name"] for line in lines[1:-1]] == ["Top", "A", "B"]
    assert json.loads(write(chart, "tree"))["children"][0]["children"] == [{"name": "B"}]


def test_ids_and_paths_are_written_only_where_they_are_needed() -> None:
    text = "name,parent\nTop,\nEast,Top\nWest,Top\nDesk,East\nDesk,West\nBell,West > Desk\n"
    table = list(csv.reader(io.StringIO(write(load(text.encode(), "chart.csv"), "csv").decode("utf-8-sig"))))
    assert [row[:3] for row in table[1:]] == [
        ["", "Top", ""], ["", "East", "Top"], ["", "West", "Top"], ["", "Desk", "East"], ["", "Desk", "West"],
        ["", "Bell", "Top > West > Desk"],
    ]  # fmt: skip
