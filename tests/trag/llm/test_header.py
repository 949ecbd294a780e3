import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.llm import files


def test_it_reads_what_the_embedded_model_says_of_itself(published: Path) -> None:
    found = files.read_header(published)
    assert found.text("general.architecture") == "llama"
    assert found.number("llama.context_length") == 8192
    assert "<|im_start|>" in found.text("tokenizer.chat_template")
    assert len(found.tensors) == 272
    assert found.tensors["blk.0.attn_k.weight"] == (576, 192)


def _head(version: int = 3, tensors: int = 0, entries: int = 0, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + rest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no GGUF file: it is empty"),
        (b"<html>404 not found</html>", "no GGUF file: it starts with b'<htm'"),
        (b"GGML" + _head()[4:], "no GGUF file: it starts with b'GGML'"),
        (b"GGUF", "damaged GGUF header"),
        (_head(version=99), "GGUF version 99"),
        (_head(tensors=2**63), "damaged GGUF header"),
        (_head(entries=2**63), "damaged GGUF header"),
        (_head(entries=1, rest=struct.pack("<Q", 2**62)), "damaged GGUF header"),
        (_head(entries=1, rest=struct.pack("<Q1sI", 1, b"k", 77)), "unknown type 77"),
        (_head(tensors=1, rest=struct.pack("<Q1sIQIQ", 1, b"w", 1, 1000, 0, 0)), "is cut short"),
    ],
    ids=[
        "empty", "web page", "older format", "magic alone", "unknown version", "absurd number of tensors",
        "absurd number of entries", "absurd key length", "unknown value", "no tensor data",
    ],
)  # fmt: skip
def test_what_is_no_gguf_is_refused_with_the_reason(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(TragError, match=said) as refused:
        files.read_header(path)
    assert str(path) in refused.value.message
    assert refused.value.hint


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in ("missing.gguf", "."):
        with pytest.raises(TragError, match="cannot be read"):
            files.read_header(tmp_path / path)


@pytest.mark.slow
def test_a_file_cut_short_anywhere_is_noticed(published: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(published, tmp_path / "short.gguf"))
    size = path.stat().st_size
    for share in (0.99999, 0.95, 0.3, 0.001):
        os.truncate(path, int(size * share))
        with pytest.raises(TragError, match=r"damaged|cut short"):
            files.read_header(path)


@pytest.mark.slow
def test_no_damage_to_the_header_raises_anything_else(write_gguf: Callable[..., Path], tmp_path: Path) -> None:
    names = {f"llama.key{number}": f"value {number}" for number in range(20)}
    whole = write_gguf(tmp_path / "whole.gguf", {**names, "general.alignment": 32}, {}).read_bytes()
    chance = random.Random(1)
    refused = 0
    for _ in range(1_000):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path = tmp_path / "damaged.gguf"
        path.write_bytes(content)
        try:
            files.read_header(path)
        except TragError:
            refused += 1
    assert refused > 250, f"{refused} of 1,000 refused: is the damage real?"


def test_the_sizes_of_tensor_types_are_those_of_llama_cpp() -> None:
    # In a process of its own: asked for a type that it does not have, ggml reads past its table.
    code = """
import ctypes, sys
from pathlib import Path
import llama_cpp
ggml = ctypes.CDLL(str(next((Path(llama_cpp.__file__).parent / "lib").glob("libggml-base.*"))))
ggml.ggml_type_size.restype = ctypes.c_size_t
ggml.ggml_blck_size.restype = ctypes.c_int64
for kind in map(int, sys.argv[1:]):
    print(kind, ggml.ggml_blck_size(kind), ggml.ggml_type_size(kind))
"""
    kinds = [str(kind) for kind in files.BLOCKS]
    said = subprocess.run([sys.executable, "-c", code, *kinds], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in said.splitlines()]
    assert {kind: (values, size) for kind, values, size in rows} == files.BLOCKS
