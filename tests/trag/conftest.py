"""The small model of the tests, and adapters for it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

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
        import gguf

        chance = np.random.default_rng(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", 2.0)
        for layer in range(layers):
            name = f"blk.{layer}.ffn_down.weight"
            writer.add_tensor(f"{name}.lora_a", chance.normal(size=(2, 1536)).astype(np.float32))
            writer.add_tensor(f"{name}.lora_b", (size * chance.normal(size=(576, 2))).astype(np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return make
