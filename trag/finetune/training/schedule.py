"""Which sequences each step learns from, and how much: all of it depends on the settings alone, so that a training that
was stopped goes on as it would have.

settings, step -> batch, learning rate.  Knows nothing about models.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from trag.finetune.training.packing import Packed
from trag.finetune.training.plan import TrainingSettings

T = TypeVar("T")


def steps(settings: TrainingSettings, sequences: int) -> int:
    """How many it takes to learn from so many sequences as often as is planned."""
    return max(1, math.ceil(settings.epochs * sequences / settings.accumulation))


def batch(settings: TrainingSettings, sequences: Sequence[T], step: int) -> list[T]:
    """What step number `step`, from 0, learns from: all sequences in a new order in each epoch, one after the other."""
    batch = []
    for place in range(step * settings.accumulation, (step + 1) * settings.accumulation):
        epoch, position = divmod(place, len(sequences))
        batch.append(sequences[_order(settings.seed, epoch, len(sequences))[position]])
    return batch


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, size: int) -> list[int]:
    return random.Random(f"{seed} {epoch}").sample(range(size), size)


def rate(settings: TrainingSettings, step: int, steps: int) -> float:
    """The learning rate of a step: up to the highest in the warm-up, then along a cosine to nothing."""
    warm = settings.warm_up * steps
    if step < warm:
        return settings.learning_rate * (step + 1) / (warm + 1)
    return settings.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1.0, steps - warm)))


def size(batch: Sequence[Packed]) -> int:
    """Tokens of a batch."""
    return sum(len(one.tokens) for one in batch)
