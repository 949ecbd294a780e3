"""The small model of the tests, whole and with a few bytes changed, and adapters for it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_model import ADAPTER, write_gguf
from trag.llm.local import LocalModel
from trag.models import catalogue


@pytest.fixture(scope="session")
def model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose models/ holds the file of the model too, as one of the operator's own."""
    home = tmp_path_factory.mktemp("home")
    (home / "models").mkdir()
    (home / "models" / catalogue.DEFAULT.path.name).symlink_to(catalogue.DEFAULT.path)
    return home


@pytest.fixture(scope="session")
def model(model_home: Path) -> Iterator[LocalModel]:
    """The model in its own process. Tests that harm the process start their own."""
    with closing(LocalModel(model_home)) as opened:
        yield opened


@pytest.fixture(scope="session")
def make_adapter() -> Callable[..., Path]:
    """Writes a LoRA adapter for that model: of rank 2 on one weight of each layer, its B all `size` times
    chance. With the size 0 it changes nothing, with NaN it spoils everything."""

    def make(path: Path, *, size: float = 0.0, layers: int = 30) -> Path:
        chance, tensors = np.random.default_rng(1), dict[str, np.ndarray]()
        path.parent.mkdir(parents=True, exist_ok=True)
        for layer in range(layers):
            name = f"blk.{layer}.ffn_down.weight"
            tensors[f"{name}.lora_a"] = chance.normal(size=(2, 1536)).astype(np.float32)
            tensors[f"{name}.lora_b"] = (size * chance.normal(size=(576, 2))).astype(np.float32)
        return write_gguf(path, "llama", ADAPTER | {"adapter.lora.alpha": 2.0}, tensors)

    return make


@pytest.fixture(scope="session")
def published() -> Path:
    """The file of the model that answers in the tests."""
    return catalogue.DEFAULT.path


@pytest.fixture
def changed(published: Path, tmp_path: Path) -> Callable[[bytes, bytes], Path]:
    """A copy of the model in which the first `old` is `new`, of the same length."""

    def change(old: bytes, new: bytes) -> Path:
        content = published.read_bytes()
        assert len(old) == len(new)
        assert old in content[:3_000_000]
        path = tmp_path / "changed.gguf"
        path.write_bytes(content.replace(old, new, 1))
        return path

    return change


@pytest.fixture
def deadly(changed: Callable[[bytes, bytes], Path], tmp_path: Path) -> Iterator[LocalModel]:
    """A model with layers that its file does not have: llama.cpp ends the process on them."""
    key = b"llama.block_count\x04\x00\x00\x00"
    path = changed(key + b"\x1e\x00\x00\x00", key + b"\x58\x02\x00\x00")
    with closing(LocalModel(tmp_path, model=str(path))) as opened:
        yield opened
