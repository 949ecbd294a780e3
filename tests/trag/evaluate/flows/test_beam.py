"""Beam search over a model of which every probability is written down."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import log
from typing import Any

import pytest

from trag.evaluate.flows.beam import RUN, beam_search
from trag.llm.model import Candidate


class Words:
    """Words by what is written before them, "" for the end; what nothing is said of goes on with "x" for good."""

    def __init__(self, words: Mapping[str, Mapping[str, float]]) -> None:
        self.words, self.taken = words, ""

    @contextmanager
    def search(self, messages: Sequence[Any], **_: Any) -> Iterator["Words"]:
        self.taken = ""
        yield self

    def take(self, text: str) -> None:
        self.taken += text

    def look_ahead(self, k: int, length: int, ends: Sequence[str]) -> list[Candidate]:
        assert (k, length) == (6, 1)
        likely = sorted(self.words.get(self.taken, {"x": 1.0}).items(), key=lambda way: -way[1])
        return [Candidate(word, share, word, not word) for word, share in likely[:k]]


def test_it_finds_what_a_greedy_search_misses_and_ends_with_the_end() -> None:
    words: Any = Words({"": {"a": 0.6, "b": 0.4}, "a": {"c!": 0.3, "d!": 0.3, "e!": 0.4}, "b": {"f!": 0.9, "g!": 0.1}})
    best = beam_search(words, (), "!", 9)
    assert (best.text, best.ended) == ("bf!", True)
    assert best.weight == pytest.approx(log(0.4 * 0.9))


def test_a_longer_way_is_held_against_a_shorter_one_by_the_mean_of_its_tokens() -> None:
    words: Any = Words({"": {"": 0.5, "a": 0.5}, "a": {"b": 0.8, "c": 0.2}, "ab": {"!": 1.0}, "ac": {"!": 1.0}})
    best = beam_search(words, (), "!", 9)
    assert (best.text, best.ended) == ("ab!", True)  # 0.4 in three tokens; the end at once has 0.5 in one
    assert best.mean == pytest.approx(log(0.4) / 3)


def test_no_run_comes_twice_and_the_tokens_may_be_over() -> None:
    best = beam_search(Words({}), (), "!", 3)  # type: ignore[arg-type]
    assert (best.text, best.ended) == ("xxx", False)
    either = {"x" * (RUN + 1): {"x": 0.9, "y": 0.1}, "x" * RUN: {"x": 0.9, "y!": 0.1}}
    assert beam_search(Words(either), (), "!", 99).text == "x" * RUN + "y!"  # type: ignore[arg-type]
