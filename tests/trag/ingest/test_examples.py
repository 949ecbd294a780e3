"""What an admin types as example questions."""

import pytest

from trag.errors import TragError
from trag.ingest.pairs import LONGEST_EXAMPLE, example_questions


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
    assert (
        refused.value.message
        == "There are 21 questions; 20 are the most. Question 1 has 301 characters; 300 are the most."
    )
    assert refused.value.hint
