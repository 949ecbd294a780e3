"""The adapter that a training begins from: the one that answers already, so that what it has learned is not lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training import layout
from trag.finetune.training.base import Base
from trag.finetune.training.layout import Rows
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.llm.files import sha256_of

_DOWN, _UP = ".lora_a", ".lora_b"
_WITHOUT = "To begin from the model itself, set TRAG_ADAPTER=none and begin a new fine-tune (--new)."


@dataclass(frozen=True, slots=True)
class InitialAdapter:
    """By the name of a module in transformers its halves, [rank, inputs] and [outputs, rank] in float32, whose product
    is scaled by `scale`; `all_projections` is whether it changes more than the usual few."""

    rank: int
    scale: float
    all_projections: bool
    halves: Mapping[str, tuple[Rows, Rows]]
    sha256: str


def check_rank(file: Path, wanted: int) -> None:
    """Raises TragError when the adapter in a GGUF file is of another rank than `wanted`, 0 for any, or none at all."""
    ranks = {len(down) for down, _ in _halves(file)[1].values()}
    if wanted and ranks != {wanted}:
        raise TragError(
            f"The adapter that answers now, and that the training begins from, is of rank {max(ranks)}, not {wanted}.",
            f"Leave out the rank. {_WITHOUT}",
        )


def of(order: Plan, model: Base) -> tuple[InitialAdapter | None, TrainingSettings]:
    """The adapter that the training begins from, and the settings with its rank. Raises TragError for another rank."""
    if not order.adapter:
        return None, order.settings
    check_rank(Path(order.adapter), order.settings.rank)
    found = read(Path(order.adapter), model)
    return found, replace(order.settings, rank=found.rank, all_projections=found.all_projections)


def read(file: Path, model: Base) -> InitialAdapter:
    """The adapter in a GGUF file, made for `model`. Raises TragError when no training can begin from it."""
    alpha, pairs = _halves(file)
    shape, ranks = bases.shape(model), {len(down) for down, _ in pairs.values()}
    foreign = [name for name in pairs if layout.projection(name) == ""]
    if foreign or len(ranks) != 1:
        problem = f"changes {foreign[0]}, which is not trained here" if foreign else f"is of {len(ranks)} ranks"
        raise TragError(f"No training can begin from {file}: it {problem}.", _WITHOUT)
    (rank,) = ranks
    halves = {}
    for name, (down, up) in pairs.items():
        heads = layout.turned(name, shape.architecture, shape.heads, shape.keys)
        halves[layout.projection(name)] = (down, layout.from_llama_cpp(up, heads) if heads else up)
    few = all(name.split(".")[2] in layout.FEW for name in pairs)
    return InitialAdapter(rank, alpha / rank, not few, halves, sha256_of(file))


def _halves(file: Path) -> tuple[float, Mapping[str, tuple[Rows, Rows]]]:
    """Alpha, and by the name of a tensor in llama.cpp its two halves."""
    from gguf import GGUFReader
    from gguf.quants import dequantize

    try:
        reader = GGUFReader(file)
        alpha = float(reader.fields["adapter.lora.alpha"].contents())
        tensors = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
        names = sorted({name.removesuffix(_DOWN).removesuffix(_UP) for name in tensors})
        return alpha, {name: (tensors[f"{name}{_DOWN}"], tensors[f"{name}{_UP}"]) for name in names}
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise TragError(f"{file} holds no adapter that can be read: {error}.", _WITHOUT) from error
