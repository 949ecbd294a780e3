import pytest

import prompts
from prompts import CANNOT_ANSWER
from trag.finetune.dataset.examples import Asked, Example
from trag.finetune.reranker.examples import listings
from trag.quote import Text

LEAVE = prompts.section(
    "4 Staff > 4.2 Leave > 4.2.1 Days",
    "Staff have 25 days of leave a year. A trainee has 20 days. Leave is asked for two weeks before.",
)
LOANS = prompts.pair("May a book be renewed?", "Yes. A book may be renewed twice, unless somebody waits for it.")


def example(*asked: tuple[str, str, str], passages: tuple[str, ...] = (LEAVE, LOANS)) -> Example:
    return Example("club", "the Club", (), passages, False, tuple(Asked(*one) for one in asked))


def test_a_section_is_read_by_its_sentences_and_a_short_pair_as_a_whole() -> None:
    (found,) = listings([example(("how many days off", CANNOT_ANSWER, "unanswerable"))])
    assert found.texts == (
        Text("4.2 Leave > 4.2.1 Days", "Staff have 25 days of leave a year."),
        Text("4.2 Leave > 4.2.1 Days", "A trainee has 20 days."),
        Text("4.2 Leave > 4.2.1 Days", "Leave is asked for two weeks before."),
        Text("May a book be renewed?", "Yes. A book may be renewed twice, unless somebody waits for it."),
    )
    assert found.answering == ()
    assert found.others == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("question", "answer", "answering"),
    [
        ("how much leave does a trainee get", "20 days.", (1,)),
        ("how early do i ask for leave", "Two weeks before.", (2,)),
        ("can i keep a book longer", "Yes, it may be renewed twice.", (3,)),
    ],
)
def test_the_text_that_holds_the_answer_answers(question: str, answer: str, answering: tuple[int, ...]) -> None:
    (found,) = listings([example((question, answer, "document"))])
    assert found.answering == answering, found
    assert not set(found.answering) & {*found.unsure, *found.others}


def test_nothing_is_learned_from_what_no_text_tells_and_from_the_chart() -> None:
    told = ("who founded the club", "Two railwaymen of Orvanne.", "document")
    placed = ("where is the board", "The Board is under the Club.", "simple")
    assert list(listings([example(told, placed)])) == []
    assert list(listings([example(("x", CANNOT_ANSWER, "unanswerable"), passages=())])) == []
