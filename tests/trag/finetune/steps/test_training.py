"""A real training of the encoder of steps, on a few requests."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from trag import embed
from trag.finetune.steps import pairs, training
from trag.finetune.steps.pairs import Catalogue, Near, Request
from trag.finetune.steps.training import contrastive

pytestmark = pytest.mark.slow

NOUNS = "tent oven kayak ladder piano bike lamp drill sofa easel".split()
CATALOGUE = Catalogue(
    (
        *(f"Lend the {noun}: It leaves the store." for noun in NOUNS),
        *(f"{noun.title()}: All of them." for noun in NOUNS),
    ),
    (range(10), range(10, 20), range(20, 20)),
)
PLACES = "in the shed,on the lake,up the wall,to the hall,down the road".split(",")
REQUESTS = tuple(Request(f"I need one {place}", (row, 10 + row)) for row, place in enumerate(PLACES))
SETTINGS = replace(training.SETTINGS, learning_rate=5e-3, epochs=5.0, accumulation=1)


def test_the_loss_is_that_of_equation_3() -> None:
    similar, right = torch.tensor([1.0, 0.2, 0.9, 0.4, -0.3]), torch.tensor([True, True, False, False, False])
    by_hand = [0.0, 0.5 * 0.8**2, 0.5 * 0.4**2, 0.0, 0.0]
    assert contrastive(similar, right).item() == pytest.approx(sum(by_hand) / 5, abs=1e-6)


def test_the_loss_is_that_of_sentence_transformers() -> None:
    from sentence_transformers.sentence_transformer.losses import ContrastiveLoss, SiameseDistanceMetric

    class Given(nn.Module):
        def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
            return {"sentence_embedding": features["vectors"]}

    torch.manual_seed(1)
    first, second = (nn.functional.normalize(torch.randn(64, 8), dim=1) for _ in range(2))
    second[:32] = nn.functional.normalize(first[:32] + 0.3 * second[:32], dim=1)
    right = torch.rand(64) < 0.5
    model: Any = Given()
    theirs = ContrastiveLoss(model, SiameseDistanceMetric.COSINE_DISTANCE, margin=0.5)
    expected = theirs([{"vectors": first}, {"vectors": second}], right.int())
    assert contrastive((first * second).sum(1), right).item() == pytest.approx(expected.item(), abs=1e-6)


def test_a_training_that_was_stopped_gives_the_same_and_has_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed: list[Near] = []
    near_by_vectors = pairs.near_by_vectors

    def noted(*given: Any) -> Near:
        renewed.append(near_by_vectors(*given))
        return renewed[-1]

    monkeypatch.setattr(pairs, "near_by_vectors", noted)
    monkeypatch.setattr(training, "_SEEN", (1, 1, 1))  # of ten entries fifteen would all be found
    whole = training.train(tmp_path / "whole", CATALOGUE, REQUESTS, REQUESTS, pairs.WAYS, SETTINGS)
    assert len(renewed) == 5
    assert renewed[0] != renewed[4], "what is nearest changes as it learns"

    class StoppedError(Exception):
        pass

    measure = training.measure

    def stops(*given: Any) -> Any:
        if len(renewed) == 7:
            raise StoppedError
        return measure(*given)

    with monkeypatch.context() as patch:
        patch.setattr(training, "measure", stops)
        with pytest.raises(StoppedError):
            training.train(tmp_path / "parts", CATALOGUE, REQUESTS, REQUESTS, pairs.WAYS, SETTINGS)
    parts = training.train(tmp_path / "parts", CATALOGUE, REQUESTS, REQUESTS, pairs.WAYS, SETTINGS)
    assert len(renewed) == 11, "one epoch was lost"
    assert whole.keys() == parts.keys()
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())

    save_file({name: value.contiguous() for name, value in whole.items()}, tmp_path / "learned.safetensors")
    plain, learned = (embed.open_embedder("", file) for file in (None, tmp_path / "learned.safetensors"))
    assert plain.identity != learned.identity
    assert nearness(learned) > nearness(plain) + 0.2


def nearness(embedder: embed.Embedder) -> float:
    """How much nearer requests are to what they are about than to the rest."""
    asked, entries = (embedder.embed_passages(texts) for texts in ([one.text for one in REQUESTS], CATALOGUE.texts))
    similar = asked @ entries.T
    right = np.array([[place in one.about for place in range(len(CATALOGUE.texts))] for one in REQUESTS])
    return float(similar[right].mean() - similar[~right].mean())


def test_what_is_used_gives_the_vectors_that_were_learned(tmp_path: Path) -> None:
    """The matrices with the changes in them give what encoder and changes give apart."""
    torch.manual_seed(1)
    model = training.Encoder(embed.embedded_folder())
    texts: Sequence[str] = (
        *CATALOGUE.texts[:3],
        "I need one in the shed, and then another one, as soon as there is any",
    )
    before = embed.open_embedder("").embed_passages(texts)
    with torch.no_grad():
        assert np.allclose(model.vectors(model.read(texts)).numpy(), before, atol=1e-5), "nothing is learned yet"
        for name, value in model.bert.named_parameters():
            if name.endswith(".up"):
                value.normal_(std=0.02)
        expected = model.vectors(model.read(texts)).numpy()
    values = {name: value.contiguous() for name, value in model.bert.named_parameters() if value.requires_grad}
    save_file(values, tmp_path / "learned.safetensors")
    found = embed.open_embedder("", tmp_path / "learned.safetensors").embed_passages(texts)
    assert np.allclose(found, expected, atol=1e-4)
    assert not np.allclose(found, before, atol=1e-2)
