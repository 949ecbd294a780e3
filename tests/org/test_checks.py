"""What keeps rows from being one tree: every problem at once, with its row and what to do."""

from __future__ import annotations

import time

import pytest

from org.chart import check


def found(text: str) -> list[tuple[int, str, str]]:
    report = check(text.encode(), "chart.csv")
    assert (report.chart is None) == any(problem.severity == "error" for problem in report.problems)
    return [(problem.row, problem.severity, f"{problem.message} {problem.hint}") for problem in report.problems]


@pytest.mark.parametrize(
    ("rows", "row", "message"),
    [
        ("Top,\nA,C\nB,A\nC,B", 3, "loop: A > C > B > A"),
        ("Top,\nA,A", 3, "loop: A > A"),
        ("Top,\nOther,", 3, '2 units have no parent: "Top" (row 2), "Other" (row 3)'),
        ("A,B\nB,A", 0, "Every unit has a parent"),
        ("Finance,\nA,Finanse", 3, 'Did you mean "Finance"?'),
        ("Top,\nA,Qwertz", 3, '"Qwertz" is not in the chart. Add a row'),
        ("Top,\nA,Top\na,Top", 4, "twice under the same parent, first in row 3"),
        ("Top,\nA,Top\nB,Top\nX,A\nX,B\nY,X", 7, 'rows 5, 6 have that name. Write its path, such as "A > X"'),
        ("Top,\n,Top", 3, "The name is empty"),
    ],
    ids=["loop", "itself", "roots", "no root", "near miss", "missing", "twins", "ambiguous", "empty name"],
)
def test_an_error_names_its_row_and_what_to_do(rows: str, row: int, message: str) -> None:
    problems = found(f"name,parent\n{rows}\n")
    assert any(row == at and severity == "error" and message in text for at, severity, text in problems), problems


def test_every_problem_is_reported_at_once() -> None:
    problems = found("name,parent,aliases\nTop,,\nLost,Nowhere,\n,Top,\nA,B,\nB,A,\nC,Top,top\n")
    assert [(row, severity) for row, severity, _ in problems] == [
        (3, "error"),
        (4, "error"),
        (5, "error"),
        (7, "warning"),
    ]


def test_an_id_used_twice_is_an_error() -> None:
    assert 'The id "1" is also that of row 2' in found("id,name,parent\n1,Top,\n1,A,Top\n")[0][2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("Top,,\nA, top ,\n", '"top" was taken for "Top"'),
        ("Top,,\nA,Top,X\nB,Top,X\n", 'alias "X" is also a name of "A"'),
        ("Top,,\nA,Top,b\nB,Top,\n", 'alias "b" is also a name of "B"'),
    ],
    ids=["parent in another case", "shared alias", "alias of a name"],
)
def test_a_warning_leaves_the_chart_usable(rows: str, message: str) -> None:
    problems = found(f"name,parent,aliases\n{rows}")
    assert [severity for _, severity, _ in problems] == ["warning"]
    assert message in problems[0][2]


def test_too_deep_a_chart_is_refused_without_recursion() -> None:
    rows = "\n".join(f"n{number},{f'n{number - 1}' if number else ''}" for number in range(5000))
    problems = found(f"name,parent\n{rows}\n")
    assert len(problems) == 1
    assert "4999 levels deep" in problems[0][2]
    assert check(f"name,parent\n{rows[: rows.index('n65,')]}".encode(), "chart.csv").chart is not None


@pytest.mark.slow
def test_too_many_units_are_refused() -> None:
    content = "name,parent\nTop,\n" + "\n".join(f"n{number},Top" for number in range(200_001))
    assert any("more than 200,000 units" in text for _, _, text in found(content))


@pytest.mark.slow
def test_100_000_rows_take_seconds_however_they_hang_together() -> None:
    flat = "\n".join(f"n{number},Top" for number in range(100_000))
    wrong = "\n".join(f"n{number},Tip" for number in range(100_000))
    for rows in (flat, wrong):
        started = time.process_time()
        check(f"name,parent\nTop,\n{rows}".encode(), "chart.csv")
        assert time.process_time() - started < 10
