"""What a training is made of: the base, the dataset as blocks, and what tells it from another; and what all that needs.

Plan -> Bases, Fitted, Needs.  Knows nothing about steps or checkpoints.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from trag.errors import TragError
from trag.finetune.dataset import examples, folders
from trag.finetune.training import base as bases
from trag.finetune.training import beginning, blocks, checkpoints, estimate, progress
from trag.finetune.training.base import Base
from trag.finetune.training.beginning import Beginning
from trag.finetune.training.blocks import Block, Fitted
from trag.finetune.training.estimate import Needs
from trag.finetune.training.plan import Plan, TrainingSettings

Say = Callable[[progress.Report], None]
Sides = tuple[Sequence[examples.Example], Sequence[examples.Example]]
"""What is learned from, and what is held out."""


def bases_of(order: Plan) -> tuple[Base, Base]:
    """What is trained on, and the GGUF file that the adapter is for, which is another one only beside a folder. Raises
    TragError when one of them cannot be used, or they are not one model."""
    base = bases.find(order.home, order.base)
    if not base.is_folder:
        return base, base
    model = bases.find_file(order.home, order.model)
    bases.check_twin(base, model)
    return base, model


def beginning_of(order: Plan, model: Base) -> tuple[Beginning | None, TrainingSettings]:
    """The adapter that the training begins from, None for none, and the settings with its rank. Raises TragError when
    it cannot be read, or another rank is asked for."""
    if not order.adapter:
        return None, order.settings
    beginning.check_rank(Path(order.adapter), order.settings.rank)
    found = beginning.read(Path(order.adapter), model)
    return found, replace(order.settings, rank=found.rank)


def read(folder: Path) -> tuple[Sides, str]:
    """Both sides of the dataset in a folder, and the sha256 by which it is known. Raises TragError when it cannot be
    learned from."""
    contents = []
    for name in (folders.TRAIN, folders.HELD_OUT):
        try:
            contents.append((folder / name).read_bytes())
        except OSError as error:
            raise TragError(
                f"{folder / name} cannot be read: {error.strerror}.",
                "Make the dataset: python -m trag finetune dataset",
            ) from error
    learned, held_out = contents
    sides = (
        examples.read(learned, str(folder / folders.TRAIN), least=examples.LEAST_TO_LEARN),
        examples.read(held_out, str(folder / folders.HELD_OUT)),
    )
    return sides, folders.sha256_of(learned, held_out)


def kind(base: Base, dataset_sha256: str, settings: TrainingSettings, begun: Beginning | None = None) -> str:
    """What tells a training from another. A setting that is off does not count, so that a checkpoint of a program that
    did not know it is still gone on with; nor does an adapter that it does not begin from."""
    values = asdict(replace(settings, checkpoint_seconds=0))
    if not settings.four_bits:
        del values["four_bits"]
    if begun:
        values["adapter"] = begun.sha256
    return checkpoints.kind(base=base.sha256, dataset=dataset_sha256, **values)


def fit(model: Base, sides: Sides, longest: int, say: Say) -> tuple[Fitted, Fitted]:
    """Both sides as blocks of at most `longest` tokens, those of the GGUF file that will answer. Raises TragError when
    none is left of one."""
    say(progress.Preparing("turning the examples into tokens"))
    vocabulary = bases.vocabulary(model)
    learned, held_out = (blocks.fit(side, vocabulary, longest) for side in sides)
    return learned, held_out


def needs(folder: Path, base: Base, settings: TrainingSettings, fitted: Sequence[Block]) -> Needs:
    """Memory and disk of a training on this machine. Raises TragError for 4 bits where there is no GPU."""
    import torch

    from trag import precision
    from trag.finetune.training import learning, quantized

    shape, gpu = bases.shape(base), torch.cuda.is_available()
    packed = quantized.is_used(shape.weights, asked=settings.four_bits)
    rank = settings.rank or learning.default_rank(packed)
    together = list(blocks.packed(fitted))
    memory = estimate.memory(
        shape,
        rank=rank,
        longest=max(len(some.tokens) for some in together),
        learned=max(len(some.learned) for some in together),
        weight_bytes=precision.fast(gpu).itemsize,
        packed=packed,
    )
    free = torch.cuda.mem_get_info()[0] if gpu else estimate.free_memory()
    return Needs(memory, free, estimate.disk(shape, rank), shutil.disk_usage(folder).free)
