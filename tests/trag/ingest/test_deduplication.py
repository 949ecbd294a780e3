import random
import time

import pytest

from trag.ingest.pairing import distinct
from trag.ingest.pairs import GeneratedPair


def pair(question: str, answer: str = "The board has seven directors.") -> GeneratedPair:
    return GeneratedPair(question, answer, "short answer", "1 Board", None, answer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pair("How many directors does the board have?"), pair("How many directors does the board have?")),
        (pair("How many directors does the board have?"), pair("how many directors does the Board have")),
        (pair("How many directors does the board have?"), pair("How many directors has the board?")),
        (
            pair("When do members of the board leave?", "They leave after two years."),
            pair("When do the members of the board leave?", "They leave after two years"),
        ),
    ],
    ids=["same", "case", "form", "article"],
)
def test_of_pairs_that_say_the_same_the_first_is_kept(one: GeneratedPair, other: GeneratedPair) -> None:
    assert distinct([one, other]) == (one,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pair("Who elects the board?"), pair("Who dismisses the board?")),
        (pair("What is the fee for 5 days?"), pair("What is the fee for 6 days?")),
        (pair("What is the quorum?", "The quorum is three."), pair("What is the quorum?", "The quorum is five.")),
        (pair("What is the quorum?", "Four directors."), pair("What is the quorum?", "A tenth of the members.")),
        (pair("May the chair vote?", "The chair may vote."), pair("May the chair vote?", "The chair may not vote.")),
        (pair("Who may vote?", "All may vote."), pair("Who may not vote?", "All may vote.")),
    ],
    ids=["verb", "number", "number in the answer", "answer", "not in the answer", "not"],
)
def test_pairs_that_differ_in_what_matters_are_kept(one: GeneratedPair, other: GeneratedPair) -> None:
    assert distinct([one, other]) == (one, other)


def test_rows_that_differ_in_one_word_are_kept() -> None:
    rows = [
        pair(f"On call, {which} on call: what is the pay?", f"On call – Kind: {which} on call; Pay: an hour.")
        for which in ("first", "second", "third")
    ]
    limits = [pair(f"{which} £250,000: who approves?", f"Approval – {which} £250,000.") for which in ("Up to", "Above")]
    assert distinct([*rows, *limits]) == (*rows, *limits)


@pytest.mark.slow
def test_the_pairs_of_a_large_document_take_seconds() -> None:
    chance = random.Random(4)
    words = [
        f"{chance.choice('bcdfglmnprst')}{chance.choice('aeiou')}{number}x".translate(
            str.maketrans("0123456789", "abcdefghij")
        )
        for number in range(3000)
    ]
    pairs = [pair(f"How often does the {' '.join(chance.sample(words, 5))} go to the board?") for _ in range(20_000)]
    started = time.monotonic()
    assert len(distinct(pairs)) > 19_000
    assert time.monotonic() - started < 20
