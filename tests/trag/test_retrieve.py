"""Which excerpts a question gets, from a real index of vectors made by hand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from prompts import Message
from store.passage import OPEN, Passage
from store.vectors import Vectors
from tests.scripted import Scripted
from trag import retrieve
from trag.retrieve import WINDOW, Excerpt, Weigh

QUESTION = np.array([1.0, 0.0], dtype=np.float32)


def section(id: str, text: str = "", path: str = "Rules > 1 Gifts > 1.1 Limits") -> Passage:
    return Passage(id, "section", "d", path, None, text or f"words of {id}")


def pair(id: str) -> Passage:
    return Passage(id, "qa", "d", "Rules", None, f"In {id}. By post.", question="When?")


@pytest.fixture
def fill(tmp_path: Path) -> Iterator[Callable[..., Vectors]]:
    index = Vectors(tmp_path, embedder="by hand", dimension=2)

    def filled(*made: tuple[Passage, float], audience: frozenset[str] = OPEN) -> Vectors:
        vectors = np.array([[cosine, (1 - cosine**2) ** 0.5] for _, cosine in made], dtype=np.float32)
        if made:
            index.add([passage for passage, _ in made], vectors, audience=audience)
        return index

    yield filled
    index.close()


def found(
    index: Vectors, weigh: Weigh | None = None, readers: Collection[str] | None = OPEN, limit: int = 3
) -> tuple[Excerpt, ...]:
    return retrieve.excerpts(retrieve.ranked("?", QUESTION, index, readers=readers, weigh=weigh), limit)


def ids(excerpts: Sequence[Excerpt]) -> list[str]:
    return [one.passage.id for one in excerpts]


def test_pairs_and_sections_come_the_nearest_first(fill: Callable[..., Vectors]) -> None:
    assert found(fill()) == ()
    index = fill((section("far"), 0.4), (section("near"), 0.7), (pair("May"), 0.6), (pair("June"), 0.2))
    given = found(index)
    assert ids(given) == ["near", "May", "far"]
    assert {one.odds for one in given} == {0.0}
    assert ids(found(index, limit=1)) == ["near"]


def test_the_likeliest_to_answer_come_first_also_from_further_off(fill: Callable[..., Vectors]) -> None:
    index = fill((section("far"), 0.4), (section("near"), 0.7), (pair("May"), 0.6))
    given = found(index, lambda _, lines: np.array([20.0 if "far" in line else -1.0 for line in lines]))
    assert ids(given) == ["far", "near", "May"]
    assert [one.odds for one in given] == [20.0, -1.0, -1.0]


def test_a_line_is_weighed_under_its_last_headings_and_a_pairs_answer_whole_under_its_question(
    fill: Callable[..., Vectors],
) -> None:
    weighed: list[str] = []

    def weigh(question: str, lines: Sequence[str]) -> np.ndarray:
        assert question == "?"
        weighed.extend(lines)
        return np.zeros(len(lines))

    found(fill((section("s", "Gifts are declared. Meals are not."), 0.7), (pair("May"), 0.6)), weigh)
    assert set(weighed) == {
        "1 Gifts > 1.1 Limits: Gifts are declared.",
        "1 Gifts > 1.1 Limits: Meals are not.",
        "When?: In May. By post.",
    }


def test_the_likeliest_lines_are_shown_those_of_one_passage_together_in_its_order(
    fill: Callable[..., Vectors],
) -> None:
    index = fill((section("long", "One. Two. Three. Four."), 0.7), (section("other", "Five."), 0.7))
    odds = {"Two.": 1.0, "Four.": 3.0, "Five.": 2.0}

    def weigh(_: str, lines: Sequence[str]) -> np.ndarray:
        return np.array([odds.get(line.rpartition(": ")[2], -9.0) for line in lines])

    given = found(index, weigh)
    assert [(one.passage.id, one.text, one.odds) for one in given] == [
        ("long", "Two. Three. Four.", 3.0),
        ("other", "Five.", 2.0),
    ]
    assert [one.text for one in found(index, weigh, limit=2)] == ["Four.", "Five."]


def test_a_line_that_hardly_answers_is_not_shown_beside_one_that_does_and_alike_rows_are_shown_together(
    fill: Callable[..., Vectors],
) -> None:
    index = fill((section("rows", "One. Two. Three. Four. Five."), 0.7))

    def shown(*odds: float) -> list[str]:
        given = found(index, lambda _, lines: np.array(odds[: len(lines)]), limit=2)
        return [one.text for one in given]

    assert shown(4.8, -4.4, -5.8, -5.9, -6.0) == ["One."]
    assert shown(4.8, -2.9, -5.8, -5.9, -6.0) == ["One. Two."]
    assert shown(-2.9, -2.8, -5.0, -2.9, -5.2) == ["One. Two. Three. Four."]
    assert shown(-2.9, -2.8, -3.2, -5.0, -5.2) == ["One. Two."]
    assert shown(3.0, 2.0, 1.9, 1.0, -9.0) == ["One. Two. Three."]


def test_lines_of_one_passage_that_are_far_from_each_other_are_not_shown_together(fill: Callable[..., Vectors]) -> None:
    index = fill((section("long", f"One. {'Much. ' * WINDOW} Last."), 0.7))
    (given,) = found(index, lambda _, lines: np.array([float("Last" in line) + ("One" in line) / 2 for line in lines]))
    assert (given.text, given.odds) == ("Last.", 1.0)


def test_lines_that_are_about_as_good_are_told_apart_by_how_likely_they_are_asked_this(
    fill: Callable[..., Vectors],
) -> None:
    index = fill((section("s", "One. Two. Three. Four."), 0.7))
    odds = {"One.": 4.0, "Two.": 3.5, "Three.": 0.5, "Four.": -9.0}
    compared: list[str] = []

    def weigh(_: str, lines: Sequence[str]) -> np.ndarray:
        return np.array([odds[line.rpartition(": ")[2]] for line in lines])

    def likelihood(_: str, lines: Sequence[str]) -> Sequence[float]:
        compared.extend(lines)
        return [-10.0 if "One." in line else -8.0 for line in lines]

    given = retrieve.excerpts(retrieve.ranked("?", QUESTION, index, weigh=weigh, likelihood=likelihood), 1)
    assert [line.rpartition(": ")[2] for line in compared] == ["One.", "Two."]
    assert [(one.text, one.odds) for one in given] == [("Two.", 3.5)]


def test_where_nothing_ranks_lines_a_long_passage_is_shown_from_its_beginning(fill: Callable[..., Vectors]) -> None:
    lines = [f"Line {number} says {'much ' * 20}here." for number in range(20)]
    (given,) = found(fill((section("long", " ".join(lines)), 0.7)))
    assert given.text == " ".join(lines[:4])


def test_the_window_grows_to_the_weightier_neighbour_first() -> None:
    lines = [letter * (WINDOW // 2 - 10) for letter in "abc"]
    text = "\n".join(lines)
    assert retrieve.window(text, lines, [1.0, 3.0, 2.0]) == "\n".join(lines[1:])
    assert retrieve.window(text, lines, [2.0, 3.0, 1.0]) == "\n".join(lines[:2])


@pytest.mark.parametrize(
    ("text", "lines", "shown"),
    [
        ("Short. Text.", ["Short.", "Text."], "Short. Text."),
        ("a" * 2 * WINDOW + " b.", ["a" * 2 * WINDOW, "b."], "a" * 2 * WINDOW),
        ("x" * 2 * WINDOW, [], "x" * 2 * WINDOW),
    ],
    ids=["a short passage is whole", "a line that is longer is whole", "no lines"],
)
def test_what_no_window_is_cut_from(text: str, lines: Sequence[str], shown: str) -> None:
    assert retrieve.window(text, lines) == shown


def test_a_long_line_and_a_long_question_are_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted("No.")
    assert retrieve.query_likelihood(model, "?", ["a", "b"]) == [0.0, 0.0]
    read: list[tuple[str, str]] = []

    def log_probabilities(messages: Sequence[Message], beginnings: Sequence[str], *, task: str) -> tuple[float, ...]:
        read.append((messages[-1].content, *beginnings))
        return (-1.5,)

    monkeypatch.setattr(model, "log_probabilities", log_probabilities, raising=False)
    assert retrieve.query_likelihood(model, "q" * 4000, ["l" * 9000, "short"]) == [-1.5, -1.5]
    assert read == [("l" * WINDOW, "q" * WINDOW), ("short", "q" * WINDOW)]


def test_only_what_the_asker_may_read_is_found(fill: Callable[..., Vectors]) -> None:
    fill((section("secret"), 0.9), audience=frozenset({"legal"}))
    index = fill((section("open"), 0.5))
    assert ids(found(index)) == ["open"]
    assert ids(found(index, readers=OPEN | {"legal"})) == ["secret", "open"]
    assert ids(found(index, readers=None)) == ["secret", "open"]


def test_of_each_other_document_the_best_line_that_rather_answers_is_compared(fill: Callable[..., Vectors]) -> None:
    def of(document: str, number: int) -> Passage:
        return Passage(f"{document}{number}", "section", document, "Rules", None, f"Line {document}{number}.")

    index = fill((of("a", 1), 0.9), (of("b", 1), 0.8), (of("b", 2), 0.8), (of("c", 1), 0.7), (of("d", 1), 0.6))
    odds = {"a1": 5.0, "b1": 1.0, "b2": 4.0, "c1": -1.0, "d1": 3.0}

    def weigh(_: str, lines: Sequence[str]) -> np.ndarray:
        return np.array([next(value for name, value in odds.items() if f"{name}." in line) for line in lines])

    lines = retrieve.ranked("?", QUESTION, index, weigh=weigh)
    assert ids(retrieve.elsewhere(lines, "a", 3)) == ["b2", "d1"]
    assert ids(retrieve.elsewhere(lines, "a", 1)) == ["b2"]
    assert ids(retrieve.elsewhere(lines, "b", 3)) == ["a1", "d1"]
