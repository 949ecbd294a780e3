"""A trained adapter as files that llama.cpp reads: a GGUF LoRA adapter, and on request a whole model with it merged in.

PEFT's adapter -> names and rows as llama.cpp has them -> adapter.gguf;  base + adapter -> merged.gguf (float16)

`python -m trag.finetune.training.export FOLDER TARGET [--merged]` does so for a finished training.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from store import disk_full, files
from trag.errors import SHOWN, TragError
from trag.finetune.training import base as bases
from trag.finetune.training import layout, plan, run
from trag.finetune.training.base import Base
from trag.finetune.training.layout import Rows, Shape

if TYPE_CHECKING:
    from gguf import GGUFWriter

_MODEL = "base_model.model."  # what PEFT puts before the name of a module
_DOWN, _UP = ".lora_A.weight", ".lora_B.weight"
_TENSORS = {place: tensor for tensor, place in layout.PROJECTIONS.items()}


def adapter(source: Path, base: Base, target: Path) -> None:
    """Write the adapter that PEFT kept in the folder `source` to `target`, as float16.

    Raises TragError when it holds weights of a module that is not adapted here and for a target that cannot be written,
    and StoreError when there is no space.
    """
    from gguf import GGUFWriter

    alpha, weights = _read(source)
    shape = bases.shape(base)
    with _written(target) as unfinished:
        writer = GGUFWriter(unfinished, shape.architecture)
        writer.add_name(f"{base.name} adapter")
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", alpha)
        writer.add_string("general.base_model.0.name", base.name)
        for tensor, (down, up) in weights.items():
            writer.add_tensor(f"{tensor}.lora_a", down.astype(np.float16))
            writer.add_tensor(f"{tensor}.lora_b", _turned(tensor, up, shape).astype(np.float16))
        _finish(writer)


def merged(source: Path, base: Base, target: Path) -> None:
    """Write the base with the adapter of the folder `source` merged in to `target`, as float16.

    Raises what `adapter` raises, and TragError for a base that is no GGUF file.
    """
    if base.is_folder:
        message = f"{base.path} is no GGUF file, so its tokens cannot be taken over."
        raise TragError(message, "Name the GGUF file of the same model.")
    from gguf import GGUFReader, GGUFWriter
    from gguf.quants import dequantize

    alpha, weights = _read(source)
    shape = bases.shape(base)
    reader = GGUFReader(base.path)
    with _written(target) as unfinished:
        writer = GGUFWriter(unfinished, shape.architecture)
        for key, field in reader.fields.items():  # all that the base says of itself, but for how its weights are packed
            if not key.startswith("GGUF.") and key not in ("general.architecture", "general.file_type"):
                kind, *inner = field.types
                writer.add_key_value(key, field.contents(), kind, sub_type=inner[-1] if inner else None)
        if base.template:
            writer.add_chat_template(base.template)
        for tensor in reader.tensors:
            rows = dequantize(tensor.data, tensor.tensor_type)
            if pair := weights.get(tensor.name):
                down, up = pair
                rows = rows + alpha / len(down) * _turned(tensor.name, up, shape) @ down
            writer.add_tensor(tensor.name, rows.astype(np.float32 if rows.ndim == 1 else np.float16))
        _finish(writer)


def _read(source: Path) -> tuple[float, Mapping[str, tuple[Rows, Rows]]]:
    """Alpha, and for each adapted tensor of llama.cpp its two halves: [rank, inputs] and [outputs, rank], float32."""
    from safetensors.numpy import load_file

    try:
        config = json.loads((source / "adapter_config.json").read_text(encoding="utf-8"))
        tensors = load_file(source / "adapter_model.safetensors")
    except OSError as error:
        raise TragError(f"{source} holds no adapter: {error}.", "Name the folder of a finished training.") from error
    pairs = {}
    for name in sorted({name.removesuffix(_DOWN).removesuffix(_UP) for name in tensors}):
        down, up = (tensors[f"{name}{half}"].astype(np.float32) for half in (_DOWN, _UP))
        match (module := name.removeprefix(_MODEL)).split(".", 3):
            case ["model", "layers", layer, place] if tensor := _TENSORS.get(place):
                pairs[f"blk.{layer}.{tensor}.weight"] = (down, up)
            case _:
                message = f"The adapter changes {module}, which no adapter made here does."
                raise TragError(message, "Train it with trag finetune.")
    return float(config["lora_alpha"]), pairs


def _turned(tensor: str, rows: Rows, shape: Shape) -> Rows:
    number = layout.turned(tensor, shape.architecture, shape.heads, shape.keys)
    return layout.to_llama_cpp(rows, number) if number else rows


def _finish(writer: GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def _written(target: Path) -> Iterator[Path]:
    """A file beside `target` that takes its place once it is whole."""
    with _explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.atomic(target) as unfinished:
            yield Path(unfinished.name)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno is None:  # numpy does not say why it wrote less
            raise disk_full(str(target)) from error
        raise TragError(
            f"{target} cannot be written: {error.strerror}.", "Name a file in a folder that may be written to."
        ) from error


def main() -> None:
    """Export what a finished training made. SIGTERM and SIGINT stop it."""
    parser = argparse.ArgumentParser(prog="python -m trag.finetune.training.export", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="of a finished training")
    parser.add_argument("target", type=Path, help="the file to write")
    parser.add_argument("--merged", action="store_true", help="a whole model instead of an adapter")
    words = parser.parse_args()
    try:
        with _explained(words.target):  # a target that cannot be written is refused before anything is read for it
            words.target.parent.mkdir(parents=True, exist_ok=True)
            if words.target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            tempfile.TemporaryFile(dir=words.target.parent).close()
        order = plan.read(words.folder)
        _, base = bases.pair(order.base, order.model)
        found = run.trained(words.folder)
        if found and found.base_sha256 != base.sha256:
            raise TragError(
                f"{base.path} is another model than the {found.base_name} that the adapter was trained for.",
                f"Put back the file with the sha256 {found.base_sha256}.",
            )
        if words.merged:
            merged(run.adapter(words.folder), base, words.target)
        else:
            adapter(run.adapter(words.folder), base, words.target)
    except SHOWN as error:
        print(error.message, error.hint, sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is half written is removed then
    main()
