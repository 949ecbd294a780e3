"""What a training is told: what to learn from, on which base, and how. Kept as settings.json in the training's folder.

settings.json <-> Plan, with every problem at once.  Importing it loads nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from store.files import write_atomic
from trag.errors import TragError

FILE = "settings.json"
_NUMBERS: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float)}


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How it learns. Tokens count those of a sequence; a step learns from `accumulation` sequences."""

    rank: int = 0
    """Of the adapter; 0 is 16, and 64 over 4-bit weights (T-RAG, section 5.2)."""
    alpha: int = 0
    """The adapter is scaled by alpha / rank; 0 is twice the rank."""
    learning_rate: float = 5e-4
    """The highest: reached after the warm-up, then falling along a cosine to nothing."""
    warm_up: float = 0.05
    """Share of the steps in which the learning rate rises."""
    epochs: float = 2.0
    """How often each example is learned from."""
    accumulation: int = 8
    """Sequences to a step."""
    longest: int = 2048
    """Tokens of a sequence; longer examples are left out."""
    seed: int = 1
    """Decides the first weights and the order of the examples."""
    checkpoint_seconds: int = 300
    """How often the training can be gone on with from."""
    evaluations: int = 10
    """How often the loss on the held-out examples is measured."""
    held_out: int = 48
    """Held-out examples that it is measured on."""
    patience: int = 3
    """Measurements without a better loss after which it ends early."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One training: `dataset` holds train.jsonl and held_out.jsonl; `base` is a GGUF file, a Hugging Face folder, or ""
    for the embedded model as `home` has it."""

    dataset: Path
    home: Path
    base: str = ""
    settings: TrainingSettings = field(default_factory=TrainingSettings)


def write(folder: Path, plan: Plan) -> None:
    """Keep the plan in `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    places = {"dataset": str(plan.dataset.absolute()), "home": str(plan.home.absolute()), "base": plan.base}
    write_atomic(folder / FILE, json.dumps(places | asdict(plan.settings), indent=2).encode())


def read(folder: Path) -> Plan:
    """The plan in `folder`. Raises TragError with all that is wrong with it."""
    path = folder / FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TragError(f"{path} cannot be read: {error.strerror}.", "Name the folder of a training.") from error
    except ValueError as error:
        raise TragError(f"{path} is no JSON: {error}.", "Correct it.") from error
    if not isinstance(values, dict):
        raise TragError(f"{path} holds no settings.", "Correct it.")
    known = {setting.name: str(setting.type) for setting in fields(TrainingSettings)}
    problems = [f'unknown setting "{key}"' for key in values if key not in {*known, "dataset", "home", "base"}]
    problems += [f'"{key}" must be a path' for key in ("dataset", "home") if not isinstance(values.get(key), str)]
    if not isinstance(values.get("base", ""), str):
        problems.append('"base" must be a path, or empty')
    for key, kind in known.items():
        value = values.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, _NUMBERS[kind]):
            problems.append(f'"{key}" must be a number{"" if kind == "float" else " without a fraction"}')
    if not problems:
        settings = TrainingSettings(**{key: values[key] for key in known if key in values})
        problems = _senseless(settings)
    if problems:
        raise TragError(f"{path}: {'; '.join(problems)}.", "Correct it, or begin a new training.")
    return Plan(Path(values["dataset"]), Path(values["home"]), values.get("base", ""), settings)


def _senseless(settings: TrainingSettings) -> list[str]:
    values: Mapping[str, Any] = asdict(settings)
    positive = ("learning_rate", "epochs", "accumulation", "longest", "evaluations", "held_out", "patience")
    problems = [f'"{key}" must be more than 0' for key in positive if not values[key] > 0]
    problems += [f'"{key}" must not be negative' for key in ("rank", "alpha", "checkpoint_seconds") if values[key] < 0]
    if not 0 <= settings.warm_up < 1:
        problems.append('"warm_up" must be at least 0 and less than 1')
    return problems
