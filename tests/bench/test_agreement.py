"""Agreement and kappa by hand, and labels that can be read."""

import math

import pytest

from bench.agreement import HERE, UNDECIDED, agreement, kappa, read, report, right_or_wrong
from trag.record import VERDICTS

C, V, W = "Correct", "Correct-Verbose", "Incorrect"


def test_kappa_by_hand() -> None:
    pairs = [(C, C)] * 20 + [(C, W)] * 5 + [(W, C)] * 10 + [(W, W)] * 15
    assert agreement(pairs) == pytest.approx(0.7)
    assert kappa(pairs) == pytest.approx(0.4)  # by chance .5 * .6 + .5 * .4 = .5


def test_kappa_at_its_ends() -> None:
    assert kappa([(C, C), (W, W)]) == 1
    assert kappa([(C, C)]) == 1
    assert kappa([(C, C), (C, W), (W, C), (W, W)]) == pytest.approx(0)
    assert math.isnan(kappa([]))
    assert math.isnan(agreement([]))


def test_verbose_counts_as_right() -> None:
    assert right_or_wrong([(V, C), (W, V)]) == [(C, C), (W, C)]


def test_what_is_undecided_is_counted_apart() -> None:
    text = report("all", [(C, C), (V, UNDECIDED), (W, C)])
    assert "2 of 3 answers decided" in text
    assert "| Correct-Verbose | 0 | 0 | 0 | 1 |" in text
    assert "agreement 50.0%" in text


@pytest.mark.slow
def test_every_label_is_one_of_the_paper_and_belongs_to_a_case() -> None:
    labelled = [one for _, found in read(HERE / "labels") for one in found]
    assert len({one.id for one in labelled}) == len(labelled) >= 150
    assert {one.label for one in labelled} == {*VERDICTS}
    held = [one.is_held_out for one in labelled]
    assert 0.4 < sum(held) / len(held) < 0.6
