"""Several units without a parent, and one unit that is put above them."""

from org.reading.charts import check

HR = b"name,parent,type\nSales,,division\nPlant,,division\nDesk,Sales,office\n"


def test_one_unit_is_put_above_several_where_somebody_names_it() -> None:
    report = check(HR, "hr.csv")
    (problem,) = [one for one in report.problems if one.severity == "error"]
    assert report.chart is None
    assert "2 units have no parent" in problem.message
    assert "--column top=NAME" in problem.hint
    report = check(HR, "hr.csv", columns={"top": " Acme  Works "})
    assert report.chart
    assert report.chart.root.name == "Acme Works"
    assert {unit.name for unit in report.chart.children(report.chart.root.id)} == {"Sales", "Plant"}
    (desk,) = [unit.id for unit in report.chart.units.values() if unit.name == "Desk"]
    assert [unit.name for unit in report.chart.path(desk)] == ["Acme Works", "Sales", "Desk"]
    assert any('"Acme Works" was added above 2 units' in one.message for one in report.problems)


def test_it_is_left_out_where_there_is_one_on_top_and_a_lost_unit_is_still_an_error() -> None:
    single = check(b"name,parent\nA,\nB,A\n", "hr.csv", columns={"top": "Works"})
    assert single.chart
    assert single.chart.root.name == "A"
    lost = check(HR + b"Annex,Nowhere,office\n", "hr.csv", columns={"top": "Works"})
    assert lost.chart is None
    assert [one.row for one in lost.problems if one.severity == "error"] == [5]


def test_one_that_is_called_as_it_is_already_is_said() -> None:
    assert check(HR, "hr.csv", columns={"top": ""}).chart is None
    twice = check(HR, "hr.csv", columns={"top": "Sales"})
    assert twice.chart
    assert twice.chart.root.name == "Sales"
