"""Where a training stands, kept so that it can be gone on with after any end: weights, optimizer, position, losses; the
losses also as a table.

One file, written beside and renamed: it is that of the last checkpoint or of the one before, never half of both. The
order of the examples and the first weights depend on the seed alone, so a position says all that is left of chance.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from store.files import write_atomic
from trag.errors import TragError
from trag.json_lines import kept

if TYPE_CHECKING:
    import torch

_FILE = "checkpoint.safetensors"
_BEST = "best.safetensors"


@dataclass(frozen=True, slots=True)
class LossPoint:
    """A loss, and after how many steps it was measured."""

    step: int
    loss: float


@dataclass(frozen=True, slots=True)
class State:
    """Where it stands. `kind` is the fingerprint of what may go on with it."""

    kind: str
    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    losses: tuple[LossPoint, ...] = ()
    held_out: tuple[LossPoint, ...] = ()


def fingerprint(**values: object) -> str:
    """A hash of what makes a training another one: base, dataset, settings, and what it begins from."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


def save(folder: Path, state: State, tensors: Mapping[str, torch.Tensor]) -> None:
    """Keep the state. Raises StoreError when there is no space."""
    from safetensors.torch import save as as_bytes

    write_atomic(folder / _FILE, as_bytes(dict(tensors), {"state": json.dumps(asdict(state))}))


def load(folder: Path) -> tuple[State, dict[str, torch.Tensor]] | None:
    """What `save` kept last, None where it never did. Raises TragError when the file is damaged."""
    path = folder / _FILE
    if not path.exists():
        return None
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            state = kept(State, file.metadata()["state"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (it is no mapping)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise TragError(f"{path} is damaged: {error}.", f"Remove {path.name}; the training begins anew.") from error
    return state, tensors


def tensors_of(parameters: Mapping[str, torch.Tensor], optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Copies of the parameters, by name, and of what AdamW keeps of each: all that `take_up` needs."""
    tensors = {name: value.detach().cpu().clone() for name, value in parameters.items()}
    for name, value in parameters.items():
        tensors |= {f"{key}:{name}": held.detach().cpu() for key, held in optimizer.state.get(value, {}).items()}
    return tensors


def take_up(
    tensors: Mapping[str, torch.Tensor], parameters: Mapping[str, torch.Tensor], optimizer: torch.optim.Optimizer
) -> None:
    """Give parameters of the same shapes, and AdamW, what `tensors_of` gave."""
    import torch

    with torch.no_grad():
        for name, value in parameters.items():
            value.copy_(tensors[name])
    for name, value in parameters.items():
        for key in ("step", "exp_avg", "exp_avg_sq"):
            if (held := tensors.get(f"{key}:{name}")) is not None:
                # AdamW counts its steps on the CPU.
                place = held.clone() if key == "step" else held.to(value.device, copy=True)
                optimizer.state[value][key] = place


def save_best(folder: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Keep the weights with the lowest held-out loss."""
    from safetensors.torch import save as as_bytes

    write_atomic(folder / _BEST, as_bytes(dict(weights)))


def load_best(folder: Path) -> dict[str, torch.Tensor]:
    """What `save_best` kept last."""
    from safetensors.torch import load as from_bytes

    return from_bytes((folder / _BEST).read_bytes())


def loss_table(losses: Sequence[LossPoint], held_out: Sequence[LossPoint]) -> bytes:
    """CSV: step, loss, held_out; the latter where it was measured."""
    rows = {one.step: [one.step, f"{one.loss:.5f}", ""] for one in losses}
    for one in held_out:
        rows.setdefault(one.step, [one.step, "", ""])[2] = f"{one.loss:.5f}"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([["step", "loss", "held_out"], *(rows[step] for step in sorted(rows))])
    return text.getvalue().encode()
