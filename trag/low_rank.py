"""Small changes to the matrices of an encoder, which stays as it is: W + 2 B A (LoRA, Hu et al. 2021), as torch modules.

Learned as layers around those of the encoder, kept as a file of a megabyte, made part of the matrices where they run.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.nn.functional import linear

from trag.errors import OperatorError

RANK = 16
_SCALE = 2.0


class Changed(nn.Module):
    """A layer of the encoder, which stays as it is, with a change of low rank that is learned."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(layer.out_features, RANK))

    def forward(self, states: Tensor) -> Tensor:
        change = linear(linear(states, self.down.to(states.dtype)), self.up.to(states.dtype))
        return torch.add(self.layer(states), change, alpha=_SCALE)


def change(encoder: nn.Module) -> None:
    """Every linear layer of the encoder gets a change to learn; nothing else of it learns or is dropped out."""
    encoder.requires_grad_(False)
    for module in tuple(encoder.modules()):
        if isinstance(module, nn.Dropout):
            module.p = 0.0  # one or two rounds over the examples are too few to learn them by heart
        for name, child in module.named_children():
            if isinstance(child, nn.Linear) and not isinstance(module, Changed):
                setattr(module, name, Changed(child))


def learned(network: nn.Module) -> dict[str, Tensor]:
    """A copy of what was learned, by name."""
    return {name: value.detach().clone() for name, value in network.named_parameters() if value.requires_grad}


def merge(network: nn.Module, file: Path) -> None:
    """Make the changes in `file` part of the network's matrices, which are float32; what else it holds takes the place
    of the parameters of the same names.

    Raises TragError when the file is none, or made for another network.
    """
    layers, parameters = dict(network.named_modules()), dict(network.named_parameters())
    try:
        with safe_open(file, "pt") as opened, torch.no_grad():
            values = {name: opened.get_tensor(name).float() for name in opened.keys()}  # noqa: SIM118  (no mapping)
            for name, value in values.items():
                place, _, half = name.rpartition(".")
                if half == "up":
                    layer = layers[place]
                    assert isinstance(layer, nn.Linear)
                    layer.weight += _SCALE * value @ values[f"{place}.down"]
                elif half != "down":
                    parameters[name].copy_(value)
    except (OSError, SafetensorError, KeyError, RuntimeError) as error:
        raise OperatorError(
            f"What was learned ({file}) cannot be read: {error}.", "Install the program again."
        ) from error
