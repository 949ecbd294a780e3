"""Weights in 4 bits for QLoRA on a GPU: NormalFloat4 with double quantization (QLoRA, sections 2 and 3; T-RAG, 5.2).

Knows nothing about adapters. bitsandbytes is not among the requirements: requirements-gpu.txt names it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch

from trag.errors import TragError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def is_needed(weights: int) -> bool:
    """Whether so many weights would take more than half of the GPU's memory in 16 bits."""
    return 2 * weights > torch.cuda.get_device_properties(0).total_memory / 2


def is_used(weights: int, *, asked: bool) -> bool:
    """Whether so many weights are held in 4 bits: where that is `asked` or needed. Raises TragError when it is asked
    without a GPU."""
    if asked and not torch.cuda.is_available():
        raise TragError(
            "Weights are held in 4 bits on an NVIDIA GPU alone, and torch finds none here.",
            "Begin with --new and without --four-bits; or train on a machine with a GPU, and with torch built for its "
            "CUDA.",
        )
    return torch.cuda.is_available() and (asked or is_needed(weights))


def quantize(model: PreTrainedModel) -> None:
    """Replace every projection in the layers by one of 4 bits; they are packed when the model moves to its device.

    What one layer needs for its gradients is computed again on the way back, which saves most of the memory. Raises
    TragError when bitsandbytes is not installed.
    """
    if not find_spec("bitsandbytes"):
        raise TragError(
            "The weights are to be held in 4 bits, as was asked for or as the GPU's memory wants it, and bitsandbytes, "
            "which packs them, is not installed.",
            "pip install -r requirements-gpu.txt",
        )
    from bitsandbytes.nn import Linear4bit, Params4bit

    for layer in model.model.layers:
        for holder in (layer.self_attn, layer.mlp):
            for name, linear in list(holder.named_children()):
                if isinstance(linear, torch.nn.Linear):
                    packed = Linear4bit(
                        linear.in_features,
                        linear.out_features,
                        bias=linear.bias is not None,
                        compute_dtype=torch.bfloat16,
                        compress_statistics=True,
                        quant_type="nf4",
                        device="meta",
                    )
                    packed.weight = Params4bit(
                        linear.weight.data, requires_grad=False, compress_statistics=True, quant_type="nf4"
                    )
                    packed.bias = linear.bias
                    setattr(holder, name, packed)
    model.is_loaded_in_4bit = True  # type: ignore[assignment]  # what PEFT looks at
    model.activation_checkpointing_enable({"use_reentrant": False})
