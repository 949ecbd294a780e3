"""What a training will take: memory and disk from the shape of the base; and whether it can fit."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training.base import Base
from trag.finetune.training.layout import Shape
from trag.finetune.training.packing import Packed
from trag.finetune.training.plan import TrainingSettings
from trag.machine import free_memory

_PROGRAM = 600_000_000  # bytes of the libraries and of what the steps leave behind
_ROW, _INNER = 20, 5  # values kept for the way back, for each token and layer, by width and inner width; measured
_TRAINED = 16  # bytes of an adapted weight: itself, its gradient, and two averages of that
_PACKED = 0.56  # bytes of a 4-bit weight with its scales
_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes that a training takes at most, and those that there are."""

    memory: int
    memory_free: int
    disk: int
    disk_free: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What it takes and how long, with the speed of a measured step; `too_long` examples are left out."""

    needs: Needs
    examples: int
    too_long: int
    steps: int
    tokens: int
    tokens_per_second: float
    seconds: float


def needs(folder: Path, base: Base, settings: TrainingSettings, fitted: Sequence[Packed]) -> Needs:
    """Memory and disk of a training on this machine. Raises TragError for 4 bits where there is no GPU."""
    import torch

    from trag.finetune.training import learner
    from trag.reranking.network import fast_precision

    shape, gpu = bases.shape(base), torch.cuda.is_available()
    packed = learner.uses_four_bits(shape.weights, asked=settings.four_bits)
    rank = settings.rank or learner.default_rank(packed)
    weights = adapter_weights(shape, rank, settings.all_projections)
    needed = memory(
        shape,
        trained=weights,
        longest=max(len(one.tokens) for one in fitted),
        learned=max(len(one.learned) for one in fitted),
        weight_bytes=fast_precision(gpu).itemsize,
        packed=packed,
    )
    free = torch.cuda.mem_get_info()[0] if gpu else free_memory()
    if free is None:
        raise TragError("/proc/meminfo does not say how much memory is free.", "Train on Linux.")
    disk = weights * (2 * 12 + 2 * 4 + 4) + 16 * _MIB  # two checkpoints, the best weights twice, and the adapter
    return Needs(needed, free, disk, shutil.disk_usage(folder).free)


def memory(shape: Shape, *, trained: int, longest: int, learned: int, weight_bytes: int, packed: bool) -> int:
    """Bytes for a longest sequence of `longest` tokens, of which `learned` are, and an adapter of `trained` weights.
    The weights take `weight_bytes` each, or are `packed` into 4 bits: then what one layer needs for the way back is
    computed again, and held for one layer only."""
    token = weight_bytes * (_ROW * shape.width + _INNER * shape.inner + shape.heads * longest // 2)
    kept = token + shape.layers * shape.width * weight_bytes if packed else token * shape.layers
    weights = _PACKED * (shape.weights - shape.outside) + 2 * shape.outside if packed else weight_bytes * shape.weights
    logits = 12 * learned * shape.vocabulary
    return int(_PROGRAM + weights + _TRAINED * trained + longest * kept + logits)


def adapter_weights(shape: Shape, rank: int, all_projections: bool) -> int:
    """Weights of an adapter of this rank."""
    queries, keys = shape.heads * shape.head_width, shape.keys * shape.head_width
    sides = 2 * shape.width + queries + keys  # of query and value
    if all_projections:
        sides = 2 * sides + 3 * (shape.width + shape.inner)
    return shape.layers * rank * sides


def check(found: Needs) -> None:
    """Raises TragError when memory or disk is too small."""
    memory, memory_free, disk, disk_free = (f"{size / 10**9:.1f} GB" for size in astuple(found))
    if found.memory > found.memory_free:
        raise TragError(
            f"This training needs about {memory} of memory, and {memory_free} are free.",
            "Take a smaller base, set a smaller `longest`, or train on a machine with more memory or with a GPU.",
        )
    if found.disk > found.disk_free:
        raise TragError(
            f"This training needs {disk} of disk, and {disk_free} are free.",
            "Free some space, or set TRAG_HOME to a larger disk.",
        )
