"""What keeps rows from being one tree: every problem at once, with its row and what to do."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from org.reading.charts import Report, check
from org.reading.lineage import Row, examine


def found(text: str) -> list[tuple[int, str, str]]:
    report = check(text.encode(), "chart.csv")
    assert (report.chart is None) == any(problem.severity == "error" for problem in report.problems)
    return [(problem.row, problem.severity, f"{problem.message} {problem.hint}") for problem in report.problems]


def test_every_problem_is_reported_at_once() -> None:
    problems = found("name,parent,aliases\nTop,,\nLost,Nowhere,\n,Top,\nA,B,\nB,A,\nC,Top,top\n")
    assert [(row, severity) for row, severity, _ in problems] == [
        (3, "error"),
        (4, "error"),
        (5, "error"),
        (7, "warning"),
    ]


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


def test_many_roots_are_one_problem() -> None:
    problems = found("name,parent\n" + "\n".join(f"n{number}," for number in range(1_000)))
    assert [(row, text[:30]) for row, _, text in problems] == [(3, '1,000 units have no parent: "n')]
    assert len(problems[0][2]) < 500


def test_a_message_stays_short_whatever_the_cells_hold() -> None:
    long = "n" * 400
    problems = found(f"name,parent,aliases\nTop,,\n{long},Top,{long}x\n{long},Top,{long}x\n{long},{long},{long}x\n")
    assert {severity for _, severity, _ in problems} == {"error", "warning"}
    assert all(len(text) < 400 for _, _, text in problems), [len(text) for _, _, text in problems]


ALL_WRONG = {
    "well": "n{0},Top,,,",
    "missing parent": "n{0},Tip,,,",
    "all missing": "n{0},missing {0},,,",
    "twins": "twin,Top,,,",
    "no name": ",Top,,x,",
    "formulas": "=n{0},Top,,,",
    "invisible": "n\u200b{0},Top,,,",
    "aliases": "n{0},Top,alias,,",
    "emails": "n{0},Top,,,nobody",
    "html": "<b>n{0}</b>,Top,,,",
    "other case": "n{0},TOP,,,",
    "ragged": "n{0},Top,,,,,x",
    "roots": "n{0},,,,",
    "loop": "n{0},n{0},,,",
    "arabic": "وحدة {0},Top,,,",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", ALL_WRONG.values(), ids=ALL_WRONG)
def test_20_000_rows_take_a_moment_even_if_all_are_wrong(line: str) -> None:
    rows = "\n".join(line.format(number) for number in range(20_000))
    content = f"name,parent,aliases,head,email\nTop,,,,\n{rows}".encode()
    started = time.process_time()
    report = check(content, "chart.csv")
    assert time.process_time() - started < 40
    assert all(len(problem.message) < 400 for problem in report.problems)


def report_on(text: str, header: str = "name,parent,id,code") -> Report:
    return check(f"{header}\n{text}\n".encode(), "chart.csv")


def paths(report: Report) -> list[str]:
    assert report.chart is not None, report.problems
    return [" > ".join(unit.name for unit in report.chart.path(unit_id)) for unit_id in report.chart.units]


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ("Top,\nEast,Top\nWest,Top\nDesk,East\nDesk,West\nBell,East > Desk", "Top > East > Desk > Bell"),
        ("Bell,Top>West>Desk\nTop,\nEast,Top\nDesk,East\nWest,Top\nDesk,West", "Top > West > Desk"),
        ("Top,,t\nA,t,a\nB,a\nTop,B\nA,Top > A > B > Top\nC,Top > A", "Top > A > C"),
        ("Top,,t\nA,t,a\nB,a\nTop,B\nA,Top > A > B > Top\nC,B > Top > A", "Top > A > B > Top > A > C"),
        ("Top,\nA > B,Top\nC,Top\nA > B,C\nD,C > A > B", "Top > C > A > B > D"),
        ("Top,\nEast,Top\nWest,Top\nDesk,East\nDesk,West\nBell,west > DESK", "Top > West > Desk > Bell"),
        ("Top,,t,\nT,Top\nA,t", "Top > A"),
        ("Top,,1,\nA,1,2\nB,2,3", "Top > A > B"),
        ("Top,,1,\nA,1.0,2\nB,2.0,3", "Top > A > B"),
        ("Top,,,X1\nA,X1,,X2\nB,X2,,X3", "Top > A > B"),
        ("Top,\nA,top", "Top > A"),
        ("Top,-\nA,Top", "Top > A"),
        ("Top,n/a\nA,Top", "Top > A"),
        ("-,\nA,-", "- > A"),
    ],
    ids=[
        "end of a path", "path before its units", "path from the top", "path further down", "sign in a name",
        "path in other case", "id before name", "ids", "numbers", "codes", "other case", "dash", "n/a", "called dash",
    ],
)  # fmt: skip
def test_a_parent_is_found(rows: str, last: str) -> None:
    assert paths(report_on(rows))[-1] == last


@pytest.mark.parametrize(
    ("rows", "row", "severity", "message"),
    [
        ("Top,\nA,C\nB,A\nC,B", 3, "error", "loop: A > C > B > A"),
        ("Top,\nA,A", 3, "error", "loop: A > A"),
        ("Top,\nOther,", 3, "error", '2 units have no parent: "Top" (row 2), "Other" (row 3)'),
        ("A,B\nB,A", 0, "error", "Every unit has a parent"),
        ("Finance,\nA,Finanse", 3, "error", 'Did you mean "Finance"?'),
        ("Top,\nA,Qwertz", 3, "error", '"Qwertz" is not in the chart. Add a row'),
        ("Top,\nA,Top\na,Top", 4, "error", "twice under the same parent, first in row 3"),
        ("Top,\nA b,Top\nA\u200d b,Top\nA\u200c b,Top", 4, "error", "twice under the same parent, first in row 3"),
        ("Top,\nمی‌خواهم,Top\nمیخواهم,Top", 4, "error", "twice under the same parent, first in row 3"),
        ("Top,\nA,Top\nB,Top\nX,A\nX,B\nY,X", 7, "error", 'rows 5, 6 have that name. Write its path, such as "A > X"'),
        ("Top,\n,Top", 3, "error", "The name is empty"),
        ("Top,\nA,Top\nA,Top\nX,A", 5, "error", '"A" is not clear: rows 3, 4 have that name'),
        ("A,B\nB,A\nC,D\nD,C\nTop,", 4, "error", "loop: C > D > C"),
        ("Top,\nA,Top\nX,A\nX,Top\nB,A > X\nY,X", 7, "error", '"X" is not clear: rows 4, 5 have that name'),
        ("T,\nA,T,a\nB,T\nX,a\nC,B\nA,C\nX,T > B > C > A\nY,A > X", 9, "error", '"A > X" is not clear: rows 5, 8'),
        ("T,\nA,T\nB,A > Q", 4, "error", '"A > Q" is not in the chart. Add a row'),
        ("T,\nA,T\nX,T\nB,A > X", 5, "error", '"X" stands in row 4, but not on this path'),
        ("T,\nRegistry,T\nB,T > Regisry", 4, "error", 'Did you mean "Registry"?'),
        ("T,,U101\nA,U101,U111\nB,U1O1", 4, "error", 'Did you mean "U101", which is "T"?'),
        ("T,,U110\nA,U110,U111\nB,U1l1", 4, "error", 'Did you mean "U111", which is "A"?'),
        ("T,,,CC-4711\nA,CC-4711,,CC-5822\nB,CC-4771", 4, "error", 'Did you mean "CC-4711", which is "T"?'),
        ("Registry,,R1\nA,Regisry", 3, "error", 'Did you mean "Registry"?'),
        ("T,,,1\nA,T,,2\nB,T,,2\nC,2", 5, "error", 'The parent "2" is not clear: rows 3, 4'),
        ("T,,,1\nA,1,,2", 3, "warning", "The parents of 1 rows were found by their code (3)"),
        ("T,\nA,t", 3, "warning", '"t" was taken for "T"'),
        ("T,none\nA,T", 2, "warning", 'The parent "none" was read as none'),
        ("T,,1\nA,T,2\n2,T,3\nB,2,4", 5, "warning", '"2" is the id of "A" and the name of row 4'),
        ("T,\nA,B > A\nB,A > B", 3, "error", "not on this path"),
        ("T,,1\nA,T,1", 3, "error", 'The id "1" is also that of row 2'),
    ],
    ids=[
        "loop", "itself", "roots", "no root", "near miss", "missing", "twins", "twins but for joiners",
        "twins but for joiners in Persian", "ambiguous", "empty name", "twins as parent", "second loop",
        "several", "several paths", "no such end", "not there", "near miss", "like an id",
        "like an id, l for 1", "like a code", "like a name more", "same code", "by code", "case", "none",
        "id and name", "paths in a loop", "one id twice",
    ],
)  # fmt: skip
def test_what_is_not_clear_is_told(rows: str, row: int, severity: str, message: str) -> None:
    report = report_on(rows)
    told = [(problem.row, problem.severity, f"{problem.message} {problem.hint}") for problem in report.problems]
    assert any((row, severity) == one[:2] and message in one[2] for one in told), told
    assert (report.chart is None) == any(one[1] == "error" for one in told)


def test_what_stands_inside_units_without_a_name_is_under_the_next_one_up() -> None:
    names = {"Top": None, "": 0, " ": 1, "A": 2, "B": 3, "C": 1}
    rows = [
        Row(at + 1, "", name.strip(), "", "", (), "", above=above) for at, (name, above) in enumerate(names.items())
    ]
    found = examine(rows)
    assert [row.name for row in found.rows] == ["Top", "A", "B", "C"]
    assert found.parents == (None, 0, 1, 0)


HOSTILE: dict[str, Callable[[int], list[str]]] = {
    "one name, and paths to all": lambda n: (
        ["Top,", *(f"u{i},Top" for i in range(n)), *(f"X,u{i}" for i in range(n))] + [f"y,u{i} > X" for i in range(n)]
    ),
    "one path, unclear": lambda n: (
        ["Top,"]
        + [f"u{i},Top,{i}" for i in range(n)]
        + [f"A,{i},a{i}" for i in range(n)]
        + [f"X,a{i}" for i in range(n)]
        + ["y,A > X"] * n
    ),
    "one name, unclear": lambda n: (
        ["Top,", *(f"u{i},Top" for i in range(n)), *(f"X,u{i}" for i in range(n))] + ["y,X"] * n
    ),
    "a chain of paths": lambda n: ["n,"] + [f"n,{' > '.join('n' * min(i, 60))}" for i in range(1, n)],
    "long steps": lambda n: ["Top,"] + [f"a,{'>' * 500}{i}" for i in range(n)],
    "all missing": lambda n: ["Top,"] + [f"a{i},{'m' * 100}{i}" for i in range(n)],
    "one loop": lambda n: [f"n{i},n{(i + 1) % n}" for i in range(n)],
    "many loops": lambda n: [f"n{i},n{i ^ 1}" for i in range(n)],
}


@pytest.mark.parametrize("rows", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.slow
def test_no_table_makes_the_search_long(rows: Callable[[int], list[str]]) -> None:
    text = "\n".join(rows(10_000))
    started = time.process_time()
    report = report_on(text)
    assert time.process_time() - started < 5
    assert report.chart or all(problem.hint for problem in report.problems)
