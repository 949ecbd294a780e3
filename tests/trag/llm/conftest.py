"""GGUF files made for one test, and the model with a few bytes changed."""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from prompts import Message
from trag.models import catalogue

WriteGguf = Callable[[Path, Mapping[str, str | int | float], Mapping[str, np.ndarray]], Path]


@pytest.fixture(scope="session")
def published() -> Path:
    """The file of the model that answers in the tests."""
    return catalogue.DEFAULT.path


@pytest.fixture(scope="session")
def write_gguf() -> WriteGguf:
    """Writes a GGUF file with this metadata and these float32 tensors."""

    def string(text: str) -> bytes:
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def value(content: str | int | float) -> bytes:
        if isinstance(content, str):
            return struct.pack("<I", 8) + string(content)
        return struct.pack("<If", 6, content) if isinstance(content, float) else struct.pack("<II", 4, content)

    def write(path: Path, metadata: Mapping[str, str | int | float], tensors: Mapping[str, np.ndarray]) -> Path:
        head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
        for key, content in metadata.items():
            head += string(key) + value(content)
        data = b""
        for name, tensor in tensors.items():
            shape = tensor.shape[::-1]
            head += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
            data += tensor.astype("<f4").tobytes()
            data += bytes(-len(data) % 32)
        path.write_bytes(head + bytes(-len(head) % 32) + data)
        return path

    return write


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


@pytest.fixture(scope="session")
def question() -> Callable[[str], tuple[Message, ...]]:
    """A question under a system prompt of about 200 tokens, always the same."""
    rules = "Answer from the facts below, in one sentence. Name the unit as the facts name it. " * 10

    def ask(text: str) -> tuple[Message, ...]:
        return Message("system", f"You answer questions about an organization. {rules}"), Message("user", text)

    return ask
