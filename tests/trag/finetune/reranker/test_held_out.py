"""What the best texts of held-out listings say, and odds that mean what they say."""

from math import exp, log

import pytest

from trag.finetune.reranker.held_out import Best, fitted, shares


def test_shares_by_hand() -> None:
    found = [Best(2.0, True, True), Best(0.5, False, True), Best(1.0, False, False)]
    assert shares(found) == (1 / 2, 1 / 2)  # one of two is right; of two, one stands above the one without an answer


@pytest.mark.parametrize("times", [0.5, 3.0])
def test_odds_that_say_too_much_or_too_little_are_scaled(times: float) -> None:
    found = []
    for odds in (-2.0, -1.0, 0.0, 1.0, 2.0):
        right = round(2_000 / (1 + exp(-odds)))
        found += [Best(times * odds + 0.7, place < right, True) for place in range(2_000)]
    factor, move = fitted(found)
    assert factor == pytest.approx(1 / times, rel=0.02)
    assert move == pytest.approx(-0.7 / times, abs=0.02)


def test_odds_that_part_all_stay_finite() -> None:
    """Of ten right ones it cannot be told from ten that the eleventh is too: odds of 11 to 1 at most."""
    factor, move = fitted([Best(1.0, True, True)] * 10 + [Best(-1.0, False, False)] * 10)
    assert factor + move == pytest.approx(log(11), abs=0.01)
    assert move == pytest.approx(0.0, abs=0.01)
