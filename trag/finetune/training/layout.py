"""How llama.cpp and transformers name and order the same weights of a llama model.

Both keep a projection as rows of outputs. llama.cpp turns pairs of neighbouring values in the query and the key,
transformers the first half with the second, so the rows of these two stand in another order.  Knows nothing about
files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[Any]
"""Weights, a row an output."""

PROJECTIONS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""The seven that are adapted, in each layer: name in a GGUF file -> name of the module in transformers."""
_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


def module(tensor: str) -> str:
    """The module in transformers that holds the tensor "blk.3.attn_q.weight"; "" for one that no llama model has."""
    match tensor.removesuffix(".weight").split("."):
        case ["blk", layer, name] if place := (PROJECTIONS | _NORMS).get(name):
            return f"model.layers.{layer}.{place}"
        case [name]:
            return _OUTSIDE.get(name, "")
    return ""


def projection(tensor: str) -> str:
    """The module in transformers of one of the seven projections; "" for any other tensor."""
    match tensor.removesuffix(".weight").split("."):
        case ["blk", _, name] if name in PROJECTIONS:
            return module(tensor)
    return ""


def turned(tensor: str, heads: int, key_heads: int) -> int:
    """How many heads the rows of a tensor are ordered by, 0 where both have them in the same order."""
    return heads if ".attn_q." in tensor else key_heads if ".attn_k." in tensor else 0


def to_llama_cpp(rows: Rows, heads: int) -> Rows:
    """The rows of a query or key of transformers in the order of llama.cpp."""
    half = len(rows) // heads // 2
    return np.ascontiguousarray(rows.reshape(heads, 2, half, -1).swapaxes(1, 2).reshape(rows.shape))


def from_llama_cpp(rows: Rows, heads: int) -> Rows:
    """The rows of a query or key of llama.cpp in the order of transformers."""
    half = len(rows) // heads // 2
    return np.ascontiguousarray(rows.reshape(heads, half, 2, -1).swapaxes(1, 2).reshape(rows.shape))
