"""Rows of tables, said in sentences and read back."""

from __future__ import annotations

import pytest

from trag.words import Row, read_row, row_sentences


@pytest.mark.parametrize(
    ("table", "sentences"),
    [
        (
            (("Post", "Limit"), ("Director", "50,000 LMD"), ("Head", ""), ("", "")),
            ("Limits – Post: Director; Limit: 50,000 LMD.", "Limits – Post: Head."),
        ),
        ((("", ""), ("Seat:", "Oslo"), ("Founded", "")), ("Limits – Seat: Oslo.", "Limits – Founded.")),
        ((("Body", ""), ("Board", "meets\nyearly.")), ("Limits – Body: Board; meets, yearly.",)),
    ],
    ids=["with a header", "names and values", "a column without a name"],
)
def test_each_row_is_a_sentence_with_its_header(table: tuple[tuple[str, ...], ...], sentences: tuple[str, ...]) -> None:
    assert row_sentences(table, "Limits") == sentences


def test_a_long_row_is_said_in_sentences_that_each_name_it() -> None:
    header = ("Post", *(f"Duty {number}" for number in range(1, 21)))
    sentences = row_sentences((header, ("Director", *["reads, writes and reckons " * 4] * 20)), "Duties")
    assert len(sentences) == 4
    assert all(sentence.startswith("Duties – Post: Director; Duty ") for sentence in sentences)
    assert max(map(len, sentences)) < 1000
    assert [f"Duty {number}: " in " ".join(sentences) for number in range(1, 21)] == [True] * 20


def test_a_row_under_a_group_and_a_header_of_years_reads_well() -> None:
    table = (("", "Post", "2025", "2026"), ("Field", "Head", "10", "12"))
    assert row_sentences(table, "Limits (in LMD)") == ("Limits (in LMD) – Field; Post: Head; 2025: 10; 2026: 12.",)


@pytest.mark.parametrize(
    ("sentence", "row"),
    [
        ("Fees – Class: Trade; Water: 1.74.", Row("Fees", (("Class", "Trade"), ("Water", "1.74")))),
        ("Limits – Field; Post: Head; 2025: 10.", Row("Limits", (("", "Field"), ("Post", "Head"), ("2025", "10")))),
        ("Leave – Case: a death; a funeral; Days: 5", Row("Leave", (("Case", "a death; a funeral"), ("Days", "5")))),
        ("Opening – Day: Monday; From: 9:30.", Row("Opening", (("Day", "Monday"), ("From", "9:30")))),
        ("Chapter 1 – Fees – No.: A; Fee: 5.", Row("Chapter 1 – Fees", (("No.", "A"), ("Fee", "5")))),
        ("Opening – Day: Monday – Friday; From: 9.", Row("Opening", (("Day", "Monday – Friday"), ("From", "9")))),
        ("Note – it opens at noon: bring a bag; no dogs.", None),
        ("The board – it meets twice: once in May, once in June.", None),
        ("Limits – Post: Head.", None),
        ("A list:\n- Fees – Class: Trade; Water: 1.74.", None),
    ],
    ids=[
        "a row",
        "a group",
        "a semicolon",
        "a time",
        "a dash above",
        "a dash within",
        "a sentence",
        "a dash",
        "one cell",
        "a list",
    ],
)
def test_what_a_sentence_says_as_a_row(sentence: str, row: Row | None) -> None:
    assert read_row(sentence) == row
