"""A training that begins from an adapter knows what the adapter knows, and says why when it cannot."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_model import write_gguf, write_lessons
from trag.errors import TragError
from trag.finetune.dataset.examples import Example
from trag.finetune.training import base as bases
from trag.finetune.training import export, initial_adapter, run
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.run import Trained

pytestmark = pytest.mark.slow


def train(folder: Path, order: Plan) -> Trained:
    return run.train(folder, order, lambda _: None, threading.Event())


@dataclass(frozen=True)
class First:
    """A finished training of the tiny model, and its adapter as llama.cpp reads it."""

    order: Plan
    folder: Path
    trained: Trained
    adapter: Path

    def again(self, *, rank: int = 0) -> Plan:
        """The same training, begun from that adapter."""
        return replace(self.order, adapter=str(self.adapter), settings=replace(self.order.settings, rank=rank))


@pytest.fixture(scope="module")
def first(tiny: Path, lessons: tuple[Example, ...], tmp_path_factory: pytest.TempPathFactory) -> First:
    folder = tmp_path_factory.mktemp("first")
    write_lessons(folder, lessons)
    settings = TrainingSettings(
        rank=4, all_projections=True, learning_rate=0.01, epochs=2.0, accumulation=6, longest=128, evaluations=2, seed=3
    )
    order = Plan(folder, str(tiny), settings)
    found = train(folder / "training", order)
    export.adapter(run.adapter(folder / "training"), bases.find(str(tiny)), folder / "adapter.gguf")
    return First(order, folder / "training", found, folder / "adapter.gguf")


def test_it_begins_where_the_adapter_ended_and_learns_on(first: First, tmp_path: Path) -> None:
    before, after = first.trained, train(tmp_path, first.again())
    learned = before.loss_before - before.loss_after
    assert learned > 0
    # Of each weight the file keeps 16 bits.
    assert after.loss_before == pytest.approx(before.loss_after, abs=learned / 10)
    assert after.loss_after < after.loss_before
    assert after.rank == before.rank == 4


def test_an_adapter_is_read_as_it_was_exported(tiny: Path, first: First) -> None:
    from safetensors.numpy import load_file

    found = initial_adapter.read(first.adapter, bases.find(str(tiny)))
    kept = load_file(run.adapter(first.folder) / "adapter_model.safetensors")
    assert (found.rank, found.scale, found.all_projections) == (4, 2.0, True)
    assert len(found.halves) == 2 * 7
    for module, halves in found.halves.items():
        for half, rows in zip(("lora_A", "lora_B"), halves, strict=True):
            np.testing.assert_allclose(rows, kept[f"base_model.model.{module}.{half}.weight"], rtol=2e-3, atol=1e-6)


def test_one_of_another_rank_and_a_checkpoint_of_another_beginning_are_not_gone_on_with(
    first: First, tmp_path: Path
) -> None:
    with pytest.raises(TragError, match="is of rank 4, not 8") as raised:
        train(tmp_path, first.again(rank=8))
    assert "TRAG_ADAPTER=none" in raised.value.hint
    with pytest.raises(TragError, match="holds a training on another base or dataset"):
        train(first.folder, first.again())


def test_an_adapter_for_another_model_is_refused(
    first: First, make_adapter: Callable[..., Path], tmp_path: Path
) -> None:
    other = make_adapter(tmp_path / "other.gguf")
    with pytest.raises(TragError, match=r"does not fit model\.layers\.0\.mlp\.down_proj of the model"):
        train(tmp_path / "second", replace(first.again(), adapter=str(other)))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "is of 0 ranks"),
        (("token_embd.weight",), r"changes token_embd\.weight, which is not trained here"),
        (("blk.0.attn_q.weight", "blk.1.attn_q.weight"), "is of 2 ranks"),
    ],
    ids=["empty", "the embedding", "two ranks"],
)
def test_what_is_no_such_adapter_is_refused(tiny: Path, tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    tensors = {f"{name}.lora_a": np.zeros((rank, 64), np.float32) for rank, name in enumerate(names, start=1)}
    tensors |= {f"{name}.lora_b": np.zeros((64, rank), np.float32) for rank, name in enumerate(names, start=1)}
    write_gguf(tmp_path / "other.gguf", "llama", {"adapter.lora.alpha": 2.0}, tensors)
    with pytest.raises(TragError, match=said):
        initial_adapter.read(tmp_path / "other.gguf", bases.find(str(tiny)))


def test_a_file_that_is_no_adapter_is_refused(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "note.gguf").write_text("no adapter")
    for file in (tmp_path / "note.gguf", tmp_path / "missing.gguf", tiny):
        with pytest.raises(TragError, match="holds no adapter that can be read"):
            initial_adapter.read(file, bases.find(str(tiny)))
