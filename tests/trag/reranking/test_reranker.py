"""The reranker that ships, over the real encoder."""

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from trag import embed
from trag.errors import TragError
from trag.reranking import network
from trag.reranking.reranker import SHIPPED, Reranker

pytestmark = pytest.mark.slow

TEXTS = [
    "4 Staff > 4.2 Leave: Leave – Reason: Death of a parent; Days: 5; Granted by: head of unit.",
    "4 Staff > 4.1 Hours: The office opens at 8:30 and closes at 17:00.",
    "4 Staff > 4.2 Leave: Leave – Reason: Moving house; Days: 1; Granted by: head of unit.",
    "May a book be renewed?: Yes, twice.",
]


NEAR = 0.1
"""How far apart odds may be that are computed in bfloat16, and in other company."""


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    return Reranker()


@pytest.mark.parametrize(
    ("question", "place"),
    [("my mum died, how many days off do i get", 0), ("when do they shut", 1), ("can i keep the book for longer", 3)],
)
def test_what_answers_stands_above_the_rest(reranker: Reranker, question: str, place: int) -> None:
    odds = reranker.weigh(question, TEXTS)
    assert odds.argmax() == place, odds


def test_what_nothing_answers_has_low_odds(reranker: Reranker) -> None:
    answered = reranker.weigh("how many days off for moving house", TEXTS).max()
    unanswered = reranker.weigh("what is the phone number of the canteen", TEXTS).max()
    assert unanswered < 0 < answered, (unanswered, answered)


def test_odds_depend_neither_on_the_order_nor_on_what_stands_beside(reranker: Reranker) -> None:
    odds = reranker.weigh("can i keep the book", TEXTS)
    turned = reranker.weigh("can i keep the book", TEXTS[::-1])
    alone = reranker.weigh("can i keep the book", TEXTS[:1])
    many = reranker.weigh("can i keep the book", TEXTS * 20)
    assert np.allclose(odds, turned[::-1], atol=NEAR)
    assert np.allclose(odds[:1], alone, atol=NEAR)
    assert np.allclose(odds, many[-4:], atol=NEAR)
    assert reranker.weigh("can i keep the book", []).shape == (0,)
    assert np.isfinite(reranker.weigh("word " * 500, ["h: " + "text " * 900])).all(), "cut, and still weighed"


def test_memory_does_not_grow_with_each_question(reranker: Reranker, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each new shape of matrices code is compiled and kept; `bench.memory` measures what that takes."""
    chance, shapes, forward = random.Random(1), set(), network.Network.forward

    def noted(one: network.Network, tokens: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        shapes.add(tuple(tokens.shape))
        return forward(one, tokens, *rest)

    monkeypatch.setattr(network.Network, "forward", noted)
    for _ in range(20):
        lengths = [chance.randint(1, 110) for _ in range(chance.randint(1, 60))]
        reranker.weigh("can i keep the book", ["word " * length for length in lengths])
    assert 1 < len(shapes) <= 7, shapes


def test_what_runs_says_what_was_learned() -> None:
    """The matrices with the changes in them give what encoder and changes give apart."""
    folder = embed.embedded_folder()
    apart = network.learning(folder, torch.float32)
    apart.load_state_dict({name: value.float() for name, value in load_file(SHIPPED).items()}, strict=False)
    pairs = network.Pairs(folder).encode(["can i keep the book"] * 4, TEXTS)
    with torch.inference_mode():
        expected, found = apart(*pairs), network.merged(folder, SHIPPED, torch.float32)(*pairs)
    assert torch.allclose(expected, found, atol=1e-3), (expected, found)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "learned.safetensors"
    with pytest.raises(TragError, match="cannot be read"):
        Reranker(file)
    for content in (b"", b"no tensors"):
        file.write_bytes(content)
        with pytest.raises(TragError, match="cannot be read"):
            Reranker(file)
