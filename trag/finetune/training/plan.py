"""What a training is told: what to learn from, on which base, and how; and which sequences each step learns from.

settings.json <-> Plan, with every problem at once. All of a step depends on the settings alone, so that a training that
was stopped goes on as it would have. Importing it loads nothing heavy.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated, TypeVar

from annotated_types import Ge, Gt, Lt

from store.files import write_atomic
from trag.errors import TragError
from trag.json_lines import made

FILE = "settings.json"
Whole = Annotated[int, Ge(0)]
Some = Annotated[int, Gt(0)]
Positive = Annotated[float, Gt(0)]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How it learns. Tokens count those of a sequence; a step learns from `accumulation` sequences."""

    __pydantic_config__ = {"allow_inf_nan": False}  # noqa: RUF012
    rank: Whole = 0
    """0 is that of the adapter that it begins from, else 16, and 64 over 4-bit weights (T-RAG, section 5.2)."""
    all_projections: bool = False
    """Whether all seven projections of a layer are adapted, or those of query and value alone (LoRA, section 7.1)."""
    alpha: Whole = 0
    """The adapter is scaled by alpha / rank; 0 is twice the rank."""
    learning_rate: Positive = 5e-4
    """The highest: reached after the warm-up, then falling along a cosine to nothing."""
    warm_up: Annotated[float, Ge(0), Lt(1)] = 0.05
    """Share of the steps in which the learning rate rises."""
    epochs: Positive = 2.0
    """How often each example is learned from."""
    accumulation: Some = 8
    """Sequences to a step, each with one example or several."""
    longest: Some = 1024
    """Tokens of a sequence; longer examples are left out."""
    seed: int = 1
    """Decides the first weights and the order of the examples."""
    checkpoint_seconds: Whole = 300
    """How often the training can be gone on with from."""
    evaluations: Some = 10
    """How often the loss on the held-out examples is measured."""
    held_out: Some = 48
    """Held-out sequences that it is measured on."""
    patience: Some = 3
    """Measurements without a better loss after which it ends early."""
    four_bits: bool = False
    """Whether the base is held in 4 bits (QLoRA), as it is anyway where 16 would take half of a GPU's memory."""


_SETTINGS = tuple(setting.name for setting in fields(TrainingSettings))
_FROM_AN_ADAPTER = {"learning_rate": 1e-4, "epochs": 1.0}
"""What is usual for a training that begins from an adapter: at a higher rate it forgets what that has learned."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One training: `dataset` holds train.jsonl and held_out.jsonl; `model` is the GGUF file that the adapter is for,
    "" for the embedded model as `home` has it; `base` is the same, or a Hugging Face folder with its weights; `adapter`
    is the GGUF file of the adapter that it begins from, "" for none."""

    dataset: Path
    base: str = ""
    settings: TrainingSettings = field(default_factory=TrainingSettings)
    model: str = ""
    adapter: str = ""


@dataclass(frozen=True, slots=True)
class _Written(TrainingSettings):
    dataset: str = field(kw_only=True)
    base: str = ""
    model: str = ""
    adapter: str = ""


def chosen(numbers: Mapping[str, float], *, from_adapter: bool = False) -> TrainingSettings:
    """The settings of these names, the others as is usual. Raises TragError with all that is wrong with them."""
    try:
        return made(TrainingSettings, (_FROM_AN_ADAPTER if from_adapter else {}) | dict(numbers))
    except ValueError as error:
        raise TragError(
            f"No training can be begun with these settings: {error}.",
            f"The settings of a training are: {', '.join(_SETTINGS)}.",
        ) from error


def write(folder: Path, plan: Plan) -> None:
    """Keep the plan in `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    places = {"dataset": str(plan.dataset.absolute()), "base": plan.base, "model": plan.model, "adapter": plan.adapter}
    write_atomic(folder / FILE, json.dumps(places | asdict(plan.settings), indent=2).encode())


def read(folder: Path) -> Plan:
    """The plan in `folder`. Raises TragError with all that is wrong with it."""
    path = folder / FILE
    try:
        found = made(_Written, path.read_bytes())
    except OSError as error:
        raise TragError(f"{path} cannot be read: {error.strerror}.", "Name the folder of a training.") from error
    except ValueError as error:
        raise TragError(f"{path}: {error}.", "Correct it, or begin a new training.") from error
    settings = TrainingSettings(**{name: getattr(found, name) for name in _SETTINGS})
    return Plan(Path(found.dataset), found.base, settings, found.model, found.adapter)


T = TypeVar("T")


def steps(settings: TrainingSettings, sequences: int) -> int:
    """How many it takes to learn from so many sequences as often as is planned."""
    return max(1, math.ceil(settings.epochs * sequences / settings.accumulation))


def batch(settings: TrainingSettings, sequences: Sequence[T], step: int) -> list[T]:
    """What step number `step`, from 0, learns from: all sequences in a new order in each epoch, one after the other."""
    batch = []
    for place in range(step * settings.accumulation, (step + 1) * settings.accumulation):
        epoch, position = divmod(place, len(sequences))
        batch.append(sequences[_epoch_order(settings.seed, epoch, len(sequences))[position]])
    return batch


@lru_cache(maxsize=2)
def _epoch_order(seed: int, epoch: int, size: int) -> list[int]:
    return random.Random(f"{seed} {epoch}").sample(range(size), size)


def learning_rate(settings: TrainingSettings, step: int, steps: int) -> float:
    """The learning rate of a step: up to the highest in the warm-up, then along a cosine to nothing."""
    warm = settings.warm_up * steps
    if step < warm:
        return settings.learning_rate * (step + 1) / (warm + 1)
    return settings.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1.0, steps - warm)))
