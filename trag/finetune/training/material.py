"""What a training is made of: the base, the dataset as sequences, and what tells it from another; and what it needs.

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
from trag.finetune.training import beginning, checkpoints, estimate, packing, progress
from trag.finetune.training.base import Base
from trag.finetune.training.beginning import Beginning
from trag.finetune.training.estimate import Needs
from trag.finetune.training.packing import Fitted, Packed
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.machine import free_memory

Say = Callable[[progress.Report], None]
Sides = tuple[Sequence[examples.Example], Sequence[examples.Example]]
"""What is learned from, and what is held out."""


def bases_of(order: Plan) -> tuple[Base, Base]:
    """What is trained on, and the GGUF file that the adapter is for, which is another one only beside a folder. Raises
    TragError when one of them cannot be used, or they are not one model."""
    base = bases.find(order.base)
    if not base.is_folder:
        return base, base
    model = bases.find_file(order.model)
    bases.check_twin(base, model)
    return base, model


def beginning_of(order: Plan, model: Base) -> tuple[Beginning | None, TrainingSettings]:
    """The adapter that the training begins from, None for none, and the settings with its rank and projections. Raises
    TragError when it cannot be read, or another rank is asked for."""
    if not order.adapter:
        return None, order.settings
    beginning.check_rank(Path(order.adapter), order.settings.rank)
    found = beginning.read(Path(order.adapter), model)
    return found, replace(order.settings, rank=found.rank, all_projections=found.all_projections)


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
    """What tells a training from another."""
    values = asdict(replace(settings, checkpoint_seconds=0))
    return checkpoints.kind(
        base=base.sha256, dataset=dataset_sha256, adapter=begun.sha256 if begun else "", settings=values
    )


def fit(model: Base, sides: Sides, longest: int, say: Say) -> tuple[Fitted, Fitted]:
    """Both sides as sequences of at most `longest` tokens, those of the GGUF file that will answer. Raises TragError
    when none is left of one."""
    say(progress.Preparing("turning the examples into tokens"))
    vocabulary = bases.vocabulary(model)
    learned, held_out = (packing.fit(side, vocabulary, longest) for side in sides)
    return learned, held_out


def needs(folder: Path, base: Base, settings: TrainingSettings, fitted: Sequence[Packed]) -> Needs:
    """Memory and disk of a training on this machine. Raises TragError for 4 bits where there is no GPU."""
    import torch

    from trag import precision
    from trag.finetune.training import learning, quantized

    shape, gpu = bases.shape(base), torch.cuda.is_available()
    packed = quantized.is_used(shape.weights, asked=settings.four_bits)
    rank = settings.rank or learning.default_rank(packed)
    weights = estimate.adapter_weights(shape, rank, settings.all_projections)
    memory = estimate.memory(
        shape,
        trained=weights,
        longest=max(len(one.tokens) for one in fitted),
        learned=max(len(one.learned) for one in fitted),
        weight_bytes=precision.fast(gpu).itemsize,
        packed=packed,
    )
    free = torch.cuda.mem_get_info()[0] if gpu else free_memory()
    if free is None:
        raise TragError("/proc/meminfo does not say how much memory is free.", "Train on Linux.")
    return Needs(memory, free, estimate.disk(weights), shutil.disk_usage(folder).free)
