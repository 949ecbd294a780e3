"""What a question in another language is searched by, by what a scripted model makes of it."""

import threading

import pytest

from tests.scripted import Scripted
from trag.translate import in_english


@pytest.mark.parametrize(
    ("written", "searched"),
    [
        ("How long is sick leave paid?", "How long is sick leave paid?"),
        ("  How long?\nIn German: Wie lange?", "How long?"),
        ("", "Wie lange bekomme ich Lohn?"),
    ],
    ids=["in English", "the first line of more", "nothing"],
)
def test_a_question_is_searched_in_the_english_that_the_model_makes_of_it(written: str, searched: str) -> None:
    model = Scripted("never asked", english=written)
    assert in_english("Wie lange bekomme ich Lohn?", model, stop=threading.Event()) == searched


def test_a_question_that_was_stopped_stays_as_it_is() -> None:
    stop = threading.Event()
    stop.set()
    assert in_english("Wie lange?", Scripted("never asked", english="How long?"), stop=stop) == "Wie lange?"
