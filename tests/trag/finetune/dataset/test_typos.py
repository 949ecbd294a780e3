import re
from random import Random

import pytest

from trag.finetune.dataset.typos import plain, slips, typed


@pytest.mark.parametrize(
    "question",
    [
        "How many days do I have before the reimbursement lapses?",
        "who signs off a claim over 12,500 EUR",
        "QA?",
        "May the Übersetzungsdienst use forms DC-2 and DC-3?",
    ],
)
def test_what_is_asked_stays(question: str) -> None:
    told = re.findall(r"\d[\d,]*|\b[A-Z]{2,}\b", question)
    seen = {typed(question, Random(seed)) for seed in range(60)}
    assert len(seen) > 1, seen
    assert seen == {typed(question, Random(seed)) for seed in range(60)}
    for text in seen:
        assert re.findall(r"\d[\d,]*|\b[A-Z]{2,}\b", text) == told, text
        assert abs(len(text) - len(question)) < 25, text
        assert text.strip(" ?"), text


def test_all_ways_of_typing_it_but_a_slip_are_plainly_one_question() -> None:
    question = "May the QA desk use form DC-2?"  # no word in it that a finger could slip in
    assert {plain(typed(question, Random(seed))) for seed in range(60)} == {"may the qa desk use form dc 2"}
    assert plain("Hello, please, may the QA desk use form DC-2 thx") == plain(question)
    assert plain("Who may say please here?") == "who may say please here"


@pytest.mark.parametrize("question", ["Who approves travel abroad?", "Where does the pilots' office sit"])
def test_every_way_of_typing_it_is_plainly_the_question_or_one_of_its_slips(question: str) -> None:
    found = {plain(typed(question, Random(seed))) for seed in range(200)}
    assert len(found) > 15
    assert found <= {plain(question), *slips(question)}
