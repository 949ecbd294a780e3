from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from store.library import Origin, Pair, State
from trag.finetune.dataset.from_pairs import ENOUGH, is_vouched_for, worth_learning

PAIR = Pair("0", "travel.md", "Claims", None, "How soon?", "Within 30 days.", "short answer", "rule")


def pairs(number: int, origin: Origin, state: State, *, searched: bool = True) -> list[Pair]:
    return [
        replace(PAIR, id=f"{origin} {state} {each}", origin=origin, state=state, searched=searched)
        for each in range(number)
    ]


@pytest.mark.parametrize(
    ("origin", "state", "expected"),
    [
        ("given", "made", True),
        ("rule", "made", False),
        ("model", "made", False),
        ("rule", "approved", True),
        ("person", "approved", True),
        ("given", "review", False),
        ("given", "deleted", False),
    ],
)
def test_somebody_vouches_for_what_was_given_written_or_approved(origin: Origin, state: State, expected: bool) -> None:
    assert is_vouched_for(pairs(1, origin, state)[0]) is expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (pairs(200, "given", "made") + pairs(90, "rule", "made"), {"given": 200}),
        (pairs(50, "given", "made") + pairs(300, "rule", "made"), {"given": 50, "rule": ENOUGH - 50}),
        (pairs(10, "rule", "approved") + pairs(20, "model", "made"), {"rule": 10, "model": 20}),
        (pairs(9, "rule", "review") + pairs(9, "given", "deleted") + pairs(9, "rule", "made", searched=False), {}),
    ],
    ids=["enough", "made ones beside", "all there are", "none"],
)
def test_made_pairs_stand_in_where_too_few_are_vouched_for(known: list[Pair], expected: dict[str, int]) -> None:
    chosen = worth_learning(known, chance=Random(1))
    assert Counter(pair.origin for pair in chosen) == expected
    assert chosen == worth_learning(known, chance=Random(1))


def test_what_is_no_short_answer_is_left_out() -> None:
    row = replace(PAIR, id="row", answer="Fees – Class: Adult; Fee: 20 euros.")
    section = replace(PAIR, id="section", answer="word " * 31)
    long = replace(PAIR, id="long", origin="given", answer="word " * 81)
    given = replace(PAIR, id="given", origin="given", answer="word " * 31)
    assert [pair.id for pair in worth_learning([row, section, long, given, PAIR], chance=Random(1))] == ["given", "0"]
