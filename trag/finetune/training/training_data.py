"""What a training is made of: its base, the adapter it begins from, the dataset as sequences; and its fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from trag.errors import TragError
from trag.finetune.dataset import examples, folders
from trag.finetune.training import base as bases
from trag.finetune.training import checkpoints, initial_adapter, packing
from trag.finetune.training.base import Base
from trag.finetune.training.initial_adapter import InitialAdapter
from trag.finetune.training.packing import Fitted
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.training_process import Preparing, Report

Say = Callable[[Report], None]
Sides = tuple[Sequence[examples.Example], Sequence[examples.Example]]
"""What is learned from, and what is held out."""


def bases_of(order: Plan) -> tuple[Base, Base]:
    """What is trained on, and the GGUF file that the adapter is for. Raises TragError unless they are one model."""
    base = bases.find(order.base)
    if not base.is_folder:
        return base, base
    model = bases.find_file(order.model)
    bases.check_twin(base, model)
    return base, model


def initial_adapter_of(order: Plan, model: Base) -> tuple[InitialAdapter | None, TrainingSettings]:
    """The adapter that the training begins from, and the settings with its rank. Raises TragError for another rank."""
    if not order.adapter:
        return None, order.settings
    initial_adapter.check_rank(Path(order.adapter), order.settings.rank)
    found = initial_adapter.read(Path(order.adapter), model)
    return found, replace(order.settings, rank=found.rank, all_projections=found.all_projections)


def read(folder: Path) -> tuple[Sides, str]:
    """Both sides of the dataset in a folder, and its sha256. Raises TragError when it cannot be learned from."""
    try:
        learned, held_out = ((folder / name).read_bytes() for name in (folders.TRAIN, folders.HELD_OUT))
    except OSError as error:
        hint = "Make the dataset: python -m trag finetune dataset"
        raise TragError(f"{error.filename} cannot be read: {error.strerror}.", hint) from error
    sides = (
        examples.read(learned, str(folder / folders.TRAIN), least=examples.LEAST_TO_LEARN),
        examples.read(held_out, str(folder / folders.HELD_OUT)),
    )
    return sides, folders.sha256_of(learned, held_out)


def fingerprint(
    base: Base, dataset_sha256: str, settings: TrainingSettings, begun: InitialAdapter | None = None
) -> str:
    """What tells a training from another."""
    values = asdict(replace(settings, checkpoint_seconds=0))
    return checkpoints.fingerprint(
        base=base.sha256, dataset=dataset_sha256, adapter=begun.sha256 if begun else "", settings=values
    )


def fit(model: Base, sides: Sides, longest: int, say: Say) -> tuple[Fitted, Fitted]:
    """Both sides as sequences of at most `longest` tokens. Raises TragError when none is left of one."""
    say(Preparing("turning the examples into tokens"))
    vocabulary = bases.GgufVocabulary(model)
    learned, held_out = (packing.fit(side, vocabulary, longest) for side in sides)
    return learned, held_out
