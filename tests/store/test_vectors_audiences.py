"""Who may read what: audiences are kept, changed and never widened by accident. For the search under them see
test_vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from store.passage import EVERYONE, OPEN, Passage
from store.vectors import Vectors

SIZE = 8
POINTS = np.eye(SIZE, dtype=np.float32)


def make(document: str, count: int = 2, *, first: int = 0) -> list[Passage]:
    return [Passage(f"{document}{n}", "qa", document, "s", None, f"word{n}") for n in range(first, first + count)]


def open_index(folder: Path) -> Vectors:
    return Vectors(folder, embedder="mini-1", dimension=SIZE)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Vectors]:
    index = open_index(tmp_path / "chroma")
    yield index
    index.close()


def read_by(index: Vectors, *keys: str) -> set[str]:
    """The ids that somebody with those keys finds."""
    return {each.id for each in index.search(POINTS[0], "word0", kinds=["qa"], k=50, readers=keys)}


def test_a_document_is_read_by_its_audience_and_by_nobody_else(index: Vectors, tmp_path: Path) -> None:
    index.add(make("open"), POINTS[:2], audience=OPEN)
    index.add(make("board"), POINTS[:2], audience=["board", "auditors"])
    index.add(make("sealed"), POINTS[:2], audience=[])
    for _ in range(2):
        assert read_by(index, EVERYONE) == {"open0", "open1"}
        assert read_by(index, EVERYONE, "auditors") == {"open0", "open1", "board0", "board1"}
        assert read_by(index, "boar", "board\nauditors", "") == set()
        assert index.audiences() == {"open": {EVERYONE}, "board": {"board", "auditors"}, "sealed": set()}
        index.close()  # and so when it is opened again


def test_an_audience_changes_at_once_and_the_vectors_stay(index: Vectors) -> None:
    index.add(make("a"), POINTS[:2], audience=OPEN)
    assert index.set_audience("a", ["hr"]) == 2
    assert (read_by(index, EVERYONE), read_by(index, "hr")) == (set(), {"a0", "a1"})
    index.close()
    assert (read_by(index, EVERYONE), read_by(index, "hr")) == (set(), {"a0", "a1"})
    (found,) = index.search(POINTS[1], "", kinds=["qa"], k=1, readers=None)
    assert (found.id, found.score) == ("a1", pytest.approx(1))
    assert index.set_audience("nowhere", ["hr"]) == 0


@pytest.mark.parametrize("change", ["add", "put"])
def test_what_comes_to_a_document_is_read_by_those_who_are_named_with_it(index: Vectors, change: str) -> None:
    index.add(make("a"), POINTS[:2], audience=["hr"])
    if change == "put":
        index.put("a", make("a", first=1), POINTS[1:3], audience=["it"])
        assert index.ids() == {"a": {"a1", "a2"}}
    else:
        index.add(make("a"), POINTS[1:3], audience=["it"])
    assert index.audiences() == {"a": {"it"}}


def test_compacting_keeps_audiences_and_a_new_index_opens_only_what_is_named(index: Vectors) -> None:
    index.add(make("a"), POINTS[:2], audience=["hr"])
    index.compact()
    assert index.audiences() == {"a": {"hr"}}
    both = [*make("a"), *make("b")]
    index.rebuild(both, POINTS[:4], audiences={"a": ["hr"]})
    assert index.audiences() == {"a": {"hr"}, "b": set()}
    index.rebuild(both, POINTS[:4], audiences={"a": ["hr"], "b": [EVERYONE]})
    assert read_by(index, EVERYONE) == {"b0", "b1"}


def test_an_index_from_before_there_were_audiences_is_for_everyone(index: Vectors) -> None:
    index.add(make("a"), POINTS[:2], audience=OPEN)
    assert index._index
    index._index.collection.update(ids=["a0", "a1"], metadatas=[{"audience": None}] * 2)
    index.close()
    assert index.audiences() == {"a": {EVERYONE}}
    assert read_by(index, EVERYONE) == {"a0", "a1"}


def test_a_change_that_was_cut_short_leaves_those_who_may_read_all_of_it(index: Vectors) -> None:
    index.add(make("a"), POINTS[:2], audience=["hr", "it"])
    assert index._index
    index._index.collection.update(ids=["a0"], metadatas=[{"audience": "finance\nit"}])
    index.close()
    assert index.audiences() == {"a": {"it"}}
    assert (read_by(index, "hr", "finance"), read_by(index, "it")) == (set(), {"a0", "a1"})


@pytest.mark.parametrize("key", ["", "two\nlines"])
def test_a_key_is_one_line(index: Vectors, key: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        index.add(make("a"), POINTS[:2], audience=[key])
    assert index.count() == 0
