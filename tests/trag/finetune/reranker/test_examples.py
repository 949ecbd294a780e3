import pytest

from store.passage import Passage
from trag.evaluate.cases import Case
from trag.finetune.reranker.training import listings

LEAVE = Passage(
    "1",
    "section",
    "staff.md",
    "4 Staff > 4.2 Leave > 4.2.1 Days",
    None,
    "Staff have 25 days of leave a year. A trainee has 20 days. Leave is asked for two weeks before.",
)
LOANS = Passage(
    "2", "section", "library.md", "Loans", None, "A book may be renewed twice, unless somebody waits for it."
)


def case(question: str, answer: str, *, document: str = "staff.md", section: str = "4.2.1 Days") -> Case:
    refuse = not answer
    kind = "unanswerable" if refuse else "document"
    return Case("1", question, kind, answer, refuse=refuse, document=document, section=section)


def test_a_section_is_read_line_by_line_under_its_last_headings() -> None:
    (found,) = listings([case("how many days off", "")], (LEAVE, LOANS))
    assert found.texts == (
        "4.2 Leave > 4.2.1 Days: Staff have 25 days of leave a year.",
        "4.2 Leave > 4.2.1 Days: A trainee has 20 days.",
        "4.2 Leave > 4.2.1 Days: Leave is asked for two weeks before.",
        "Loans: A book may be renewed twice, unless somebody waits for it.",
    )
    assert found.answering == ()
    assert found.others == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("asked", "answering"),
    [
        (case("how much leave does a trainee get", "20 days."), (1,)),
        (case("how early do i ask for leave", "Two weeks before."), (2,)),
        (
            case("can i keep a book longer", "Yes, it may be renewed twice.", document="library.md", section="Loans"),
            (0,),
        ),
    ],
    ids=["one of two figures", "another sentence", "another section"],
)
def test_the_text_that_holds_the_answer_answers(asked: Case, answering: tuple[int, ...]) -> None:
    (found,) = listings([asked], (LEAVE, LOANS))
    assert found.answering == answering, found
    assert not set(found.answering) & {*found.unsure, *found.others}


def test_nothing_is_learned_from_what_no_text_tells_and_from_the_chart() -> None:
    told = case("who founded the club", "Two railwaymen of Orvanne.")
    placed = Case("2", "where is the board", "simple", "The Board is under the Club.")
    assert list(listings([told, placed], (LEAVE, LOANS))) == []
