"""A real training of the reranker, on a few listings."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from trag import embed
from trag.finetune.reranker import training
from trag.finetune.reranker.training import Listing
from trag.finetune.training import plan
from trag.reranking import network

pytestmark = pytest.mark.slow

NOUNS = "tent oven kayak ladder piano bike lamp drill sofa easel".split()
TEXTS = tuple(
    f"{number} Fees > {number}.1 {noun.title()}: The {noun} costs {number} crowns a day."
    for number, noun in enumerate(NOUNS, 2)
)
LISTINGS = tuple(
    Listing(f"what do i pay for the {noun}", TEXTS[place : place + 5], (0,)) for place, noun in enumerate(NOUNS[:6])
) + tuple(Listing(f"who repairs the {noun}", TEXTS[:5], ()) for noun in NOUNS[:6])
SETTINGS = replace(training.SETTINGS, learning_rate=2e-3, epochs=4.0, accumulation=4, checkpoint_seconds=0)


def test_a_training_that_was_stopped_gives_the_same_and_has_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = training.train(tmp_path / "whole", LISTINGS, LISTINGS, SETTINGS)
    batch, asked = plan.batch, []

    def stops(settings, listings, step):  # type: ignore[no-untyped-def]
        asked.append(step)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return batch(settings, listings, step)

    monkeypatch.setattr(plan, "batch", stops)
    with pytest.raises(KeyboardInterrupt):
        training.train(tmp_path / "parts", LISTINGS, LISTINGS, SETTINGS)
    parts = training.train(tmp_path / "parts", LISTINGS, LISTINGS, SETTINGS)
    assert asked == [*range(6), *range(5, 12)]
    assert whole.keys() == parts.keys()
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())
    assert "Held out" in capsys.readouterr().err
    folder = embed.embedded_folder()
    fresh, pairs = network.learning(folder, torch.float32), network.Pairs(folder)

    def lead() -> float:
        """How far the texts that answer stand above those on questions that nothing answers."""
        with torch.no_grad():
            right, wrong = (
                torch.stack([fresh(*pairs.encode([one.question], [one.texts[0]])) for one in side]).mean()
                for side in (LISTINGS[:6], LISTINGS[6:])
            )
        return float(right - wrong)

    before = lead()
    fresh.load_state_dict(whole, strict=False)
    assert lead() > before + 1
    assert training.measure(fresh, pairs, LISTINGS) == (1.0, 1.0)
