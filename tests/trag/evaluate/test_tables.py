"""Every formula of the tables, on examples small enough to work out by hand."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import isclose
from typing import Any

import pytest

from prompts import CANNOT_ANSWER
from trag.evaluate import tables
from trag.evaluate.cases import COMPLEX, SIMPLE, Case
from trag.evaluate.chart_cases import KINDS
from trag.evaluate.comparing import compare, mcnemar, wilson
from trag.evaluate.runs import Result, Run
from trag.evaluate.scoring import Score
from trag.evaluate.tables import Table
from trag.record import AnswerRecord, ModelUsed, Seconds, Status, Verdict

MODEL = ModelUsed("small", "0" * 64, "")
C, V, I, U = "Correct", "Correct-Verbose", "Incorrect", None  # noqa: E741


def result(
    id: str = "a",
    verdict: Verdict | None = C,
    system: str = "trag",
    kind: str = "simple",
    status: Status = "answered",
    seconds: float = 1.0,
    interrupted: str = "",
    answer: str = "An answer.",
    precision: float | None = None,
    recall: float | None = None,
    **gold: Any,
) -> Result:
    case = Case(id, f"Question {id}?", kind, answer="Gold.", **gold)
    record = AnswerRecord(id, case.question, case.question, answer, status, MODEL, interrupted=interrupted)
    record = replace(record, seconds=Seconds(total=seconds))
    return Result(system, case, record, Score(verdict, ("a reason",) if verdict != C else (), precision, recall))


def many(verdicts: list[Verdict | None], system: str, kind: str = "simple", start: int = 0) -> list[Result]:
    return [result(f"{kind}-{number}", verdict, system, kind) for number, verdict in enumerate(verdicts, start)]


def test_the_paper_s_table_3_comes_out_of_its_own_counts() -> None:
    sets = {
        "set 1": many([C] * 9 + [I] * 8, "rag") + many([C] * 9 + [V] * 4 + [I] * 4, "trag"),
        "set 2": many([C] * 7 + [I] * 4, "rag") + many([C] * 6 + [V] * 2 + [I] * 3, "trag"),
        "set 3": many([C] * 4 + [V] + [I] * 4, "rag") + many([C] * 6 + [I] * 3, "trag"),
    }
    table = tables.overall_by_set(sets)
    assert table.header == ("Name", "Question Set", "N", "C", "CV", "I", "T", "Perc.", "Undecided")
    assert [row[:5] + row[6:8] for row in table.rows] == [
        ("rag", "set 1", "17", "9", "0", "9", "52.9%"),
        ("rag", "set 2", "11", "7", "0", "7", "63.6%"),
        ("rag", "set 3", "9", "4", "1", "5", "55.6%"),
        ("rag", "All", "37", "20", "1", "21", "56.8%"),
        ("trag", "set 1", "17", "9", "4", "13", "76.5%"),
        ("trag", "set 2", "11", "6", "2", "8", "72.7%"),
        ("trag", "set 3", "9", "6", "0", "6", "66.7%"),
        ("trag", "All", "37", "21", "6", "27", "73.0%"),
    ]


def test_undecided_answers_are_counted_apart() -> None:
    (row,) = tables.overall(many([C, V, I, I, U, U], "trag")).rows
    assert row == ("trag", "4", "1", "1", "2", "2", "50.0%", "2")
    assert tables.overall(many([U], "trag")).rows == (("trag", "0", "0", "0", "0", "0", "-", "1"),)


def test_systems_come_in_the_paper_s_order_each_before_its_base() -> None:
    given = ["trag", "rag:base", "other", "finetuned-tree", "trag-no-tree", "rag", "trag:base", "finetuned"]
    rows = tables.overall([result(system=system) for system in given]).rows
    assert [row[0] for row in rows] == [
        "rag", "rag:base", "finetuned", "finetuned-tree", "trag-no-tree", "trag", "trag:base", "other",
    ]  # fmt: skip


def test_the_paper_s_table_4_comes_out_of_its_own_counts() -> None:
    found = [
        *many([C] * 16 + [I], "trag-no-tree"),
        *many([C] * 10 + [I] * 12, "trag-no-tree", "complex"),
        *many([C] * 17, "trag"),
        *many([C] * 10 + [V] * 2 + [I] * 4, "trag", "complex"),
        *many([C] * 3 + [I] * 3, "trag", "list", start=16),
    ]
    table = tables.simple_and_complex([*found, *many([I] * 5, "trag", "document")])
    assert table.header == ("Name", "Simple (17 questions)", "Complex (28 questions)")
    assert table.rows == (("trag-no-tree", "16 (94.1%)", "10 (45.5%)"), ("trag", "17 (100.0%)", "15 (68.2%)"))


def test_all_that_a_chart_gives_questions_about_are_questions_about_units() -> None:
    assert {*SIMPLE, *COMPLEX} == {*KINDS} - {"unanswerable"}
    table = tables.simple_and_complex([result(kind="siblings")])
    assert table.header[2] == "Complex (1 question)"
    assert "siblings" in table.note


def test_every_kind_has_a_row_and_what_is_undecided_shows() -> None:
    found = many([C, I, U], "trag", "document") + many([V, I], "trag", "count")
    table = tables.by_kind(found)
    assert table.header == ("Kind", "trag")
    assert table.rows == (("document (3 questions)", "1 of 2 (50.0%)"), ("count (2 questions)", "1 (50.0%)"))


def test_refusals_where_they_are_due_and_where_they_are_not() -> None:
    found = [
        result("a", C, kind="unanswerable", refuse=True, answer=CANNOT_ANSWER),
        result("b", I, kind="unanswerable", refuse=True),
        result("c", I, kind="unanswerable", refuse=True),
        result("d", I, answer="I could not find that in the documents."),
        result("e", I, answer="", interrupted="the model died"),
        result("f", C, status="cannot_answer", answer="I could not find who wrote it. It is 21 days."),
        result("g", I),
    ]
    assert tables.refusals(found).rows == (("trag", "3", "1 (33.3%)", "4", "2 (50.0%)"),)
    undecided = result("h", U, kind="unanswerable", refuse=True)
    assert tables.refusals([*found, undecided]).rows == (("trag", "4", "1 of 3 (33.3%)", "4", "2 (50.0%)"),)
    assert tables.refusals(found[3:]).rows == ()


WHOLE, NONE = {"precision": 1.0, "recall": 1.0}, {"precision": 0.0, "recall": 0.0}
REFUSED = {"verdict": I, "recall": 0.0, "status": "cannot_answer"}


@pytest.mark.parametrize(
    ("lists", "row"),
    [
        (
            [WHOLE, {"precision": 0.5, "recall": 1.0}, {"precision": 0.0, "recall": 0.0}, {}],
            "3, 0.500, 0.667, 1 (33.3%)",
        ),
        ([REFUSED] * 5 + [WHOLE] * 5, "10, 1.000, 0.500, 5 (50.0%)"),
        ([REFUSED] * 5, "5, -, 0.000, 0 (0.0%)"),
        ([{"recall": 1.0}, {"verdict": I, "recall": 0.5}], "2, -, 0.750, 0 of 1 (0.0%)"),
        ([{}], ""),
    ],
    ids=["as sets", "no unit named", "none named at all", "without a chart it may hold too much", "no list"],
)
def test_lists_are_compared_as_sets(lists: list[dict[str, Any]], row: str) -> None:
    found = [result(f"{number}", **one) for number, one in enumerate(lists)]
    assert tables.lists(found).rows == ((("trag", *row.split(", ")),) if row else ())


@pytest.mark.parametrize(
    ("groups", "row"),
    [
        (((C, V), (C, I), (C, I)), ("trag", "3", "1 (33.3%)")),
        (((C,), (C, U), (I, U)), ("trag", "3", "1 of 2 (50.0%)")),
    ],
    ids=["decided", "open while one is undecided and none is wrong"],
)
def test_a_group_of_paraphrases_is_right_when_all_of_it_is(
    groups: Sequence[Sequence[Verdict | None]], row: tuple[str, ...]
) -> None:
    found = [result(f"{n}-{of}", of, group=f"{n}") for n, group in enumerate(groups) for of in group]
    assert tables.groups([*found, result("none", I)]).rows == (row,)


@pytest.mark.parametrize(
    ("times", "row"),
    [
        ([4.0], ("1", "4.00", "4.00")),
        ([3.0, 1.0, 2.0, 10.0], ("4", "2.50", "10.00")),
        ([float(number) for number in range(20, 0, -1)], ("20", "10.50", "19.00")),
        ([float(number) for number in range(1, 22)], ("21", "11.00", "20.00")),
    ],
    ids=["one", "four", "twenty", "twenty-one"],
)
def test_seconds_are_told_as_median_and_95th_percentile(times: list[float], row: tuple[str, ...]) -> None:
    found = [result(str(number), seconds=time) for number, time in enumerate(times)]
    assert tables.seconds([*found, result("died", I, interrupted="the model died")]).rows == (("trag", *row),)


def test_a_report_leaves_out_the_tables_that_nothing_is_in() -> None:
    assert [table.title for table in tables.report([result(kind="document")])] == [
        "Overall", "By kind of question", "Seconds an answer takes",
    ]  # fmt: skip
    assert tables.report([]) == ()


# Compare


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (3, 3, 1.0),
        (5, 0, 2 / 32),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (6, 5, 1.0),
    ],
)
def test_the_exact_mcnemar_test(better: int, worse: int, p: float) -> None:
    assert isclose(mcnemar(better, worse), p)
    assert isclose(mcnemar(1100, 1000), 0.0307, rel_tol=0.01)
    assert mcnemar(3000, 0) < 1e-300, "also for thousands"


@pytest.mark.parametrize(
    ("some", "of", "low", "high"),
    [
        # By hand: z² = 3.8415; for 8 of 10 the middle is (0.8 + 0.19207) / 1.38415, the half 0.22654.
        (8, 10, 0.4902, 0.9433),
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_an_interval_is_that_of_wilson(some: int, of: int, low: float, high: float) -> None:
    assert wilson(some, of) == pytest.approx((low, high), abs=5e-5)


def test_runs_are_compared_question_by_question() -> None:
    before = [result(id, verdict) for id, verdict in zip("abcdefg", (I, I, C, C, V, U, I), strict=True)]
    after = [result(id, verdict, system="rag") for id, verdict in zip("abcdefh", (C, V, I, C, C, C, C), strict=True)]
    comparison = compare(before, after)
    assert [change.case.id for change in comparison.changed] == ["a", "b", "c", "e"]
    assert (comparison.better, comparison.worse, comparison.questions, comparison.unpaired) == (2, 1, 5, 3)
    assert comparison.p == 1.0
    table = tables.changes(comparison)
    assert table.rows[0] == ("c", "Question c?", "Correct", "Incorrect")
    assert "2 better, 1 worse: p = 1 (" in table.note
    reworded = replace(after[0], case=replace(after[0].case, question="Another?"))
    comparison = compare(before[:1], [reworded])
    assert (comparison.questions, comparison.unpaired, comparison.changed) == (0, 2, ())


def test_answers_of_two_systems_on_one_side_are_a_bug() -> None:
    with pytest.raises(ValueError, match="one system"):
        compare([result(system="rag"), result(system="trag")], [])


# What is given away


def test_markdown_is_a_table_whatever_the_cells_hold() -> None:
    table = Table("A <b>", ("x | y", "z"), (("line\nend <!-- off -->", "back\\|slash"),), "Note & more.")
    assert tables.markdown(table) == (
        "### A &lt;b>\n\n| x \\| y | z |\n| --- | --- |\n"
        "| line end &lt;!-- off --> | back\\\\\\|slash |\n\nNote &amp; more.\n"
    )


def test_csv_runs_nothing_in_a_spreadsheet_and_keeps_the_rest() -> None:
    table = Table("", ("a", "b"), (("=1+1", "0.5"), ("@SUM(A1)", 'say "x", y\nz')))
    rows = list(csv.reader(io.StringIO(tables.as_csv(table))))
    assert rows == [["a", "b"], ["'=1+1", "0.5"], ["'@SUM(A1)", 'say "x", y\nz']]


def test_a_run_is_exported_whole() -> None:
    run = Run(
        "1", "our cases", "a" * 64, ("trag",), datetime(2026, 11, 20, 17, 0, tzinfo=UTC), None, "f181fd0", MODEL, "", 2
    )
    found = [result("a", C, precision=0.25), result("b", U, answer="=HYPERLINK()")]
    text = tables.run_markdown(run, found)
    for part in ("## our cases (aaaaaaaaaaaa), 2026-11-20 17:00 UTC, commit f181fd0, small (000000000000), chart none",
                 "### Overall\n\n| Name | N |", "| trag | 1 | 1 | 0 | 0 | 1 | 100.0% | 1 |"):  # fmt: skip
        assert part in text
    values = json.loads(tables.run_json(run, found))
    assert values["run"]["started"] == "2026-11-20 17:00:00+00:00"
    assert values["tables"][0]["rows"] == [["trag", "1", "1", "0", "0", "1", "100.0%", "1"]]
    assert [one["score"]["verdict"] for one in values["results"]] == ["Correct", None]
    _, first, second = csv.reader(io.StringIO(tables.run_csv(found)))
    assert first == ["trag", "a", "simple", "Question a?", "An answer.", "Gold.", "Correct", "", "0.250", "", "1.00"]
    assert second[4] == "'=HYPERLINK()"
    assert second[6:8] == ["", "a reason"]
