"""A real training of what tells how likely a question is, on a few listings and a tiny model."""

from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file

import prompts
from trag.finetune.reranker import likelihood
from trag.finetune.reranker.examples import Listing
from trag.finetune.training import base as bases
from trag.finetune.training import schedule
from trag.finetune.training.blocks import Block
from trag.quote import Text

pytestmark = pytest.mark.slow

NOUNS = "tent oven kayak ladder piano bike".split()
TEXTS = tuple(Text("2 Fees", f"The {noun} costs {number} crowns a day.") for number, noun in enumerate(NOUNS, 2))
LISTINGS = (
    *(Listing(f"what do i pay for the {noun}", TEXTS, (place,)) for place, noun in enumerate(NOUNS)),
    *(Listing(f"is the {noun} dear", TEXTS, (place, 0)) for place, noun in enumerate(NOUNS)),
    Listing("is the tent dear", TEXTS, (0,)),
    Listing("who repairs the tent", TEXTS, ()),
)
SETTINGS = replace(likelihood.SETTINGS, learning_rate=1e-2, epochs=6.0, accumulation=2, checkpoint_seconds=0)


def blocks(tiny: Path) -> tuple[Block, ...]:
    return likelihood.asked_blocks(LISTINGS, bases.vocabulary(bases.find(tiny.parent, str(tiny))))


def test_every_text_that_answers_is_read_once_with_all_that_is_asked_of_it(tiny: Path) -> None:
    vocabulary = bases.vocabulary(bases.find(tiny.parent, str(tiny)))
    made = blocks(tiny)
    assert [len(block.parts) for block in made] == [2] * len(NOUNS)
    for block, text, noun in zip(made, TEXTS, NOUNS, strict=True):
        prompt = vocabulary.prompt(prompts.asked(text.whole))
        assert list(block.tokens[: block.context]) == prompt[:-1]
        for part, question in zip(block.parts, (f"what do i pay for the {noun}", f"is the {noun} dear"), strict=True):
            assert list(block.tokens[part.answer : part.end]) == [*vocabulary.text(question), vocabulary.end]


def test_a_training_that_was_stopped_gives_the_same_and_has_learned(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base, learned = bases.find(tiny.parent, str(tiny)), blocks(tiny)
    likelihood.train(tmp_path / "none", base, learned, learned, replace(SETTINGS, learning_rate=0.0))
    before = capsys.readouterr().err
    likelihood.train(tmp_path / "whole", base, learned, learned, SETTINGS)
    after = capsys.readouterr().err
    batch, asked = schedule.batch, []

    def stops(settings, blocks, step):  # type: ignore[no-untyped-def]
        asked.append(step)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return batch(settings, blocks, step)

    monkeypatch.setattr(schedule, "batch", stops)
    with pytest.raises(KeyboardInterrupt):
        likelihood.train(tmp_path / "parts", base, learned, learned, SETTINGS)
    likelihood.train(tmp_path / "parts", base, learned, learned, SETTINGS)
    assert asked == [*range(6), *range(5, 18)]
    whole, parts = (load_file(tmp_path / name / "adapter" / "adapter_model.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    assert all((value == parts[name]).all() for name, value in whole.items())
    assert _held_out(after) < _held_out(before)


def _held_out(said: str) -> float:
    return float(said.rsplit("Held out: ", 1)[1].split()[0])
