"""Pairs that people give in JSON lines or a CSV file, with everything that is wrong in one, and example questions."""

import csv
import io
import json
from contextlib import nullcontext

import pytest

from org.reading.cells import guard
from trag.errors import TragError
from trag.ingest.pairs import LONGEST_EXAMPLE, GivenPair, example_questions, read_pairs

GOOD = {"question": "Who?", "answer": "The board.", "type": "short_answer", "document": "a.md", "section": "1 A"}


def lines(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def test_pairs_are_read_with_their_line_and_other_fields_are_left_alone() -> None:
    first, second = read_pairs(
        lines(GOOD, "", GOOD | {"type": "Fill in the Blank", "answer": " two\u00a0words ", "extra": 1}), "p.jsonl"
    )
    assert first == GivenPair("Who?", "The board.", "short answer", "a.md", "1 A", 1)
    assert first.direct
    assert (second.type, second.answer, second.line, second.direct) == ("fill in the blank", "two words", 3, False)


def test_every_bad_line_is_told_at_once() -> None:
    with pytest.raises(TragError) as caught:
        read_pairs(
            lines(
                GOOD,
                "{not json",
                [1],
                GOOD | {"answer": "", "section": 4},
                GOOD | {"answer": "\u200b", "section": None},
                GOOD | {"type": "riddle"},
                GOOD | {"question": "x" * 4_001},
                "[" * 100_000,
            ),
            "pairs\n.jsonl",
        )
    message = caught.value.message
    assert message.startswith("pairs�.jsonl has lines that are no question-answer pairs: line 2 not JSON (")
    for part in (
        "line 3 not an object but list",
        "lines 4-5 without text in answer, section",
        "line 6 unknown type 'riddle'",
        "line 7 more than 4,000 characters in question",
        "line 8 not JSON",
    ):
        assert part in message
    assert "\n" not in message


def test_what_is_known_of_a_pair_is_read_and_what_is_not_known_is_told() -> None:
    more = {"state": "review", "origin": "model", "page": 3, "source": "The board\nsits."}
    first, second = read_pairs(lines(GOOD | more, GOOD | {"state": None, "page": None, "source": ""}), "p.jsonl")
    assert (first.state, first.origin, first.page, first.source) == ("review", "model", 3, "The board\nsits.")
    assert (second.state, second.origin, second.page, second.source) == (None, None, None, "")
    with pytest.raises(TragError) as caught:
        read_pairs(lines(GOOD | {"state": "done", "page": 0}, GOOD | {"source": ["x"]}), "p.jsonl")
    assert (
        "line 1 unknown state 'done' (known: made, approved, review, deleted), unknown page '0'" in caught.value.message
    )
    assert "line 2 neither text nor a number in source" in caught.value.message


@pytest.mark.parametrize(
    ("said", "page"), [(3, 3), (3.0, 3), ("3.0", 3), ("12", 12), (3.5, None), (float("nan"), None), ("0.0", None)]
)
def test_a_whole_number_is_a_page_however_a_program_writes_it(said: object, page: int | None) -> None:
    with nullcontext() if page else pytest.raises(TragError, match="unknown page"):
        assert read_pairs(lines(GOOD | {"page": said}), "p.jsonl")[0].page == page


def test_a_document_is_named_as_it_shows_however_it_is_spelt() -> None:
    (found,) = read_pairs(lines(GOOD | {"document": " U\u0308ber\u00adsicht.pdf"}), "p.jsonl")
    assert found.document == "Übersicht.pdf"


@pytest.mark.parametrize("content", [b"", b"\n \n"], ids=["empty", "blank lines"])
def test_a_file_without_pairs_is_an_error(content: bytes) -> None:
    with pytest.raises(TragError, match="holds no question-answer pair"):
        read_pairs(content, "p.jsonl")


HEADER = ("question", "answer", "type", "document", "section")
CELLS = ("Who?", "The board.", "short answer", "a.md", "1 A")


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
    formula = ("=SUM(A1)", '\'-1, or\n+2; "three"', *CELLS[2:])
    first, second = read_pairs(table(HEADER, CELLS, formula, delimiter=delimiter, before=before), "p.CSV")
    at = 3 if before else 2
    assert (first, second) == (GivenPair(*CELLS, line=at), GivenPair(*formula, line=at + 1))


def test_columns_stand_in_any_order_under_any_case_and_others_are_left_alone() -> None:
    header = ("State", " PAGE", "Origin", "source", "colour", *HEADER)
    (found,) = read_pairs(table(header, ("Review", "7", "model", "The board sits.", "red", *CELLS)), "p.csv")
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
            table(HEADER, CELLS, ("Who?", "", "short answer", "a.md", ""), ("a\nb", "c", "riddle", "a.md", "1")),
            "line 3 without text in answer, section; line 4 unknown type 'riddle'",
        ),
        (table(HEADER, ("a\nb", *CELLS[1:]), (*CELLS, "x")), "line 4 more cells than there are columns"),
        (table(HEADER, CELLS) + b'"Who', "line 3 is not closed or too long"),
        (
            table((*HEADER, "state", "page", "origin"), (*CELLS, "done", "-1", "me"), (*CELLS, "made", "0", "rule")),
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


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("", ()),
        (" \r\n\r\n ", ()),
        ("Who signs?\r\nWhen is\u202e  it due?\n\nWho signs?\n", ("Who signs?", "When is it due?")),
        ("Wer\u2028Wo?", ("Wer", "Wo?")),
    ],
    ids=["nothing", "empty lines", "lines of a browser, a mark that turns text round, one twice", "odd line ends"],
)
def test_a_line_is_a_question(text: str, questions: tuple[str, ...]) -> None:
    assert example_questions(text, 20) == questions


def test_everything_that_is_wrong_is_said_at_once() -> None:
    lines = [f"Question {number}?" for number in range(20)]
    assert len(example_questions("\n".join(lines), 20)) == 20
    with pytest.raises(TragError) as refused:
        example_questions("\n".join(["w" * (LONGEST_EXAMPLE + 1), *lines]), 20)
    said = "There are 21 questions; 20 are the most. Question 1 has 301 characters; 300 are the most."
    assert refused.value.message == said
    assert refused.value.hint
