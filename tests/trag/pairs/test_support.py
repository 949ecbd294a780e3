import pytest

from trag.pairs.support import source, stands_in

TEXT = (
    "The board has seven directors. A director serves for two years. The chair may not be a member of staff. "
    "Claims are sent to the Finance Office within 30 days, or 40 days from abroad."
)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("How many directors are there?", "The board has seven directors.", "The board has seven directors."),
        ("How many directors does the board have?", "Seven.", "The board has seven directors."),
        ("How many directors does the board have?", "7", "The board has seven directors."),
        ("May the chair be on the staff?", "No, the chair may not be a member of staff.",
         "The chair may not be a member of staff."),
        ("May the chair be a member of staff?", "No.", "The chair may not be a member of staff."),
        ("Where do claims go?", "To the Finance Office.",
         "Claims are sent to the Finance Office within 30 days, or 40 days from abroad."),
        ("What of the board?", "It has seven directors, who serve for two years.",
         "The board has seven directors. A director serves for two years."),
        ("How many directors does the board have?", "The board has eight directors.", ""),
        ("May the chair be a member of staff?", "Yes.", ""),
        ("May the chair be on the staff?", "Yes, the chair may be a member of staff.", ""),
        ("Where do claims go?", "To the Audit Office within 30 days.", ""),
        ("How soon do claims go to the Finance Office?", "Within 45 days.", ""),
        ("How many wards has the hospital?", "Seven.", ""),
        ("Who is it?", "The president of the republic decides it in the spring.", ""),
        ("Who?", "...", ""),
    ],
)  # fmt: skip
def test_the_sentences_that_bear_an_answer_out(question: str, answer: str, expected: str) -> None:
    assert source(question, answer, TEXT) == expected


def test_a_short_answer_may_stand_under_the_heading_that_its_question_names() -> None:
    assert source("How often does the Audit Committee meet?", "Five times a year.", "Five times a year.") == ""
    heading = "Meetings of the Audit Committee"
    assert source("How often does the Audit Committee meet?", "Five times a year.", "Five times a year.", heading)


def test_spaces_make_no_difference_to_what_stands_in_a_text() -> None:
    assert stands_in("A director  serves\nfor two years.", TEXT)
    assert not stands_in("A director serves for three years.", TEXT)
    assert not stands_in(" ", TEXT)
