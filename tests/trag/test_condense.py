"""What a follow-up is read as, by what a scripted model makes of it."""

import threading

import pytest

from prompts import CANNOT_ANSWER
from tests.scripted import Scripted
from trag.condense import Turn, standalone

HISTORY = (Turn("How long is sick leave paid?", "In full\nfor six weeks."), Turn("And for a trainee?", CANNOT_ANSWER))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("How long is parental leave?", "How long is parental leave?"),
        ("How long is sick leave paid?", "How long is sick leave paid?"),
        ("", "and parental leave?"),
        (CANNOT_ANSWER, "and parental leave?"),
        ("In full for six weeks.", "and parental leave?"),
    ],
    ids=["made to stand alone", "an earlier question again", "nothing", "a refusal", "an earlier answer"],
)
def test_a_follow_up_is_what_the_model_makes_of_it_unless_that_is_an_answer(written: str, read: str) -> None:
    model = Scripted("never asked", condense=written)
    assert standalone("and parental leave?", HISTORY, model, threading.Event()) == read


def test_a_question_without_a_history_is_asked_as_it_is() -> None:
    model = Scripted("never asked", condense="something else")
    assert standalone("and parental leave?", (), model, threading.Event()) == "and parental leave?"
