"""What a training will take: memory and disk from the shape of the base; and whether it can fit."""

from __future__ import annotations

import shutil
from pathlib import Path

from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training.base import Base
from trag.finetune.training.layout import Shape
from trag.finetune.training.packing import Fitted
from trag.finetune.training.plan import TrainingSettings
from trag.finetune.training.training_process import Needed
from trag.machine import free_memory

_PROGRAM = 600_000_000  # bytes of the libraries and of what the steps leave behind
_ROW, _INNER = 20, 5  # values kept for the way back, for each token and layer, by width and inner width; measured
_TRAINED = 16  # bytes of an adapted weight: itself, its gradient, and two averages of that
_PACKED = 0.56  # bytes of a 4-bit weight with its scales
_MIB = 1_048_576


def needed(folder: Path, base: Base, settings: TrainingSettings, fitted: Fitted) -> Needed:
    """Memory and disk of a training on this machine. Raises TragError where one is too small, and for 4 bits where
    there is no GPU."""
    import torch

    from trag.finetune.training import learner
    from trag.reranking.network import fast_precision

    shape, gpu = bases.shape(base), torch.cuda.is_available()
    packed = learner.uses_four_bits(shape.weights, asked=settings.four_bits)
    rank = settings.rank or learner.default_rank(packed)
    weights = adapter_weights(shape, rank, settings.all_projections)
    needs = memory(
        shape,
        trained=weights,
        longest=max(len(one.tokens) for one in fitted.sequences),
        learned=max(len(one.learned) for one in fitted.sequences),
        weight_bytes=fast_precision(gpu).itemsize,
        packed=packed,
    )
    free = torch.cuda.mem_get_info()[0] if gpu else free_memory()
    if free is None:
        raise TragError("/proc/meminfo does not say how much memory is free.", "Train on Linux.")
    disk = weights * (2 * 12 + 2 * 4 + 4) + 16 * _MIB  # two checkpoints, the best weights twice, and the adapter
    found = Needed(needs, free, disk, shutil.disk_usage(folder).free, fitted.examples, fitted.too_long)
    check(found)
    return found


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


def check(found: Needed) -> None:
    """Raises TragError when memory or disk is too small."""
    if found.memory > found.memory_free:
        raise TragError(
            f"This training needs about {_size(found.memory)} of memory, and {_size(found.memory_free)} are free.",
            "Take a smaller base, set a smaller `longest`, or train on a machine with more memory or with a GPU.",
        )
    if found.disk > found.disk_free:
        raise TragError(
            f"This training needs {_size(found.disk)} of disk, and {_size(found.disk_free)} are free.",
            "Free some space, or set TRAG_HOME to a larger disk.",
        )


def _size(number: int) -> str:
    return f"{number / 10**9:.1f} GB"
