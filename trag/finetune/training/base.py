"""The model that is fine-tuned: a local GGUF file, dequantized, or a local Hugging Face folder.

"" or a path -> Base -> weights in memory
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trag.errors import TragError
from trag.finetune.training import layout
from trag.finetune.training.layout import Shape
from trag.llm import files

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

_CONTEXT = 512  # nothing is read by the vocabulary, so the smallest will do


@dataclass(frozen=True, slots=True)
class Base:
    """A GGUF file or a Hugging Face folder, and the sha256 of its weights."""

    path: Path
    name: str
    sha256: str
    template: str = ""
    """The chat template of a GGUF file that carries none, from the file beside it."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a Hugging Face folder."""
        return self.path.is_dir()


def find(model: str) -> Base:
    """The base that `model` names: a GGUF file, a Hugging Face folder, or "" or "small" for one of the catalogue.

    Reads all of it for its sha256. Raises TragError when it is missing, damaged, or cannot be trained.
    """
    path = Path(model).expanduser().absolute()
    if model and path.is_dir():
        architecture = layout.folder_config(path).get("model_type")
        if architecture not in layout.ARCHITECTURES:
            raise TragError(f"{path} cannot be fine-tuned: its architecture is '{architecture}'.", layout.ONLY)
        weights = sorted(path.glob("*.safetensors"))
        if not weights:
            raise TragError(
                f"{path} holds no weights as safetensors.",
                "Convert them; other formats can run programs when they load.",
            )
        digest = hashlib.sha256()
        for part in [path / "config.json", *weights]:
            with part.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
        return Base(path, path.name, digest.hexdigest())
    file = files.find(model, "").model
    about = files.read_header(file)
    scaling = about.text(f"{about.text('general.architecture')}.rope.scaling.type")
    if scaling not in ("", "none") or "rope_freqs.weight" in about.tensors:
        raise TragError(
            f"{file} cannot be fine-tuned from its GGUF file: its positions are scaled, and the file does not say "
            "how in full.",
            "Name its Hugging Face folder: python -m trag finetune --base FOLDER",
        )
    return find_file(model)


def find_file(model: str) -> Base:
    """The GGUF file that an adapter is for, even if it cannot be trained on. Raises TragError as `find` does."""
    found = files.find(model, "")
    layout.file_shape(files.read_header(found.model), found.model)
    template = found.template.read_text(encoding="utf-8") if found.template else ""
    return Base(found.model, files.base_name(model), files.base_sha256(model), template)


def pair(base: str, model: str) -> tuple[Base, Base]:
    """What is trained on, and the GGUF file that the adapter is for: the same, but where `base` is a Hugging Face
    folder. Raises TragError unless they are one model."""
    found = find(base)
    if not found.is_folder:
        return found, found
    file = find_file(model)
    check_twin(found, file)
    return found, file


def check_twin(folder: Base, file: Base) -> None:
    """Raises TragError unless the GGUF file holds the weights of the Hugging Face folder, by their shape and by what
    scales each layer: that is kept whole in a file however its weights are packed, and hardly anything is the same in
    two trainings of one model."""
    import torch
    from gguf import MODEL_ARCH_NAMES, GGUFReader, get_tensor_name_map
    from gguf.quants import dequantize

    if (found := shape(folder)) == shape(file):
        architecture = next(key for key, name in MODEL_ARCH_NAMES.items() if name == found.architecture)
        names = get_tensor_name_map(architecture, found.layers)
        scales = [tensor for tensor in GGUFReader(file.path).tensors if tensor.name.endswith("_norm.weight")]
        other = {each.name: torch.from_numpy(dequantize(each.data, each.tensor_type).copy()) for each in scales}
        one = {str(names.get_name(name, [".weight"])): values for name, values in _scales(folder.path).items()}
        # Their last digits may have been rounded to 16 bits on the way.
        if one.keys() == other.keys() and all(
            one[name].shape == other[name].shape and torch.allclose(one[name], other[name], rtol=1e-3, atol=0)
            for name in one
        ):
            return
    raise TragError(
        f"{folder.path} does not hold the weights of {file.name}, the model in use: no adapter of it would fit.",
        "Name the folder that the GGUF file was made from; or convert the folder with llama.cpp's "
        "convert_hf_to_gguf.py, and set TRAG_MODEL to that file.",
    )


class GgufVocabulary:
    """The packing.Vocabulary of a GGUF file. llama.cpp makes the tokens, so they are those of the running assistant."""

    def __init__(self, base: Base) -> None:
        """Raises TragError when llama.cpp cannot load the file, or when it does not say how an answer ends."""
        from trag.llm.engine import Engine

        self._engine = Engine(str(base.path), "", _CONTEXT, 0, base.template)  # frees the file when it goes
        tokenizer = self._engine.tokenizer
        self.prompt, self.text, self.end = tokenizer.prompt, tokenizer.text, tokenizer.end
        if self.end < 0:
            raise TragError(f"{base.path} does not say which token ends an answer.", "Use a GGUF file of a chat model.")


def shape(base: Base) -> Shape:
    """Read from the header of its file, or from config.json. Raises TragError when it is not all there."""
    return (
        layout.folder_shape(base.path) if base.is_folder else layout.file_shape(files.read_header(base.path), base.path)
    )


def load(base: Base, precision: torch.dtype) -> PreTrainedModel:
    """The model with its weights in `precision`, frozen, on the CPU. Raises TragError when they cannot be read."""
    from transformers import AutoModelForCausalLM, GgufConfig

    folder, how = base.path, dict[str, Any](use_safetensors=True)
    if not base.is_folder:
        folder, how = folder.parent, {"gguf_file": folder.name, "quantization_config": GgufConfig(dequantize=True)}
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=precision, local_files_only=True, output_loading_info=True, **how
        )
    except (OSError, ValueError, NotImplementedError) as error:
        raise TragError(
            f"{base.path} cannot be loaded: {error}",
            "Copy the whole of it again; of a GGUF file, take Q8_0, Q4_K_M or F16.",
        ) from error
    model: PreTrainedModel
    model, about = loaded
    wanted = sum(1 for _ in model.parameters())
    held = wanted - len(about["missing_keys"]) if base.is_folder else len(files.read_header(base.path).tensors)
    if held != wanted:
        raise TragError(
            f"{base.path} holds {held} weights, and a model of its shape has {wanted}.",
            "Copy the whole of it again, or use one that is a plain Llama or Qwen2.",
        )
    # PEFT asks for it under its former name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
    model.requires_grad_(False)
    model.config.use_cache = False
    return model


def _scales(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError, safe_open

    found: dict[str, torch.Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, "pt") as file:
                names = [name for name in file.keys() if name.endswith("norm.weight")]  # noqa: SIM118  (no mapping)
                found |= {name: file.get_tensor(name).float() for name in names}
        except SafetensorError as error:
            raise TragError(f"{path} cannot be read: {error}.", "Copy the whole folder of the model.") from error
    return found
