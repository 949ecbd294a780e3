"""How likely a question is after a text, by the real model with the adapter that ships."""

from collections.abc import Iterator
from contextlib import closing
from os import kill
from pathlib import Path
from signal import SIGKILL

import numpy as np
import pytest

from trag.quote import Text
from trag.reranking.likelihood import LONGEST, QueryLikelihood

pytestmark = pytest.mark.slow

TEXTS = [
    Text("4 Staff > 4.2 Leave", "Employees are granted five days on the death of a parent."),
    Text("4 Staff > 4.1 Hours", "The office opens at 8:30 and closes at 17:00."),
    Text("4 Staff > 4.2 Leave", "One day is granted to those who change their place of residence."),
    Text("May a book be renewed?", "Yes, twice."),
]


@pytest.fixture(scope="module")
def likelihood(model_home: Path) -> Iterator[QueryLikelihood]:
    with closing(QueryLikelihood(model_home)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("my mum died, how much time off do i get", 0),
        ("until when can i come by in the evening", 1),
        ("i'm moving house next week, can i stay home for it", 2),
        ("can i keep the novel for longer", 3),
    ],
)
def test_a_question_is_likeliest_after_the_text_that_answers_it(
    likelihood: QueryLikelihood, question: str, place: int
) -> None:
    weights = likelihood.weigh(question, TEXTS)
    assert weights.argmax() == place, weights
    assert (weights < 0).all()


def test_a_weight_depends_neither_on_the_order_nor_on_what_stands_beside(likelihood: QueryLikelihood) -> None:
    weights = likelihood.weigh("can i keep the book", TEXTS)
    assert np.array_equal(weights, likelihood.weigh("can i keep the book", TEXTS[::-1])[::-1])
    assert np.array_equal(weights[1:2], likelihood.weigh("can i keep the book", TEXTS[1:2]))
    assert likelihood.weigh("can i keep the book", []).shape == (0,)


def test_a_long_question_and_a_long_text_are_cut(likelihood: QueryLikelihood) -> None:
    long = likelihood.weigh("word " * LONGEST, [Text("h", "text " * 900), *TEXTS])
    assert np.isfinite(long).all()
    assert len(set(long)) == len(long)


def test_where_the_model_cannot_say_all_texts_are_alike_and_the_log_says_why(
    model_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(QueryLikelihood(model_home)) as own:
        first = own.weigh("when do they shut", TEXTS)
        assert list(own.weigh("𒀭" * LONGEST, TEXTS)) == [0.0] * 4
        assert "ranked without the likelihood of the question: The prompt has" in caplog.text
        assert np.array_equal(own.weigh("when do they shut", TEXTS), first)
        kill(own._opened().pid, SIGKILL)
        again = own.weigh("when do they shut", TEXTS)
        assert not again.any() or np.array_equal(again, first)  # it may have been started again by then
        assert np.array_equal(own.weigh("when do they shut", TEXTS), first)


def test_without_its_file_all_texts_are_alike_and_the_log_names_it(
    model_home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(QueryLikelihood(model_home, tmp_path / "none.gguf")) as own:
        assert list(own.weigh("when do they shut", TEXTS)) == [0.0] * 4
    assert "none.gguf" in caplog.text


def test_nothing_is_prepared_before_the_first_question(tmp_path: Path) -> None:
    QueryLikelihood(tmp_path).close()
    assert not list(tmp_path.iterdir())
