"""Bytes of a chart file into a table: delimiters, row numbers, bounds, and what is said when they cannot be read."""

from __future__ import annotations

import dataclasses

import pytest

from org.reading import table
from org.reading.charts import check
from org.reading.problems import Problem
from org.reading.table import MAX_BYTES, MAX_CELL, MAX_COLUMNS, Line, Table, read

TEXT = 'name{0}parent{0}type\nÉcole{0}{0}school\n"Cantine{0}"{0}École{0}team\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("announced", [False, True], ids=["found out", "announced"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_usual_delimiters_and_encodings_give_the_same_cells(
    delimiter: str, encoding: str, ends: str, announced: bool
) -> None:
    text = (f"sep={delimiter}\n" if announced else "") + TEXT.format(delimiter)
    found = read(text.replace("\n", ends).encode(encoding), "chart.csv")
    assert [line.cells for line in found.lines] == [
        ("name", "parent", "type"),
        ("École", "", "school"),
        (f"Cantine{delimiter}", "École", "team"),
    ]
    assert [line.number for line in found.lines] == ([2, 3, 4] if announced else [1, 2, 3])
    assert not found.problems


@pytest.mark.parametrize("first", ['sep="', "sep=x", "sep=", "sep=;;", "sep=\udce9"])
def test_what_is_no_delimiter_is_not_taken_for_one(first: str) -> None:
    content = f"{first}\nname,parent\nTop,\n".encode("utf-8", "surrogateescape")
    assert read(content, "chart.csv").problems or ("name", "parent") in [
        line.cells for line in read(content, "chart.csv").lines
    ]


def test_the_delimiter_is_told_without_known_headers() -> None:
    found = read(b"Bereich;Chefin, Vertretung\nTop;Ann, Bo\nLow;Cy\n", "chart.csv")
    assert found.lines[0].cells == ("Bereich", "Chefin, Vertretung")


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("name,parent\nÉcole d'été,\nGenève,\n".encode("cp1252"), [2]),
        (b'name,parent\n"two\nlines",\n' + "Genève,\n".encode("cp1252") + "Zürich,\n".encode(), [3]),
        ("name,parent\nZürich,\n".encode() + "Genève,\nÉcole,\n".encode("cp1252"), [3, 4]),
    ],
    ids=["all", "after two lines", "two rows"],
)
def test_rows_that_are_not_utf_8_are_named(content: bytes, rows: list[int]) -> None:
    found = read(content, "chart.csv")
    assert [problem.row for problem in found.problems] == rows
    assert all("Windows-1252" in problem.message for problem in found.problems)
    assert any("Genève" in line.cells for line in found.lines)


@pytest.mark.parametrize("delimiter", [",", "|"], ids=["comma", "bar"])
def test_letters_of_two_bytes_are_read_whole_and_the_encoding_is_told(delimiter: str) -> None:
    text = f"name{delimiter}parent\n本社{delimiter}\nソフト表示ポンプ課{delimiter}本社\n"
    found = read(text.encode("cp932"), "chart.csv")
    assert [line.cells for line in found.lines] == [("name", "parent"), ("本社", ""), ("ソフト表示ポンプ課", "本社")]
    assert found.encoding == "cp932"
    assert read(text.encode(), "chart.csv").encoding == "utf-8"
    assert read(text.encode("cp932"), "chart.csv", encoding="cp932").problems == ()


@pytest.mark.parametrize("name", ["chart.csv", "chart.json"])
def test_what_makes_no_words_is_an_error_until_the_encoding_is_chosen(name: str) -> None:
    text = "name,parent\nОтдел кадров,\n" if name == "chart.csv" else '[{"name": "Отдел кадров", "parent": ""}]'
    content = text.encode("iso8859_5")
    (problem,) = read(content, name).problems
    assert problem.severity == "error"
    assert "The encoding of the file cannot be told" in problem.message
    chosen = read(content, name, encoding="cp1251")
    assert chosen.problems == ()
    assert chosen.encoding == "cp1251"


