"""How likely a real model finds the beginnings of an answer that it does not write."""

from collections.abc import Callable
from contextlib import closing
from math import exp, isfinite
from pathlib import Path

import pytest

from prompts import Message
from trag.errors import TragError
from trag.llm.local import LocalModel
from trag.llm.model import Scoring
from trag.llm.remote import RemoteModel

pytestmark = pytest.mark.slow

Ask = Callable[[str], tuple[Message, ...]]
LETTERS = ("A", "B", "C", "D")
CAPITAL = (Message("user", "Say one word only: the capital of France."),)


def test_the_likeliest_beginning_is_the_one_that_the_model_writes(model: LocalModel) -> None:
    written = "".join(piece for piece in model.stream(CAPITAL, max_tokens=8) if isinstance(piece, str))
    words = ("Paris", "Rome", "Berlin", "Oslo")
    weights = model.log_probabilities(CAPITAL, words)
    assert written.startswith(words[weights.index(max(weights))]), (written, weights)
    others = [f"{written[: len(written) // 2]}{end}" for end in ("zebra", " 7 7 7", "ous of")]
    assert max(model.log_probabilities(CAPITAL, others)) < model.log_probabilities(CAPITAL, (written,))[0]
    assert all(weight <= 0 for weight in weights)
    assert isinstance(model, Scoring)
    assert not isinstance(RemoteModel("http://127.0.0.1:9/v1", name="any"), Scoring)


def test_the_weights_are_shares_of_one_whole(model: LocalModel) -> None:
    # Every next token is one of these or another, so the shares of some come to less than 1, and to much of it where
    # the model is led to choose among them.
    led = (*CAPITAL, Message("assistant", "A"), *CAPITAL, Message("assistant", "A"), *CAPITAL)
    total = sum(map(exp, model.log_probabilities(led, LETTERS)))
    assert 0.3 < total <= 1.0 + 1e-6


def test_a_weight_does_not_depend_on_what_was_read_before_or_weighed_beside(
    model: LocalModel, model_home: Path, question: Ask
) -> None:
    messages = question("Is it A, B, C or D?")
    model.log_probabilities(question("Which committee approves the budget?"), LETTERS)
    weights = model.log_probabilities(messages, LETTERS)
    assert model.log_probabilities(messages, ("D", "A")) == (weights[3], weights[0])
    *_, _usage = model.stream(question("Name three colours."), max_tokens=4)
    assert model.log_probabilities(messages, LETTERS) == weights
    with closing(LocalModel(model_home)) as fresh:
        assert fresh.log_probabilities(messages, LETTERS) == weights


def test_a_text_weighs_what_its_tokens_weigh_one_after_the_other(model: LocalModel) -> None:
    paris, is_paris, is_rome, is_paris_and = model.log_probabilities(
        CAPITAL, ("Paris", "The capital is Paris", "The capital is Rome", "The capital is Paris and")
    )
    assert is_rome < is_paris
    assert is_paris_and < is_paris < 0
    led = (Message("user", f"{CAPITAL[0].content} Repeat after me: The capital is Paris and."),)
    assert model.log_probabilities(led, ("The capital is Paris and",))[0] > is_paris_and
    assert model.log_probabilities(CAPITAL, ("The capital is Paris", "Paris")) == (is_paris, paris)
    assert model.log_probabilities(CAPITAL, ("",)) == (0.0,)
    held = "The capital of France is Paris, and that of Italy is Rome."
    grown = [model.log_probabilities(CAPITAL, (held[:end],))[0] for end in range(4, len(held), 8)]
    assert all(isfinite(weight) for weight in grown)
    assert min(grown) >= model.log_probabilities(CAPITAL, (held * 3,))[0]


def test_what_does_not_fit_is_refused_and_the_next_question_works(model: LocalModel) -> None:
    pid = model.pid
    for words, beginnings in ((5_000, LETTERS), (3, ("word " * 5_000, "B"))):
        with pytest.raises(TragError, match="and the model's context 4,096"):
            model.log_probabilities((Message("user", "word " * words),), beginnings)
    assert len(model.log_probabilities(CAPITAL, LETTERS)) == 4
    assert pid in (0, model.pid)
