"""Pairs in a CSV file as spreadsheets write it, and everything that is wrong with one."""

import csv
import io

import pytest

from org.reading.cells import guard
from trag.errors import TragError
from trag.ingest.pairs import read_pairs

HEADER = ("question", "answer", "type", "document", "section")
GOOD = ("Who?", "The board.", "short answer", "a.md", "1 A")


def table(*rows: tuple[str, ...], delimiter: str = ",", before: str = "") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows([guard(cell) for cell in row] for row in rows)
    return (before + text.getvalue()).encode("utf-8-sig")


@pytest.mark.parametrize(
    ("delimiter", "before"),
    [(",", ""), (";", ""), ("\t", ""), (";", "sep=;\r\n")],
    ids=["comma", "semicolon", "tab", "sep"],
)
def test_rows_are_read_whatever_stands_between_their_cells(delimiter: str, before: str) -> None:
    formula = ("=SUM(A1)", '\'-1, or\n+2; "three"', *GOOD[2:])
    first, second = read_pairs(table(HEADER, GOOD, formula, delimiter=delimiter, before=before), "p.CSV")
    assert (first.question, first.answer, first.type, first.document, first.section) == GOOD
    assert (first.state, first.origin, first.page, first.source) == (None, None, None, "")
    assert (second.question, second.answer) == formula[:2]
    assert [first.line, second.line] == ([3, 4] if before else [2, 3])


def test_columns_stand_in_any_order_under_any_case_and_others_are_left_alone() -> None:
    header = ("State", " PAGE", "Origin", "source", "colour", *HEADER)
    (found,) = read_pairs(table(header, ("Review", "7", "model", "The board sits.", "red", *GOOD)), "p.csv")
    assert (found.state, found.page, found.origin, found.source) == ("review", 7, "model", "The board sits.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            table(("question", "Question", "answer")),
            'no "type", no "document", no "section", "question" twice among the columns in line 1',
        ),
        (b"", 'no "question", no "answer", no "type", no "document", no "section"'),
        (table(HEADER), "p.csv holds no question-answer pair"),
        (
            table(HEADER, GOOD, ("Who?", "", "short answer", "a.md", ""), ("a\nb", "c", "riddle", "a.md", "1")),
            "line 3 without text in answer, section; line 4 unknown type 'riddle'",
        ),
        (table(HEADER, ("a\nb", *GOOD[1:]), (*GOOD, "x")), "line 4 more cells than there are columns"),
        (table(HEADER, GOOD) + b'"Who', "line 3 is not closed or too long"),
        (
            table((*HEADER, "state", "page", "origin"), (*GOOD, "done", "-1", "me"), (*GOOD, "made", "0", "rule")),
            "line 2 unknown state 'done' (known: made, approved, review, deleted), unknown origin 'me'",
        ),
    ],
    ids=["columns", "empty", "no pair", "rows", "a cell of two lines", "open quotation", "values"],
)
def test_everything_that_is_wrong_is_told_at_once_by_its_line(content: bytes, said: str) -> None:
    with pytest.raises(TragError) as caught:
        read_pairs(content, "p.csv")
    assert said in caught.value.message
    assert caught.value.message.startswith("p.csv")
    assert caught.value.hint
