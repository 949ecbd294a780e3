"""Fusing the two halves of the search, and picking from what they found."""

from __future__ import annotations

import numpy as np
import pytest

from store.index import DIVERSITY, diverse, fuse


def test_agreement_is_one_for_the_first_of_every_ranking_and_falls_with_the_rank() -> None:
    fused = fuse(["a", "b", "c"], ["a", "c", "d"])
    assert fused["a"] == pytest.approx(1)
    assert sorted(fused, key=lambda id: -fused[id]) == ["a", "c", "b", "d"]
    assert fused["b"] == pytest.approx(0.5 * 61 / 62)


@pytest.mark.parametrize("rankings", [([], []), (["a"], []), ([], ["a"])], ids=["neither", "near only", "words only"])
def test_a_half_may_find_nothing(rankings: tuple[list[str], list[str]]) -> None:
    assert fuse(*rankings) == {id: pytest.approx(0.5) for ranking in rankings for id in ranking}


def unit(*coordinates: float) -> list[float]:
    return [coordinate / float(np.linalg.norm(coordinates)) for coordinate in coordinates]


QUESTION = np.array(unit(1, 0, 0, 0), dtype=np.float32)
# The first two say the same; the third says something else, and is a little less near.
CANDIDATES = np.array(
    [unit(1, 0.5, 0, 0), unit(1, 0.501, 0, 0), unit(1, 0, 0.7, 0), unit(0, 0, 0, 1)], dtype=np.float32
)


@pytest.mark.parametrize(
    ("agreement", "k", "diversity", "expected"),
    [
        ([0.5, 0.5, 0.5, 0.5], 3, 0.0, [0, 1, 2]),
        ([0.5, 0.5, 0.5, 0.5], 3, DIVERSITY, [0, 1, 2]),
        ([0.5, 0.5, 0.5, 0.5], 2, 0.5, [0, 2]),
        ([0.5, 0.5, 0.5, 0.5], 2, 1.0, [0, 3]),
        ([0.4, 0.4, 1.0, 0.4], 1, 0.0, [2]),
        ([0.4, 0.4, 1.0, 0.4], 2, DIVERSITY, [2, 0]),
        ([0.5, 0.5, 0.5, 0.5], 9, DIVERSITY, [0, 1, 2, 3]),
        ([0.5, 0.5, 0.5, 0.5], 0, DIVERSITY, []),
    ],
    ids=["no diversity", "a little", "much", "only", "words decide", "words first", "k beyond all", "k of none"],
)
def test_relevance_is_cosine_and_agreement_and_diversity_passes_over_twins(
    agreement: list[float], k: int, diversity: float, expected: list[int]
) -> None:
    assert diverse(QUESTION, CANDIDATES, np.array(agreement, dtype=np.float32), k, diversity) == expected
