"""The shape of a model, and how llama.cpp and transformers name and order the same weights.

Both keep a projection as rows of outputs. For models of the llama architecture, llama.cpp turns pairs of neighbouring
values in the query and the key and transformers the first half with the second, so the rows of these two stand in
another order; for qwen2 both do as transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trag.errors import TragError
from trag.llm.files import Header

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
ONLY = (
    "Only models of the architectures qwen2 (Qwen2.5, the embedded one) and llama (Llama 2 and its like, SmolLM2) are "
    "fine-tuned; use one of these."
)


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


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model: `heads` ask and share `keys` keys, each `head_width` wide; a layer is `width` wide and `inner`
    within. `tied` is whether the head that writes tokens is the embedding."""

    architecture: str
    layers: int
    width: int
    inner: int
    heads: int
    keys: int
    head_width: int
    vocabulary: int
    tied: bool

    @property
    def outside(self) -> int:
        """Weights outside its layers."""
        return self.vocabulary * self.width * (1 if self.tied else 2)

    @property
    def weights(self) -> int:
        """All its weights."""
        layer = 2 * self.width * self.head_width * (self.heads + self.keys) + 3 * self.width * self.inner
        return self.layers * layer + self.outside


def file_shape(about: Header, path: Path) -> Shape:
    """The shape of a GGUF model. Raises TragError unless it is one that can be trained."""
    architecture = about.text("general.architecture")
    experts = about.number(f"{architecture}.expert_count")
    if architecture not in ARCHITECTURES or experts:
        kind = f"{architecture} with {experts} experts" if experts else architecture
        raise TragError(f"{path} cannot be fine-tuned: its architecture is '{kind}'.", ONLY)

    def number(key: str) -> int:
        if not (value := about.number(f"{architecture}.{key}")):
            raise TragError(
                f"{path} does not say its {architecture}.{key}.", "Convert the model again with a current llama.cpp."
            )
        return value

    heads, width = number("attention.head_count"), number("embedding_length")
    return Shape(
        architecture,
        layers=number("block_count"),
        width=width,
        inner=number("feed_forward_length"),
        heads=heads,
        keys=about.number(f"{architecture}.attention.head_count_kv") or heads,
        head_width=about.number(f"{architecture}.attention.key_length") or width // heads,
        vocabulary=about.tensors["token_embd.weight"][1],
        tied="output.weight" not in about.tensors,
    )


def folder_shape(folder: Path) -> Shape:
    """The shape of the model in a Hugging Face folder. Raises TragError when its config.json does not say it all."""
    config = folder_config(folder)
    try:
        heads, width = config["num_attention_heads"], config["hidden_size"]
        return Shape(
            config["model_type"],
            layers=config["num_hidden_layers"],
            width=width,
            inner=config["intermediate_size"],
            heads=heads,
            keys=config.get("num_key_value_heads") or heads,
            head_width=config.get("head_dim") or width // heads,
            vocabulary=config["vocab_size"],
            tied=config.get("tie_word_embeddings", False),
        )
    except KeyError as error:
        raise TragError(f"{folder / 'config.json'} does not say {error}.", "Copy the whole folder again.") from error


def folder_config(folder: Path) -> Mapping[str, Any]:
    """The config.json of a Hugging Face folder. Raises TragError when it cannot be read."""
    try:
        config: Mapping[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{folder} is no Hugging Face folder: its config.json cannot be read."
        raise TragError(message, "Copy the whole folder of the model.") from error
    return config
