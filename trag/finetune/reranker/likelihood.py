"""python -m trag.finetune.reranker.likelihood FOLDER: the adapter that tells how likely a question is, learned from
FOLDER/dataset.

train.jsonl -> listings -> texts with what is asked of them -> adapter -> trag/reranking/likelihood.gguf.  Goes on where
it was stopped.  Knows nothing about what the likelihood is used for.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

import prompts
from trag.errors import SHOWN
from trag.finetune.reranker.examples import Listing, listings
from trag.finetune.training import base as bases
from trag.finetune.training import blocks, checkpoints, export, material, schedule
from trag.finetune.training.base import Base
from trag.finetune.training.blocks import Block, Vocabulary
from trag.finetune.training.checkpoints import Measured, State
from trag.finetune.training.plan import TrainingSettings
from trag.reranking.likelihood import LONGEST, SHIPPED

SETTINGS = TrainingSettings(
    rank=16, learning_rate=1e-3, epochs=1.0, accumulation=10, checkpoint_seconds=240, held_out=150
)
_MOST_ASKED = 8
"""Questions of one text, the first ones."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, or go on: 0 when it is done, 1 when something is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m trag.finetune.reranker.likelihood", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help="holds the dataset; the training is kept there too")
    folder = parser.parse_args(arguments).folder
    try:
        sides, _ = material.read(folder / "dataset")
        base = bases.find(folder, "")
        vocabulary = bases.vocabulary(base)
        learned, held_out = (asked_blocks(listings(side), vocabulary) for side in sides)
        train(folder / "likelihood", base, learned, held_out, SETTINGS)
        export.adapter(folder / "likelihood" / "adapter", base, SHIPPED)
    except SHOWN as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return 1
    return 0


def asked_blocks(found: Iterable[Listing], vocabulary: Vocabulary) -> tuple[Block, ...]:
    """A block for each text that answers, with the questions that it answers best as what is to be said of it."""
    asked: dict[str, dict[str, None]] = {}
    for listing in found:
        if listing.answering:
            text = listing.texts[listing.answering[0]].whole[:LONGEST]
            asked.setdefault(text, {})[listing.question] = None
    return tuple(_block(text, list(questions)[:_MOST_ASKED], vocabulary) for text, questions in asked.items())


def _block(text: str, questions: Sequence[str], vocabulary: Vocabulary) -> Block:
    prompt = vocabulary.prompt(prompts.asked(text))
    said = [[*vocabulary.text(question), vocabulary.end] for question in questions]
    return blocks.sequence([prompt] * len(said), said)


def train(
    folder: Path, base: Base, learned: Sequence[Block], held_out: Sequence[Block], settings: TrainingSettings
) -> None:
    """The adapter, as PEFT reads it, in folder/adapter.

    Keeps in `folder` where it stands. A training that was stopped and gone on with gives the same.
    """
    from tqdm import tqdm

    from trag.finetune.training.learning import Learner

    folder.mkdir(parents=True, exist_ok=True)
    learner = Learner(base, rank=settings.rank, alpha=settings.alpha, seed=settings.seed)
    told = hashlib.sha256(repr(learned).encode()).hexdigest()
    state = State(checkpoints.kind(base=base.sha256, settings=settings, blocks=told))
    if (found := checkpoints.load(folder)) and found[0].kind == state.kind:
        state = found[0]
        learner.restore(found[1])
    steps = schedule.steps(settings, len(learned))
    losses, saved = list(state.losses), monotonic()
    with tqdm(total=steps, initial=state.step, unit="step", file=sys.stderr, disable=None) as bar:
        for step in range(state.step, steps):
            batch = schedule.batch(settings, learned, step)
            losses.append(Measured(step + 1, learner.learn(batch, schedule.rate(settings, step, steps))))
            recent = losses[-50:]
            bar.set_description(f"loss {sum(one.loss for one in recent) / len(recent):.3f}", refresh=False)
            bar.update()
            if monotonic() - saved > settings.checkpoint_seconds or step + 1 == steps:
                checkpoints.save(folder, State(state.kind, step + 1, losses=tuple(losses)), learner.state())
                saved = monotonic()
    loss = learner.loss(held_out[: settings.held_out])
    sys.stderr.write(f"Held out: {loss:.3f} nats a token of the questions.\n")
    learner.write(learner.weights(), folder / "adapter")


if __name__ == "__main__":
    sys.exit(main())
