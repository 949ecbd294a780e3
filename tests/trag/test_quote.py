"""Quotations picked by the real encoder."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from store.passage import Passage
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


@pytest.mark.slow
def test_words_that_may_not_stand_give_way_to_the_next_best(embedder: Embedder) -> None:
    question = "how much does the foundation pay for meals when I travel"
    vector = embedder.embed_questions([question])[0]
    passages = [TRAVEL, GIFTS, PAIR]
    first, *_ = quote.best(question, passages, embedder.embed_passages, vector)
    quoted = quote.best(question, passages, embedder.embed_passages, vector, stands=lambda text: text != first.text)
    assert first.text not in [one.text for one in quoted]
    assert quote.best(question, passages, embedder.embed_passages, vector, stands=lambda text: False) == ()


@pytest.mark.slow
def test_what_is_weighed_high_is_quoted_first_and_known_for_sure_or_doubtful(embedder: Embedder) -> None:
    question = "is the form kept"
    vector = embedder.embed_questions([question])[0]

    def quoted(odds: float) -> tuple[quote.Quoted, ...]:
        def weigh(asked: str, texts: Sequence[quote.Text]) -> np.ndarray:
            assert asked == question
            return np.array([odds if "Ethics Office" in text.words else -odds for text in texts])

        return quote.best(question, [TRAVEL, GIFTS, PAIR], embedder.embed_passages, vector, weigh)

    sure, even = quoted(20.0)[0], quoted(0.5)[0]
    assert (sure.text, sure.odds, sure.is_sure, sure.is_doubtful) == (GIFTS.text, 20.0, True, False)
    assert (even.source, even.odds, even.is_sure, even.is_doubtful) == ("travel", -0.5, False, False)
    assert quote.Quoted("x", "a", 0.9, odds=-1.5).is_doubtful
    assert quote.Quoted("x", "a", 0.76).is_sure
    assert not quote.Quoted("x", "a", 0.74).is_sure


@pytest.mark.slow
def test_of_the_best_texts_the_one_is_quoted_after_which_the_question_is_likeliest(embedder: Embedder) -> None:
    question = "is the form kept"
    vector = embedder.embed_questions([question])[0]
    read: list[quote.Text] = []

    def likely(asked: str, texts: Sequence[quote.Text]) -> np.ndarray:
        assert asked == question
        read.extend(texts)
        return np.array([-2.0 if "six years" in text.words else -9.0 for text in texts])

    passages = [TRAVEL, TRAVEL, GIFTS, PAIR]
    plain = quote.best(question, passages, embedder.embed_passages, vector)
    quoted = quote.best(question, passages, embedder.embed_passages, vector, likely=likely)
    assert "six years" in quoted[0].text
    assert "six years" not in plain[0].text
    assert len(read) == len(set(read)), "a text was read twice"
    alike = quote.best(
        question, passages, embedder.embed_passages, vector, likely=lambda _, texts: -np.ones(len(texts))
    )
    assert alike == plain


def test_a_passage_is_as_strong_as_its_likeliest_text_and_each_text_is_read_once() -> None:
    read: list[quote.Text] = []

    def weigh(asked: str, texts: Sequence[quote.Text]) -> np.ndarray:
        assert asked == "?"
        read.extend(texts)
        return np.array([float(len(text.words)) for text in texts])

    once = quote.once(weigh)
    empty = replace(GIFTS, text="")
    longest = float(max(len(text.words) for text in quote.texts(TRAVEL)))
    for _ in range(2):
        assert quote.strengths("?", [TRAVEL, empty, GIFTS], once).tolist() == [longest, -np.inf, float(len(GIFTS.text))]
    assert read == [*quote.texts(TRAVEL), *quote.texts(GIFTS)]


@pytest.mark.parametrize(
    ("question", "answer", "text", "leaves_out"),
    [
        ("how long does a lecturer teach", "Nine hours.", "A professor teaches eight hours, a lecturer twelve.", True),
        ("how long does a lecturer teach", "Eight and twelve.", "A professor eight hours, a lecturer twelve.", False),
        ("who needs 8 hours", "A professor.", "A professor teaches eight hours.", False),
        ("who signs", "The Head.", "The Head signs.", False),
        ("how long is the trial", "Six months.", "(3) The trial lasts six months.", False),
        ("who signs for the Dean", "The Head.", "Powers – Post: Dean; Signs: Head; Reads: Rector.", True),
        ("when is it open", "At noon.", "Note – it opens at noon: bring a bag; no dogs.", False),
    ],
    ids=["another value", "all of them", "asked", "no value", "a clause", "row", "no row"],
)
def test_an_answer_leaves_out_what_else_the_words_hold(question: str, answer: str, text: str, leaves_out: bool) -> None:
    assert quote.leaves_out(question, answer, text) is leaves_out


def test_a_short_answer_of_a_pair_is_quoted_whole_and_a_long_one_by_its_sentences() -> None:
    assert quote.texts(PAIR) == (quote.Text("Must a gift be declared?", "Yes, within ten days."),)
    long = replace(PAIR, text="It is declared at once. " * 20)
    assert len(quote.texts(long)) == 20
    assert {text.heading for text in quote.texts(TRAVEL)} == {"5 Travel > 5.2 Meals"}


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("It is kept. It is read. Boards meet.", ("It is kept.", "It is kept. It is read.", "Boards meet.")),
        (
            "Signed by:\n- the head\n- the clerk\n\nIt is kept.",
            ("Signed by:\n- the head\n- the clerk", "the head", "the clerk", "It is kept."),
        ),
        ("You may when\n\n- asked\n\nNot else.", ("You may when\n- asked", "asked", "Not else.")),
        ("In order:\n1. Ask.\n2. Wait.", ("In order:\n1. Ask.\n2. Wait.", "1. Ask.", "2. Wait.")),
        (
            "(1) Boards meet. They vote.\n(2) Clerks:\n- write\n(3) It ends.",
            ("(1) Boards meet.", "(1) Boards meet. They vote.", "(2) Clerks:\n- write", "write", "(3) It ends."),
        ),
        ("These are paid:\n\nFees – A: 1; B: 2.", ("These are paid:", "Fees – A: 1; B: 2.")),
        (
            "Guests are paid up to\n\n    5 here\n    9 abroad\n\nfor all. No more.",
            ("Guests are paid up to\n5 here\n9 abroad", "5 here", "9 abroad", "for all.", "No more."),
        ),
        ("Any:\n- " + "x" * 600, ("Any:", "x" * 600)),
        ("", ()),
    ],
    ids=["leans back", "list", "no colon", "numbered", "clauses", "rows", "no marks", "too long", "empty"],
)
def test_a_sentence_stands_with_what_it_needs_to_be_understood(text: str, windows: tuple[str, ...]) -> None:
    assert quote.windows(text) == windows


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("what does a ticket cost", "A ticket costs £12.", True),
        ("what does a ticket cost", "Tickets are sold at the desk.", False),
        ("what does lunch cost", "Lunch is 12 crowns.", True),
        ("how much is the daily allowance", "The daily allowance is Rs. 500 per day.", True),
        ("how much is the daily allowance", "It is ₹ 500.", True),
        ("how much is the daily allowance", "It is 250 kr.", True),
        ("how much is the daily allowance", "It is twelve birr.", True),
        ("what does a pool ticket cost", "Free for residents.", True),
        ("what is the phone number of the desk", "In danger, dial 112.", True),
        ("what is the phone number of the desk", "The desk: 4417", True),
        ("what is the phone number of the desk", "Call 01.23.45.67.89.", True),
        ("what is the phone number of the desk", "Call +49 (0)30 1234.", True),
        ("what is the phone number of the desk", "It opens within 10 days, in room 12.", False),
        ("what does lunch cost", "The marks of the kitchen hang in its hall.", False),
        ("how often does the board meet", "The board meets four times a year.", True),
        ("how often does the board meet", "The board meets in the hall.", False),
        ("how many members are there", "There are five members.", True),
        ("how many members are there", "Members are elected.", False),
        ("who chairs the board", "A trustee does.", True),
    ],
)
def test_holds(question: str, text: str, fits: bool) -> None:
    assert quote.holds(question, text) is fits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("year", "quoted"), [("2024", ["Elections – Year: 2024; Voted: 691; Candidates: 11."]), ("2022", [])]
)
def test_a_row_of_another_year_is_no_answer(year: str, quoted: list[str], embedder: Embedder) -> None:
    told = "Elections – Year: 2024; Voted: 691; Candidates: 11.\nElections – Year: 2023; Voted: 702; Candidates: 14."
    votes = Passage("votes", "section", "votes.md", "Elections", None, told)
    question = f"how many people voted in the {year} election"
    vector = embedder.embed_questions([question])[0]
    found = quote.best(question, [votes], embedder.embed_passages, vector)
    assert [one.text for one in found] == quoted
