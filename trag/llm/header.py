"""What a GGUF file says of itself, read without llama.cpp, which can end the whole process on a file that is not right.

Reads the header only: magic, version, metadata and the list of tensors (GGUF specification, versions 2 and 3).
Knows nothing about where models come from.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from trag.errors import TragError

# Far more than any real model has; a damaged count would otherwise be walked for minutes.
_MOST_ENTRIES = 100_000
_MOST_TENSORS = 1_000_000
_LONGEST_STRING = 64 * 1024 * 1024
_LONGEST_ARRAY = 16 * 1024 * 1024

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

# Tensor type -> (values in a block, bytes of a block), as ggml_blck_size and ggml_type_size give them.
BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
    41: (128, 18),
    42: (64, 18),
}


@dataclass(frozen=True, slots=True)
class Header:
    """Metadata without its arrays, and the shape of each tensor (fastest dimension first, as the file has it)."""

    metadata: Mapping[str, str | int | float | bool]
    tensors: Mapping[str, tuple[int, ...]]

    def text(self, key: str) -> str:
        """The value of `key` when it is a string, else ""."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str) -> int:
        """The value of `key` when it is a whole number, else 0."""
        value = self.metadata.get(key)
        return value if isinstance(value, int) else 0


def read(path: Path) -> Header:
    """The header of the GGUF file at `path`. Raises TragError when it is none, is damaged, or is cut short."""
    try:
        with path.open("rb") as file:
            return _read(file, path)
    except OSError as error:
        raise TragError(f"{path} cannot be read: {error.strerror}.", "Check the path and who may read it.") from error
    except (EOFError, ValueError, struct.error) as error:
        raise TragError(f"{path} has a damaged GGUF header: {error}.", "Copy the file again.") from error


def _read(file: BinaryIO, path: Path) -> Header:
    magic = file.read(4)
    if magic != b"GGUF":
        found = f"it starts with {magic!r}" if magic else "it is empty"
        raise TragError(
            f"{path} is no GGUF file: {found}.", "TRAG_MODEL and TRAG_ADAPTER want files that llama.cpp reads (.gguf)."
        )
    version = _number(file, "I")
    if version not in (2, 3):
        raise TragError(
            f"{path} is GGUF version {version}; versions 2 and 3 are read.",
            "Convert the model again with a current llama.cpp.",
        )
    tensor_count = _limited(_number(file, "Q"), _MOST_TENSORS, "tensors")
    entry_count = _limited(_number(file, "Q"), _MOST_ENTRIES, "metadata entries")
    metadata: dict[str, str | int | float | bool] = {}
    for _ in range(entry_count):
        key = _string(file)
        value = _value(file, _number(file, "I"))
        if value is not None:
            metadata[key] = value
    tensors: dict[str, tuple[int, ...]] = {}
    end = 0
    for _ in range(tensor_count):
        name = _string(file)
        dimensions = _limited(_number(file, "I"), 4, "dimensions of a tensor")
        shape = tuple(_number(file, "Q") for _ in range(dimensions))
        values, size = BLOCKS.get(
            _number(file, "I"), (1, 0)
        )  # a type that is newer than this table is left to llama.cpp
        end = max(end, _number(file, "Q") + math.prod(shape) // values * size)
        tensors[name] = shape
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError(f"alignment {alignment!r}")
    needed = -(-file.tell() // alignment) * alignment + end
    found_bytes = file.seek(0, 2)
    if found_bytes < needed:
        raise TragError(
            f"{path} is cut short: it has {found_bytes:,} bytes and its tensors need {needed:,}.",
            "Copy the file again.",
        )
    return Header(metadata, tensors)


def _number(file: BinaryIO, form: str) -> int:
    size = struct.calcsize(form)
    (value,) = struct.unpack(f"<{form}", _exactly(file, size))
    return int(value)


def _exactly(file: BinaryIO, size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError("it ends too early")
    return content


def _string(file: BinaryIO) -> str:
    return _exactly(file, _limited(_number(file, "Q"), _LONGEST_STRING, "bytes in a string")).decode("utf-8")


def _limited(value: int, most: int, what: str) -> int:
    if value > most:
        raise ValueError(f"{value:,} {what}")
    return value


def _value(file: BinaryIO, kind: int) -> str | int | float | bool | None:
    """A metadata value; None for an array, which is only stepped over."""
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        kind, length = _number(file, "I"), _limited(_number(file, "Q"), _LONGEST_ARRAY, "values in an array")
        if kind in _SCALARS:
            _exactly(file, length * struct.calcsize(f"<{_SCALARS[kind]}"))
            return None
        if kind != _STRING:
            raise ValueError(f"an array of values of unknown type {kind}")
        for _ in range(length):
            _exactly(file, _limited(_number(file, "Q"), _LONGEST_STRING, "bytes in a string"))
        return None
    if kind not in _SCALARS:
        raise ValueError(f"a value of unknown type {kind}")
    form = f"<{_SCALARS[kind]}"
    (value,) = struct.unpack(form, _exactly(file, struct.calcsize(form)))
    scalar: int | float | bool = value
    return scalar
