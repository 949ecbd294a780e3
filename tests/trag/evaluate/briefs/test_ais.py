"""Strict, Macro and Micro of texts whose verdicts are given."""

import pytest

from trag.evaluate.briefs.ais import Verdict, ais, share
from trag.evaluate.briefs.measures import unique, words

SUPPORTED, UNSUPPORTED = Verdict("a", by=(0,)), Verdict("b")


def test_strict_macro_and_micro() -> None:
    found = ais([[SUPPORTED, SUPPORTED], [SUPPORTED, UNSUPPORTED], [UNSUPPORTED] * 4, []])
    assert (found.texts, found.empty, found.sentences) == (3, 1, 8)
    assert found.strict.value == pytest.approx(1 / 3)
    assert found.macro.value == pytest.approx((1 + 0.5 + 0) / 3)
    assert found.micro.value == pytest.approx(3 / 8)
    assert found.cited == {}


def test_what_is_cited_stands_apart() -> None:
    kinds = {
        Verdict("its own passage", cited=(1,), by=(0, 1)): "attributed",
        Verdict("another passage", cited=(1,), by=(0,)): "misattributed",
        Verdict("two passages", cited=(0, 1), together=True): "stitched",
        Verdict("none", cited=(2,)): "unsupported",
    }
    assert {one: one.kind for one in kinds} == kinds
    found = ais([[*kinds, SUPPORTED]])
    assert found.cited == dict.fromkeys(("attributed", "misattributed", "stitched", "unsupported"), 0.25)
    assert found.uncited["attributed"] == 1.0
    assert found.micro.value == pytest.approx(3 / 5)


def test_no_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="no text"):
        ais([[], []])


def test_the_interval_holds_the_share_narrows_with_texts_and_comes_out_again() -> None:
    few, many = ([[SUPPORTED], [UNSUPPORTED]] * n for n in (5, 200))
    first, second = ais(few).strict, ais(many).strict
    assert first.low < second.low < 0.5 < second.high < first.high
    assert ais(few) == ais(few)
    assert share([1.0] * 9, max).low == 1.0


def test_length_and_repetition() -> None:
    text = "The Board meets. The Board meets at 9.30 o'clock."
    assert words(text) == 9
    assert unique("the board meets the board sits", 1) == pytest.approx(4 / 6)
    assert unique("the board meets the board sits", 2) == pytest.approx(4 / 5)
    assert unique("the board meets the board sits", 3) == 1.0
    assert unique("", 3) == 1.0