def test_rows_are_counted_as_a_spreadsheet_does() -> None:
    found = read(b'\nname,parent,description\nTop,,"two\nlines"\n\n , \nLow,Top,\n', "chart.csv")
    assert [(line.number, line.cells[0]) for line in found.lines] == [(2, "name"), (3, "Top"), (6, "Low")]
    assert found.lines[1].cells[2] == "two\nlines"


@pytest.mark.parametrize(
    ("content", "name", "row", "message"),
    [
        (b"", "a.csv", 0, "empty"),
        (b" \n\n", "a.csv", 0, "empty"),
        (b"name,parent\n", "a.csv", 0, "no units"),
        (b"name,boss\nA,\n", "a.csv", 1, "No column is called parent. Found: name, boss"),
        (b'name,parent\nA,\n"B,A\n', "a.csv", 3, "cannot be read from here on"),
        (b'name,parent\nA,\n"B"x,A\n', "a.csv", 3, "cannot be read from here on"),
        (b"name,parent\n" + b"A" * 200_000 + b",\n", "a.csv", 2, "cannot be read from here on"),
        (b"name,parent\n" + b"A" * (MAX_CELL + 1) + b",\n", "a.csv", 2, "A cell has 32,768 characters"),
        (b"name,parent" + b",x" * MAX_COLUMNS + b"\n", "a.csv", 1, "202 columns; 200 are the most"),
        (b"\xff\xfen\x00a", "a.csv", 0, "UTF-16"),
        (b"PK\x03\x04rest", "a.csv", 0, "damaged"),
        (b"name,parent\n", "a.xlsx", 0, "named as a workbook"),
        (b"\xd0\xcf\x11\xe0rest", "a.xls", 0, "old .xls format"),
        (b"{", "a.json", 1, "not valid JSON"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_row_and_a_hint(
    content: bytes, name: str, row: int, message: str
) -> None:
    report = check(content, name)
    errors = [problem for problem in report.problems if problem.severity == "error"]
    assert report.chart is None
    assert message in errors[0].message, errors
    assert errors[0].row == row
    assert all(error.hint for error in errors)


@pytest.mark.parametrize("name", ["chart", "chart.txt", "chart.csv", "chart.json"])
def test_objects_are_told_by_their_content_too(name: str) -> None:
    assert check(b'[\n{"name": "Top", "parent": ""}]', name).chart is not None
    report = check(b"[name],[parent]\nTop,\n", "chart.csv")
    assert report.chart is not None


def test_empty_columns_at_the_end_are_no_columns() -> None:
    commas = b"," * 16_000
    report = check(b"name,parent%b\nTop,%b\nA,Top%b\n" % (commas, commas, commas), "a.csv")
    assert report.chart is not None
    assert report.problems == ()


def test_a_file_that_is_too_large_is_not_read() -> None:
    found = read(bytes(MAX_BYTES + 1), "a.csv")
    assert not found.lines
    assert "too large" in found.problems[0].message


def test_what_was_cut_off_is_not_reported_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    report = check(b"name,parent\nA,Top\nB,A\nTop,\n", "a.csv")
    assert [problem.message for problem in report.problems] == ["The chart has more than 2 units."]


def test_too_many_cells_end_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_CELLS", 5)
    found = read(b"name,parent\nTop,\nA,Top\nB,Top\n", "a.csv")
    assert found.ended
    assert (found.problems[0].row, len(found.lines)) == (4, 3)


def test_a_table_comes_back_from_json_as_it_was() -> None:
    lines = (Line(0, ("name", "É\ud800")), Line(1, ("a", ""), 0))
    whole = Table(lines, (Problem(1, "error", "m", "h"),), True, True, ("A", "B"), "B", "cp1252")
    assert Table.from_json(whole.to_json()) == whole
    assert whole.to_json().isascii()
    assert all(getattr(whole, field.name) for field in dataclasses.fields(whole))
