"""GGUF files made for one test, and questions."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from prompts import Message
from tests import tiny_model

WriteGguf = Callable[[Path, Mapping[str, str | int | float], Mapping[str, np.ndarray]], Path]


@pytest.fixture(scope="session")
def write_gguf() -> WriteGguf:
    """Writes a GGUF file with this metadata and these float32 tensors."""

    def write(path: Path, metadata: Mapping[str, str | int | float], tensors: Mapping[str, np.ndarray]) -> Path:
        about = dict(metadata)
        architecture = str(about.pop("general.architecture", ""))
        return tiny_model.write_gguf(
            path, architecture, about, {name: rows.astype(np.float32) for name, rows in tensors.items()}
        )

    return write


@pytest.fixture(scope="session")
def question() -> Callable[[str], tuple[Message, ...]]:
    """A question under a system prompt of about 200 tokens, always the same."""
    rules = "Answer from the facts below, in one sentence. Name the unit as the facts name it. " * 10

    def ask(text: str) -> tuple[Message, ...]:
        return Message("system", f"You answer questions about an organization. {rules}"), Message("user", text)

    return ask
