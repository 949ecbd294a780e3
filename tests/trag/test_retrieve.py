"""Which passages a question gets, from a real index of vectors made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from store.passage import OPEN, Passage
from store.vectors import Vectors
from trag import retrieve

QUESTION = np.array([1.0, 0.0], dtype=np.float32)
COSINES = (0.7, 0.6, 0.5, 0.4, 0.3)


def passages(kind: str, cosines: Sequence[float]) -> list[tuple[Passage, float]]:
    return [(Passage(f"{kind}-{cosine}", kind, "d", "s", None, f"words {cosine}"), cosine) for cosine in cosines]


@pytest.fixture
def fill(tmp_path: Path) -> Iterator[Callable[..., Vectors]]:
    index = Vectors(tmp_path, embedder="by hand", dimension=2)

    def filled(made: Sequence[tuple[Passage, float]]) -> Vectors:
        vectors = np.array([[cosine, (1 - cosine**2) ** 0.5] for _, cosine in made], dtype=np.float32)
        index.add([passage for passage, _ in made], vectors, audience=OPEN)
        return index

    yield filled
    index.close()


def found(index: Vectors, weigh: Callable[[Sequence[Passage]], np.ndarray] | None = None, pairs: int = 2) -> list[str]:
    given = retrieve.passages("?", QUESTION, index, pairs=pairs, sections=2, weigh=weigh)
    return [passage.id for passage in given]


def test_the_nearest_of_each_kind_are_given_the_nearest_first(fill: Callable[..., Vectors]) -> None:
    index = fill([*passages("section", COSINES), *passages("qa", [0.65, 0.55, 0.45])])
    assert found(index) == ["section-0.7", "qa-0.65", "section-0.6", "qa-0.55"]
    assert found(index, pairs=0) == ["section-0.7", "section-0.6"]


def test_the_likeliest_to_answer_come_first_also_from_further_off(fill: Callable[..., Vectors]) -> None:
    index = fill([*passages("section", COSINES), *passages("qa", [0.65, 0.55, 0.45])])

    def weigh(asked: Sequence[Passage]) -> np.ndarray:
        assert len(asked) <= retrieve.CANDIDATES
        return np.array([{"section-0.3": 9.0, "section-0.7": -np.inf, "qa-0.45": 4.0}.get(one.id, 0) for one in asked])

    assert found(index, weigh) == ["section-0.3", "qa-0.45", "qa-0.65", "section-0.6"]


def test_no_section_is_needed_beside_a_pair_that_is_very_near(fill: Callable[..., Vectors]) -> None:
    index = fill([*passages("section", COSINES), *passages("qa", [0.85, 0.2])])
    assert found(index) == ["qa-0.85", "qa-0.2"]
    assert found(index, lambda asked: np.zeros(len(asked))) == ["qa-0.85", "qa-0.2"]
