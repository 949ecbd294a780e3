"""Bytes of a chart file into rows: encodings, delimiters, headers, and what is reported when they cannot be read."""

from __future__ import annotations

import pytest

from org.table import MAX_BYTES, Row, read

TEXT = "name{0}parent{0}type\nÉcole{0}{0}school\nCantine{0}École{0}team\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_usual_delimiters_and_encodings_give_the_same_rows(delimiter: str, encoding: str) -> None:
    rows, problems = read(TEXT.format(delimiter).encode(encoding), "chart.csv")
    assert [(row.number, row.name, row.parent, row.type) for row in rows] == [
        (2, "École", "", "school"),
        (3, "Cantine", "École", "team"),
    ]
    assert not problems


@pytest.mark.parametrize(
    ("text", "encoding", "page"),
    [("name,parent\nÉcole d'été,\n", "cp1252", "1252"), ("name,parent\nالمكتب الإقليمي,\n", "cp1256", "1256")],
    ids=["western", "arabic"],
)
def test_a_windows_code_page_is_read_with_a_warning(text: str, encoding: str, page: str) -> None:
    rows, problems = read(text.encode(encoding), "chart.csv")
    assert rows[0].name == text.split("\n")[1].rstrip(",")
    assert [(problem.row, problem.severity) for problem in problems] == [(2, "warning")]
    assert page in problems[0].message


def test_header_in_any_order_and_case_with_extra_columns() -> None:
    content = b' Parent ,Head,NAME,Aliases\n,Ann,Top,"A | B|a|"\nTop,Bo,"Low, lower",\n'
    rows, problems = read(content, "chart.CSV")
    assert rows == (
        Row(2, "", "Top", "", "", ("A", "B", "a"), ""),
        Row(3, "", "Low, lower", "Top", "", (), ""),
    )
    assert not problems


def test_rows_are_counted_as_a_spreadsheet_does() -> None:
    content = b'\nname,parent,description\nTop,,"two\nlines"\n\nLow,Top,\n'
    rows, _ = read(content, "chart.csv")
    assert [(row.number, row.name) for row in rows] == [(3, "Top"), (5, "Low")]
    assert rows[0].description == "two lines"


def test_json_is_a_flat_list_of_objects() -> None:
    content = b'[{"Name": "Top", "parent": null, "aliases": ["A", "B"], "id": 7}, {"name": "Low", "parent": "7"}]'
    rows, problems = read(content, "chart.json")
    assert [(row.id, row.name, row.parent, row.aliases) for row in rows] == [
        ("7", "Top", "", ("A", "B")),
        ("", "Low", "7", ()),
    ]
    assert not problems


@pytest.mark.parametrize(
    ("content", "name", "row", "message"),
    [
        (b"", "a.csv", 0, "empty"),
        (b"name,parent\n", "a.csv", 0, "no units"),
        (b"name,boss\nA,\n", "a.csv", 1, "No column is called parent. Found: name, boss"),
        (b"name,parent,name\nA,,B\n", "a.csv", 1, "Two columns are called name"),
        (b'name,parent\nA,\n"B,A\n', "a.csv", 3, "cannot be read from here on"),
        (b"name,parent\n" + b"A" * 200_000 + b",\n", "a.csv", 2, "cannot be read from here on"),
        (b"\x00\x01\x02\x00\xff" * 50, "a.csv", 0, "not text"),
        (b"\xff\xfen\x00a", "a.csv", 0, "UTF-16"),
        (b"PK\x03\x04rest", "a.csv", 0, "workbook"),
        (b"name,parent\n", "a.xlsx", 0, "workbook"),
        (b"{", "a.json", 1, "not valid JSON"),
        (b"[" * 200_000, "a.json", 0, "nested too deep"),
        (b'{"name": "A"}', "a.json", 0, "not a list"),
        (b'["A"]', "a.json", 1, "not an object"),
        (b'[{"name": ["A"]}]', "a.json", 1, "not a text"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_row_and_a_hint(
    content: bytes, name: str, row: int, message: str
) -> None:
    _, problems = read(content, name)
    errors = [problem for problem in problems if problem.severity == "error"]
    assert errors, problems
    assert message in errors[0].message
    assert errors[0].row == row
    assert errors[0].hint


def test_a_file_that_is_too_large_is_not_read() -> None:
    rows, problems = read(bytes(MAX_BYTES + 1), "a.csv")
    assert not rows
    assert "too large" in problems[0].message


@pytest.mark.parametrize(
    ("line", "message", "name"),
    [
        ("=cmd(),", "would run as a formula", "=cmd()"),
        ("Lab\u200b One\u202e,", "Invisible characters", "Lab One"),
        ("Lab,,extra", "3 cells", "Lab"),
    ],
    ids=["formula", "invisible", "ragged"],
)
def test_odd_cells_are_kept_with_a_warning(line: str, message: str, name: str) -> None:
    rows, problems = read(f"name,parent\n{line}\n".encode(), "a.csv")
    assert rows[0].name == name
    assert [(problem.row, problem.severity) for problem in problems] == [(2, "warning")]
    assert message in problems[0].message
