"""How many wrong answers the worst tenth shows, worked by hand."""

import random

import pytest

from bench.triage import Judged, drawn, shown, told
from trag.record import AnswerRecord, ModelUsed


def judged(number: int, *, wrong: int, odds: float) -> tuple[Judged, ...]:
    """So many answers of which the first are wrong, with the odds that their passages answer."""
    records = (
        AnswerRecord(str(at), "q", "q", "a", "answered", ModelUsed("", "", ""), odds=odds, refusal_odds=-4.0)
        for at in range(number)
    )
    return tuple(Judged(record, at < wrong) for at, record in enumerate(records))


def test_the_worst_tenth_holds_what_is_most_doubtful() -> None:
    sure, unsure = judged(18, wrong=2, odds=5.0), judged(2, wrong=1, odds=-3.0)
    assert shown((*sure, *unsure), random.Random(1)) == (1, 2), "two are looked at, and three are wrong"
    assert told("x", (*sure, *unsure), mixed=False) == "| x | 20 | 3 | 1.0 of 2.0 | 50% | 15% |"


def test_where_nothing_tells_them_apart_the_worst_tenth_is_a_random_one() -> None:
    share = float(told("x", judged(100, wrong=10, odds=1.0), mixed=False).split("|")[-3].strip(" %"))
    assert share == pytest.approx(10, abs=2)


def test_one_in_ten_of_what_is_drawn_is_wrong() -> None:
    found = drawn(judged(190, wrong=100, odds=1.0), random.Random(1))
    assert (len(found), sum(one.is_wrong for one in found)) == (100, 10)
