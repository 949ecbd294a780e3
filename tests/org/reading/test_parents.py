"""Which row each row is under: by id, name, path, code, or place."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from org.reading.charts import Report, check


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
    ],
    ids=[
        "several", "several paths", "no such end", "not there", "near miss", "like an id",
        "like an id, l for 1", "like a code", "like a name more", "same code", "by code", "case", "none",
        "id and name", "paths in a loop",
    ],
)  # fmt: skip
def test_what_is_not_clear_is_told(rows: str, row: int, severity: str, message: str) -> None:
    report = report_on(rows)
    told = [(problem.row, problem.severity, f"{problem.message} {problem.hint}") for problem in report.problems]
    assert any((row, severity) == one[:2] and message in one[2] for one in told), told
    assert (report.chart is None) == any(one[1] == "error" for one in told)


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
    text = "\n".join(rows(20_000))
    started = time.process_time()
    report = report_on(text)
    assert time.process_time() - started < 10
    assert report.chart or all(problem.hint for problem in report.problems)
