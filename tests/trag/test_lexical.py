"""Rows of tables, said in sentences and read back."""

from __future__ import annotations

import pytest

from trag.lexical import negated, numbers, sentences, stems
from trag.table_rows import Row, read_row, row_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One sentence.", ["One sentence."]),
        ("First. Second? Third!", ["First.", "Second?", "Third!"]),
        ("See art. 5 of the manual. Then go.", ["See art. 5 of the manual.", "Then go."]),
        ("The limit is 2.5 million. It holds.", ["The limit is 2.5 million.", "It holds."]),
        ("The units are:\n- Alpha\n- Beta", ["The units are:", "Alpha", "Beta"]),
        ("1. Sign. 2. Send.", ["1. Sign.", "2. Send."]),
        (
            "It is Rs. 500 per day. Ring Tel. 4417 or ext. 12. See Fig. 3.",
            ["It is Rs. 500 per day.", "Ring Tel. 4417 or ext. 12.", "See Fig. 3."],
        ),
        ("Hon. Justice Rao sits. Capt. Mori sails.", ["Hon. Justice Rao sits.", "Capt. Mori sails."]),
        ("Yes. 5 days. Ask HR. 3 copies.", ["Yes.", "5 days.", "Ask HR.", "3 copies."]),
        ("أين المكتب؟ هنا.", ["أين المكتب؟", "هنا."]),
        ("  \n ", []),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30,000 LMD", {30_000}),
        ("40k and 1.5 million", {40_000, 1_500_000}),
        ("twenty-one members, of whom five", {21, 5}),
        ("fifteen", {15}),
        ("one of them", set()),
        ("section 4.2", {4.2}),
        ("12 000 words", {12_000}),
        ("1,50,000 and 12,34,56,789.50", {150_000, 123_456_789.5}),
        ("Rs.1,50,000, INR2,500 and Rs.500", {150_000, 2_500, 500}),
        ("rooms 1,2,300", {1, 2, 300}),
        ("form C1, 2 June 2024", {2, 2024}),
        ("June 2 2024", {2, 2024}),
        ("1.2.3 and .5", {1.2}),
        ("no figure", set()),
    ],
    ids=lambda value: str(value)[:20],
)
def test_numbers_read_figures_and_words(text: str, expected: set[float]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.500,50 €", "de", {1500.5}),
        ("1 500,50 €", "fr", {1500.5}),
        ("am 28.11.2026 um 9.30", "de", {28, 11, 2026, 9, 30}),
        ("1,500.50", "en", {1500.5}),
        ("1,500.50", "zz", {1500.5}),
    ],
)
def test_figures_are_read_as_the_language_writes_them(text: str, language: str, expected: set[float]) -> None:
    assert numbers(text, language) == expected


def test_stems_drop_what_says_nothing_and_keep_the_rest() -> None:
    assert stems("The Committee's members are elected by the Boards") == stems("committee member elects board")
    assert not stems("it is what it was")


@pytest.mark.parametrize(
    ("text", "denies"), [("It does not sit there.", True), ("It doesn't.", True), ("A notable note.", False)]
)
def test_negated(text: str, denies: bool) -> None:
    assert negated(text) is denies


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
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_sentence_says_as_a_row(sentence: str, row: Row | None) -> None:
    assert read_row(sentence) == row
