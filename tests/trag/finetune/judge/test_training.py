"""A real training of the judge, on a few pairs."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from trag.evaluate.briefs.judge import Judge
from trag.finetune.judge import training
from trag.finetune.judge.pairs import Pair
from trag.finetune.training import plan

pytestmark = pytest.mark.slow

NOUNS = "tent oven kayak ladder piano bike lamp drill".split()
EVIDENCE = "The {noun} costs 12 crowns a day. It is lent by the store."
PAIRS = tuple(
    Pair(EVIDENCE.format(noun=noun), "", f"The {noun} costs {price} crowns a day.", price == 12, "number")
    for noun in NOUNS
    for price in (12, 30)
)
SETTINGS = replace(training.SETTINGS, learning_rate=5e-3, epochs=4.0, accumulation=4, checkpoint_seconds=0)


def test_a_training_that_was_stopped_gives_the_same_and_the_judge_has_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = training.train(tmp_path / "whole", PAIRS, SETTINGS)
    batch, asked = plan.batch, []

    def stops(settings, pairs, step):  # type: ignore[no-untyped-def]
        asked.append(step)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return batch(settings, pairs, step)

    monkeypatch.setattr(plan, "batch", stops)
    with pytest.raises(KeyboardInterrupt):
        training.train(tmp_path / "parts", PAIRS, SETTINGS)
    parts = training.train(tmp_path / "parts", PAIRS, SETTINGS)
    assert asked == [*range(6), *range(5, 16)]
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())

    save_file(whole, tmp_path / "judge.safetensors")
    judge = Judge(tmp_path / "judge.safetensors")
    right = judge.weigh([(one.evidence, one.before, one.sentence) for one in PAIRS])
    assert right[0::2].mean() > right[1::2].mean() + 0.3
    long = " ".join(f"Word {n} is of no use here." for n in range(60))
    apart = judge.weigh([(f"{long} {PAIRS[0].evidence}", "", PAIRS[0].sentence)])
    assert apart.shape == (1,)
