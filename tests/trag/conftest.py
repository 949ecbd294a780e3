"""The small model of the tests, and adapters for it."""

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
