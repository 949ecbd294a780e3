"""Which GGUF file answers, of the catalogue or the operator's own, whether it is what it says, its header, its adapter.

Every file is checked before llama.cpp sees it: a model with damaged weights loads without a word and answers rubbish,
and a damaged header can end the process. Of a header the magic, version, metadata and list of tensors are read (GGUF
specification, versions 2 and 3).
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from trag.errors import OperatorError
from trag.machine import free_memory
from trag.models import catalogue
from trag.models.catalogue import by_hand

NO_ADAPTER = "none"
"""What stands for no adapter at all, where "" is the one that ships."""
ADAPTER_FILE = "adapter.gguf"
"""What an adapter is called in a folder of its own, which then gives it its name."""
SHIPPED = Path(__file__).parents[1] / "finetune" / "shipped"
"""The folder of the adapter that comes with the program; it may be missing."""
_TEMPLATE = "tokenizer.chat_template"
_STATES = ("ssm", "wkv", "shortconv", "kda")
"""What the running state of a model is called in its metadata: Mamba and its hybrids, RWKV, LFM2, Kimi Linear."""
# Far more than any real model has; a damaged count would otherwise be walked for minutes.
_MOST_ENTRIES = 100_000
_MOST_TENSORS = 1_000_000
_LONGEST_STRING = 64 * 1024 * 1024
_LONGEST_ARRAY = 16 * 1024 * 1024

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

# Tensor type -> (values in a block, bytes of a block), as ggml_blck_size and ggml_type_size give them.
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """What is loaded: absolute paths, the sha256 of each, and the tokens that the model was trained to read at once."""

    model: Path
    sha256: str
    trained_context: int
    adapter: Path | None
    adapter_sha256: str = ""
    template: Path | None = None
    """The chat template beside a model that carries none."""
    recurrent: bool = False
    """Whether it has a running state, be it in some layers, where others have a cache of what they read."""


def adapter_file(model: str, adapter: str) -> str:
    """The adapter that settings name, as `find` takes it: NO_ADAPTER is none, "" is the one that ships where that was
    trained on this model."""
    if adapter:
        return "" if adapter == NO_ADAPTER else adapter
    known = catalogue.chosen(model)
    return str(SHIPPED / ADAPTER_FILE) if known and shipped_base() == known.sha256 else ""


def shipped_base() -> str | None:
    """The sha256 of what the adapter that ships was trained on, None where none ships or that is not written down."""
    try:
        base: str = json.loads((SHIPPED / "manifest.json").read_bytes())["base_sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return base if (SHIPPED / ADAPTER_FILE).is_file() else None


def adapter_name(path: Path) -> str:
    """What people call the adapter in this file."""
    return path.parent.name if path.name == ADAPTER_FILE else path.name


def base_sha256(model: str) -> str:
    """The sha256 of the file that adapters for this model are trained on. Raises TragError when it cannot be read."""
    if known := catalogue.chosen(model):
        return known.sha256
    path = Path(model).expanduser().absolute()
    read_header(path)
    return _checked_sha256(path)


def base_name(model: str) -> str:
    """What people call that file."""
    known = catalogue.chosen(model)
    return known.name if known else Path(model).stem


def find(model: str, adapter: str) -> ModelFiles:
    """The files to load, checked: `model` is a path, or "" or "small" for one of the catalogue; `adapter` is a path, or
    "" for none.

    Reads the whole model for its sha256 the first time, and again whenever the file has changed. Raises TragError when
    a file is missing, no GGUF, cut short, not what its .sha256 or the catalogue says, or an adapter for another model.
    """
    if known := catalogue.chosen(model):
        path, sha256 = known.path, known.sha256
        if not path.is_file():
            raise OperatorError(
                f"The model {known.name} is not on this machine.",
                f"Fetch its {_gigabytes(known.size)}: python -m trag models get {known.name}. {by_hand(known)}",
            )
        catalogue.check(known, path)
        about = read_header(path)
    else:
        path = Path(model).expanduser().absolute()
        about = read_header(path)
        check_model(about, path, template=_template_beside(path).is_file())
        sha256 = _checked_sha256(path)
    adapter_path = Path(adapter).expanduser().absolute() if adapter else None
    adapter_sha256 = _check_adapter(adapter_path, path, about) if adapter_path else ""
    architecture = about.text("general.architecture")
    trained_context = about.number(f"{architecture}.context_length")
    template = None if about.text(_TEMPLATE) else _template_beside(path)
    states = tuple(f"{architecture}.{part}." for part in _STATES)
    recurrent = any(key.startswith(states) for key in about.metadata)
    return ModelFiles(path, sha256, trained_context, adapter_path, adapter_sha256, template, recurrent)


def check_memory(model: str) -> None:
    """Raises TragError where less memory is free than a model of the catalogue takes, before it is loaded: else the
    system would end its process in the middle of an answer."""
    known, free = catalogue.chosen(model), free_memory()
    if known is None or free is None or free >= known.memory:
        return
    small = catalogue.SMALL
    if known.memory > small.memory:
        instead = f"set TRAG_MODEL=small, which takes {_gigabytes(small.memory)} and answers fewer questions rightly"
    else:
        instead = "name a model server in TRAG_MODEL_URL"
    raise OperatorError(
        f"The model {known.name} takes {_gigabytes(known.memory)} of memory, and {_gigabytes(free)} are free.",
        f"End other programs, or {instead}.",
    )


def check_model(about: Header, path: Path, *, template: bool) -> None:
    """Raises TragError unless this is the header of a chat model that is whole in one file; `template` is whether a
    chat template is beside it."""
    if about.text("general.type") == "adapter":
        raise OperatorError(
            f"{path} is an adapter, not a model.", "Name it in TRAG_ADAPTER, and its base model in TRAG_MODEL."
        )
    if about.number("split.count") > 1:
        raise OperatorError(
            f"{path} is one part of {about.number('split.count')}.",
            "Join the parts first: llama-gguf-split --merge FIRST_PART WHOLE.gguf",
        )
    if not about.text("general.architecture") or not about.tensors:
        raise OperatorError(
            f"{path} holds no model: it has no architecture or no weights.", "Use a GGUF file of a chat model."
        )
    if not about.text(_TEMPLATE) and not template:
        raise OperatorError(
            f"{path} carries no chat template, so nobody can say how it wants to be asked.",
            f"Use the chat (instruct) version of the model, or put its template beside it as {path.name}.jinja.",
        )


def _template_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.jinja")


def _checked_sha256(path: Path) -> str:
    """The sha256 of the file, compared with the one in `<file>.sha256` where there is one."""
    found = sha256_of(path)
    beside = path.with_name(f"{path.name}.sha256")
    if beside.exists():
        expected = beside.read_text(encoding="utf-8").split()[:1]
        if expected != [found]:
            raise OperatorError(
                f"{path} is not the file that {beside.name} describes: its sha256 is {found}.",
                f"Copy the file again, or remove {beside.name} if the file was replaced on purpose.",
            )
    return found


def sha256_of(path: Path) -> str:
    """The sha256 of a file, which is read again only when it has changed."""
    about = path.stat()
    return _digest(path, about.st_ino, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=16)
def _digest(path: Path, inode: int, size: int, changed: int) -> str:
    # The last three are there for the cache: another file under the same name is read again.
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_adapter(path: Path, model_path: Path, model: Header) -> str:
    """The sha256 of `path`. Raises TragError unless it is a LoRA adapter whose tensors fit the weights of `model`."""
    about = read_header(path)
    if about.text("general.type") != "adapter" or about.text("adapter.type") != "lora":
        kind = about.text("general.type") or "something unnamed"
        raise OperatorError(
            f"{path} is no LoRA adapter: its header says {kind}.",
            "TRAG_ADAPTER wants a GGUF file with general.type = adapter.",
        )
    sha256 = _checked_sha256(path)
    hint = f"Use the adapter that was trained on {model_path.name}."
    wanted, found = model.text("general.architecture"), about.text("general.architecture")
    if wanted != found:
        raise OperatorError(
            f"{path} was made for another model: its architecture is '{found}', the model's '{wanted}'.", hint
        )
    downs = {name.removesuffix(".lora_a"): shape for name, shape in about.tensors.items() if name.endswith(".lora_a")}
    if not downs:
        raise OperatorError(f"{path} is an adapter without weights.", "Export it again.")
    for weight, down in downs.items():
        up, shape = about.tensors.get(f"{weight}.lora_b", ()), model.tensors.get(weight)
        if shape is None:
            raise OperatorError(f"{path} was made for another model: this one has no weight '{weight}'.", hint)
        if weight.startswith("token_embd"):
            continue  # stored the other way round; llama.cpp checks it
        if len(down) != 2 or len(up) != 2 or (down[0], up[1]) != shape[:2] or down[1] != up[0]:
            halves = f"{_by(down)} and {_by(up)}"
            raise OperatorError(
                f"{path} was made for another model: its '{weight}' is {halves}, the model's is {_by(shape)}.", hint
            )
    return sha256


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in shape) or "missing"


def _gigabytes(size: int) -> str:
    return f"{size / 10**9:.1f} GB"


def read_header(path: Path) -> Header:
    """The header of the GGUF file at `path`. Raises TragError when it is none, is damaged, or is cut short."""
    try:
        with path.open("rb") as file:
            return header_of(file, path, path.stat().st_size)
    except OSError as error:
        raise OperatorError(
            f"{path} cannot be read: {error.strerror}.", "Check the path and who may read it."
        ) from error


def header_of(file: BinaryIO, path: Path, size: int) -> Header:
    """The header at the beginning of `file`, of `size` bytes in all. Raises TragError that names `path` as
    `read_header` does."""
    try:
        return _read_header(file, path, size)
    except (EOFError, ValueError, struct.error) as error:
        raise OperatorError(f"{path} has a damaged GGUF header: {error}.", "Copy the file again.") from error


def _read_header(file: BinaryIO, path: Path, size_found: int) -> Header:
    magic = file.read(4)
    if magic != b"GGUF":
        found = f"it starts with {magic!r}" if magic else "it is empty"
        raise OperatorError(
            f"{path} is no GGUF file: {found}.",
            "Take the file that llama.cpp reads (.gguf), not a page about it.",
        )
    version = _number(file, "I")
    if version not in (2, 3):
        raise OperatorError(
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
    if size_found < needed:
        raise OperatorError(
            f"{path} is cut short: it has {size_found:,} bytes and its tensors need {needed:,}.",
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
    scalar: int | float | bool
    (scalar,) = struct.unpack(form := f"<{_SCALARS[kind]}", _exactly(file, struct.calcsize(form)))
    return scalar
