"""How llama.cpp and transformers name and order the same weights.

Both keep a projection as rows of outputs. For models of the llama architecture, llama.cpp turns pairs of neighbouring
values in the query and the key and transformers the first half with the second, so the rows of these two stand in
another order; for qwen2 both do as transformers.  Knows nothing about files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[Any]
"""Weights, a row an output."""

ARCHITECTURES = ("llama", "qwen2")
PROJECTIONS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""The seven of each layer that can be adapted: name in a GGUF file -> name of the module in transformers."""
FEW = ("attn_q", "attn_v")
"""Those that are adapted unless all are asked for (LoRA, section 7.1)."""
_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


def parameter(tensor: str) -> str:
    """What transformers calls the tensor "blk.3.attn_q.weight"; "" for one that no such model has."""
    match tensor.split("."):
        case ["blk", layer, name, part] if place := (PROJECTIONS | _NORMS).get(name):
            return f"model.layers.{layer}.{place}.{part}"
        case [name, "weight"] if place := _OUTSIDE.get(name):
            return f"{place}.weight"
    return ""


def projection(tensor: str) -> str:
    """The module in transformers of one of the seven projections, "blk.3.attn_q.weight"; "" for any other tensor."""
    match tensor.split("."):
        case ["blk", layer, name, "weight"] if name in PROJECTIONS:
            return f"model.layers.{layer}.{PROJECTIONS[name]}"
    return ""


def turned(tensor: str, architecture: str, heads: int, key_heads: int) -> int:
    """How many heads the rows of a tensor are ordered by, 0 where both have them in the same order."""
    if architecture != "llama":
        return 0
    return heads if ".attn_q." in tensor else key_heads if ".attn_k." in tensor else 0


def to_llama_cpp(rows: Rows, heads: int) -> Rows:
    """The rows of a query or key of transformers in the order of llama.cpp."""
    half = len(rows) // heads // 2
    return np.ascontiguousarray(rows.reshape(heads, 2, half, -1).swapaxes(1, 2).reshape(rows.shape))


def from_llama_cpp(rows: Rows, heads: int) -> Rows:
    """The rows of a query or key of llama.cpp in the order of transformers."""
    half = len(rows) // heads // 2
    return np.ascontiguousarray(rows.reshape(heads, half, 2, -1).swapaxes(1, 2).reshape(rows.shape))
