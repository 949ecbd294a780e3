"""Quotations picked by the real encoder."""

import pytest

from store.vectors import Passage
from trag import quote
from trag.embed import Embedder, open_embedder

TRAVEL = Passage(
    "travel", "section", "rules.md", "5 Travel > 5.2 Meals", None,
    "Meals on a journey are paid up to 40 LMD a day. Receipts are handed in within ten days. "
    "The form is signed by:\n- the traveller\n- the head of unit\n\nIt is kept for six years.",
)  # fmt: skip
GIFTS = Passage("gifts", "section", "rules.md", "6 Gifts", None, "Gifts are declared to the Ethics Office.")
PAIR = Passage("pair", "qa", "rules.md", "6 Gifts", None, "Yes, within ten days.", "Must a gift be declared?")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder("")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "expected", "source"),
    [
        (
            "how much does the foundation pay for meals when I travel",
            "Meals on a journey are paid up to 40 LMD a day.",
            "travel",
        ),
        ("who signs the form", "The form is signed by:\n- the traveller\n- the head of unit", "travel"),
        ("how long is the form kept", "It is kept for six years.", "travel"),
        ("do i have to declare gifts", "Yes, within ten days.", "pair"),
    ],
)
def test_the_sentence_that_answers_is_quoted_with_its_source(
    question: str, expected: str, source: str, embedder: Embedder
) -> None:
    vector = embedder.embed_questions([question])[0]
    quoted = quote.best(question, [TRAVEL, GIFTS, PAIR], embedder.embed_passages, vector)
    assert expected in quoted[0].text, quoted
    assert quoted[0].source == source
    assert len(quoted) <= 2


@pytest.mark.slow
def test_nothing_is_quoted_that_does_not_hold_what_is_asked_for(embedder: Embedder) -> None:
    question = "what is the phone number of the ethics office"
    vector = embedder.embed_questions([question])[0]
    assert quote.best(question, [TRAVEL, GIFTS, PAIR], embedder.embed_passages, vector) == ()
    assert quote.best(question, [], embedder.embed_passages, vector) == ()


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("what does a ticket cost", "A ticket costs £12.", True),
        ("what does a ticket cost", "Tickets are sold at the desk.", False),
        ("how often does the board meet", "The board meets four times a year.", True),
        ("how often does the board meet", "The board meets in the hall.", False),
        ("how many members are there", "There are five members.", True),
        ("how many members are there", "Members are elected.", False),
        ("who chairs the board", "A trustee does.", True),
    ],
)
def test_holds(question: str, text: str, fits: bool) -> None:
    assert quote.holds(question, text) is fits
