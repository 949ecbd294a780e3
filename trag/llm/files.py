"""Which GGUF file answers, of the catalogue or the operator's own, whether it is what it says, and its adapter.

Every file is checked before llama.cpp sees it: a model with damaged weights loads without a word and answers rubbish,
and a damaged header can end the process.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trag.errors import TragError
from trag.llm import header
from trag.llm.header import Header
from trag.memory import free_memory
from trag.models import catalogue
from trag.models.catalogue import CatalogueModel, by_hand

NO_ADAPTER = "none"
"""What stands for no adapter at all, where "" is the one that ships."""
ADAPTER_FILE = "adapter.gguf"
"""What an adapter is called in a folder of its own, which then gives it its name."""
SHIPPED = Path(__file__).parents[1] / "finetune" / "shipped"
"""The folder of the adapter that comes with the program; it may be missing."""
_TEMPLATE = "tokenizer.chat_template"


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
    header.read(path)
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
        path, sha256 = _from_catalogue(known), known.sha256
        about = header.read(path)
    else:
        path = Path(model).expanduser().absolute()
        about = _model_header(path)
        sha256 = _checked_sha256(path)
    adapter_path = Path(adapter).expanduser().absolute() if adapter else None
    adapter_sha256 = _check_adapter(adapter_path, path, about) if adapter_path else ""
    architecture = about.text("general.architecture")
    trained_context = about.number(f"{architecture}.context_length")
    template = None if about.text(_TEMPLATE) else _template_beside(path)
    return ModelFiles(path, sha256, trained_context, adapter_path, adapter_sha256, template)


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
    raise TragError(
        f"The model {known.name} takes {_gigabytes(known.memory)} of memory, and {_gigabytes(free)} are free.",
        f"End other programs, or {instead}.",
    )


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


def _from_catalogue(model: CatalogueModel) -> Path:
    """Its checked file. Raises TragError when it is missing, or not the published one."""
    path = model.path
    if not path.is_file():
        raise TragError(
            f"The model {model.name} is not on this machine.",
            f"Fetch its {_gigabytes(model.size)}: python -m trag models get {model.name}. {by_hand(model)}",
        )
    catalogue.check(model, path)
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


def _gigabytes(size: int) -> str:
    return f"{size / 10**9:.1f} GB"
