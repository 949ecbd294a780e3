"""Weights in 4 bits for QLoRA on a GPU: NormalFloat4 with double quantization (QLoRA, sections 2 and 3; T-RAG, 5.2).

Knows nothing about adapters. bitsandbytes is not among the requirements: requirements-gpu.txt names it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch

from trag.errors import TragError

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


def is_needed(weights: int) -> bool:
    """Whether so many weights would take more than half of the GPU's memory in 16 bits."""
    return 2 * weights > torch.cuda.get_device_properties(0).total_memory / 2


def quantize(model: LlamaForCausalLM) -> None:
    """Replace every projection in the layers by one of 4 bits; they are packed when the model moves to its device.

    What one layer needs for its gradients is computed again on the way back, which saves most of the memory. Raises
    TragError when bitsandbytes is not installed.
    """
    if not find_spec("bitsandbytes"):
        raise TragError(
            "This base is too large for the GPU's memory in 16 bits, and bitsandbytes, which packs it into 4, is not "
            "installed.",
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
