"""JSON charts: flat lists, nested units under any usual key, and what a hostile file does."""

from __future__ import annotations

import time

import pytest

from org.reading.charts import Report, check


def reported(content: str | bytes) -> Report:
    return check(content.encode() if isinstance(content, str) else content, "chart.json")


def shape(report: Report) -> list[tuple[str, str | None]]:
    assert report.chart is not None, report.problems
    return [(unit.name, unit.parent) for unit in report.chart.units.values()]


def test_a_flat_list_of_objects() -> None:
    report = reported(
        '[{"Name": "Top", "parent": null, "aliases": ["A", "B;C"], "id": 7.0}, {"name": "Low", "parent": 7}]'
    )
    assert shape(report) == [("Top", None), ("Low", "7")]
    assert report.chart is not None
    assert report.chart.root.aliases == ("A", "B;C")
    assert report.problems == ()
    assert reported('{"version": 2, "units": [{"name": "Top", "parent": ""}]}').chart is None, "an object with cells"
    assert shape(reported('{"units": [{"name": "Top", "parent": ""}, {"name": "A", "parent": "Top"}]}'))[1] == (
        "A",
        "Top",
    )


NESTED = [("Top", None), ("A", "Top"), ("A1", "Top > A"), ("B", "Top")]


@pytest.mark.parametrize(
    "key", ["children", "Sub-Units", "departments", "Kinder", "directReports", "sub_teams", "childUnits", "_children"]
)
def test_units_stand_inside_units_under_any_usual_key(key: str) -> None:
    tree = f'{{"name": "Top", "{key}": [{{"name": "A", "{key}": [{{"name": "A1"}}]}}, {{"name": "B"}}]}}'
    assert shape(reported(tree)) == NESTED
    assert shape(reported(f"[{tree}]")) == NESTED
    assert shape(reported(f'{{"organization": {tree}}}')) == NESTED


def test_the_leaves_may_be_names_alone_and_one_child_no_list() -> None:
    assert shape(reported('{"name": "Top", "units": [{"name": "A", "units": {"name": "A1"}}, "B"]}')) == NESTED


def test_an_order_of_its_own_is_kept() -> None:
    tree = '{"order": [4, 3, 1, 2], "organization": {"name": "Top", "units": [{"name": "A", "units": ["A1"]}, "B"]}}'
    report = reported(tree)
    assert [name for name, _ in shape(report)] == ["A1", "B", "A", "Top"]
    assert report.chart is not None
    assert [unit.name for unit in report.chart.path("Top > A > A1")] == ["Top", "A", "A1"]
    assert shape(reported(tree.replace("[4, 3, 1, 2]", "[4, 4, 1, 2]"))) == NESTED


def test_a_parent_that_contradicts_the_place_is_told() -> None:
    report = reported('{"name": "Top", "units": [{"name": "A", "parent": "Top"}, {"name": "B", "parent": "A"}]}')
    assert [(problem.row, problem.severity) for problem in report.problems] == [(3, "warning")]
    assert 'The parent "A" was left aside: the unit stands inside "Top"' in report.problems[0].message


def test_a_unit_inside_one_without_a_name_is_still_read() -> None:
    report = reported('{"name": "Top", "units": [{"name": "", "units": ["A", {}]}]}')
    assert [(problem.row, problem.message) for problem in report.problems] == [
        (2, "The name is empty."),
        (4, "The name is empty."),
    ]


@pytest.mark.parametrize(
    ("content", "row", "message"),
    [
        ("{", 1, "not valid JSON: Expecting property name enclosed in double quotes in line 1, character 2"),
        ("[" * 200_000, 0, "nested too deep"),
        ('{"name":"n","children":[' * 5_000 + "]}" * 5_000, 0, "deep"),
        ('{"a":' * 200_000, 0, "nested too deep"),
        ("3", 0, "not a list"),
        ("[]", 0, "no units"),
        ("{}", 0, "no units"),
        ('["A"]', 1, "not an object"),
        ('[{"name": ["A"], "parent": ""}]', 1, '"name" of entry 1 is not a text'),
        ('[{"name": true, "parent": ""}]', 1, "not a text"),
        ('[{"name": NaN, "parent": ""}]', 1, "not a text"),
        ('[{"name": "A", "parent": "", "name": "B"}]', 1, 'The key "name" appears twice in entry 1'),
        ('[{"name": "A", "Name": "B", "parent": ""}]', 1, 'The key "name" appears twice in entry 1'),
        ('[{"name": "A"}]', 0, "No column is called parent"),
        ('{"name": "A", "squads": [{"name": "B"}]}', 1, 'these are the units inside it, call the key "children"'),
        (
            '{"name": "A", "children": [{"name": "B", "squads": ["C", {"name": "D"}]}]}',
            2,
            '"squads" of entry 2 is a list',
        ),
        ('{"result": [{"name": "A", "parent": ""}]}', 1, '"result" of entry 1 is a list of objects'),
        ('[{"name": "A", "parent": ""}] x', 1, "not valid JSON: Extra data"),
        ("[" + ",".join(f'{{"k{key}": 1}}' for key in range(300)) + "]", 0, "300 different keys; 200 are the most"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_cannot_be_read_is_an_error(content: str, row: int, message: str) -> None:
    started = time.process_time()
    report = reported(content)
    errors = [problem for problem in report.problems if problem.severity == "error"]
    told = [(error.row, f"{error.message} {error.hint}") for error in errors if error.hint]
    assert any(place == row and message in text for place, text in told), errors
    assert report.chart is None
    assert time.process_time() - started < 5


def test_values_of_other_kinds_are_kept_as_texts_or_told() -> None:
    report = reported(
        '[{"name": "A", "parent": "", "size": 1e400, "open": true, "floor": 7.0, "tags": ["x", "y"], "at": {"x": 1},'
        ' "head": {"x": 1}, "odd": NaN, "big": ' + "9" * 5_000 + "}]"
    )
    assert report.chart is not None
    attributes = dict(report.chart.root.attributes)
    assert (attributes["size"], attributes["open"], attributes["floor"], attributes["tags"]) == (
        "1e400",
        "true",
        "7",
        "x, y",
    )
    assert len(attributes["big"]) == 5_000
    assert [problem.message for problem in report.problems] == [
        '"at" of entry 1 is no text and was left out.',
        '"head" of entry 1 is no text and was left out.',
        '"odd" of entry 1 is no text and was left out.',
    ]


def test_json_in_another_encoding_is_read_with_a_warning() -> None:
    report = reported('[{"name": "École", "parent": ""}]'.encode("cp1252"))
    assert shape(report) == [("École", None)]
    assert "Windows-1252" in report.problems[0].message
    assert shape(reported('[{"name": "École", "parent": ""}]'.encode("utf-16"))) == [("École", None)]
    assert shape(reported(r'[{"name": "A\ud83d\u200b", "parent": ""}]')) == [("A", None)]
