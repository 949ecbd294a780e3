"""The model that is fine-tuned: a local GGUF file, dequantized, or a local Hugging Face folder.

"" or a path -> Base -> weights in memory
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prompts import Message
from trag.errors import TragError
from trag.finetune.training import layout
from trag.finetune.training.layout import Shape
from trag.llm import files
from trag.llm.files import Header

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel

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


def check_twin(folder: Base, file: Base) -> None:
    """Raises TragError unless the GGUF file holds the weights of the Hugging Face folder, by their shape and by what
    scales each layer: that is kept whole in a file however its weights are packed, and hardly anything is the same in
    two trainings of one model."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    if shape(folder) == shape(file):
        scales = [tensor for tensor in GGUFReader(file.path).tensors if tensor.name.endswith("_norm.weight")]
        rows = {layout.parameter(each.name): dequantize(each.data, each.tensor_type).copy() for each in scales}
        one, other = _scales(folder.path), {name: torch.from_numpy(values) for name, values in rows.items()}
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

        self._engine = Engine(str(base.path), "", _CONTEXT, 0, base.template)
        if self._engine.tokenizer.end < 0:
            raise TragError(f"{base.path} does not say which token ends an answer.", "Use a GGUF file of a chat model.")

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        return self._engine.tokenizer.prompt(messages)

    def text(self, text: str) -> list[int]:
        return self._engine.tokenizer.text(text)

    @property
    def end(self) -> int:
        return self._engine.tokenizer.end


def shape(base: Base) -> Shape:
    """Read from the header of its file, or from config.json. Raises TragError when it is not all there."""
    return (
        layout.folder_shape(base.path) if base.is_folder else layout.file_shape(files.read_header(base.path), base.path)
    )


def load(base: Base, precision: torch.dtype) -> PreTrainedModel:
    """The model with its weights in `precision`, frozen, on the CPU. Raises TragError when they cannot be read."""
    import torch
    from transformers import AutoModelForCausalLM

    model: PreTrainedModel
    if base.is_folder:
        try:
            model = AutoModelForCausalLM.from_pretrained(
                base.path, dtype=precision, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise TragError(f"{base.path} cannot be loaded: {error}", "Copy the whole folder of the model.") from error
    else:
        # transformers' own way reads all of the file's words twice over, and takes twice the memory.
        about = files.read_header(base.path)
        found = layout.file_shape(about, base.path)
        config, weights = _config(found, about), _weights(base.path, found, precision)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
        model.load_state_dict(weights, assign=True, strict=False)
        model.tie_weights()
        if missing := [name for name, value in model.named_parameters() if value.is_meta]:
            raise TragError(f"{base.path} lacks weights: {', '.join(missing[:5])}.", "Copy the file again.")
        model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its tables are no weights, and were meta
    # PEFT asks for it under its former name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
    model.requires_grad_(False)
    model.config.use_cache = False
    return model


def _config(found: Shape, about: Header) -> PreTrainedConfig:
    from transformers import LlamaConfig, Qwen2Config

    kinds: dict[str, Callable[..., PreTrainedConfig]] = {"llama": LlamaConfig, "qwen2": Qwen2Config}
    return kinds[found.architecture](
        vocab_size=found.vocabulary,
        hidden_size=found.width,
        intermediate_size=found.inner,
        num_hidden_layers=found.layers,
        num_attention_heads=found.heads,
        num_key_value_heads=found.keys,
        head_dim=found.head_width,
        max_position_embeddings=about.number(f"{found.architecture}.context_length"),
        rms_norm_eps=_real(about, f"{found.architecture}.attention.layer_norm_rms_epsilon", 1e-5),
        rope_parameters={
            "rope_type": "default",
            "rope_theta": _real(about, f"{found.architecture}.rope.freq_base", 10_000.0),
        },
        tie_word_embeddings="output.weight" not in about.tensors,
    )


def _real(about: Header, key: str, otherwise: float) -> float:
    value = about.metadata.get(key)
    return float(value) if isinstance(value, (int, float)) else otherwise


def _weights(path: Path, found: Shape, precision: torch.dtype) -> dict[str, torch.Tensor]:
    """The weights as transformers names and orders them, one tensor dequantized after the other."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    weights = {}
    for tensor in GGUFReader(path).tensors:
        if not (name := layout.parameter(tensor.name)):
            raise TragError(f"{path} has a weight that no such model has: {tensor.name}.", layout.ONLY)
        try:
            rows = dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            raise TragError(
                f"{path} holds {tensor.name} as {tensor.tensor_type.name}, which cannot be dequantized here.",
                "Use a Q8_0, Q4_K_M or F16 file of the same model.",
            ) from error
        if number := layout.turned(tensor.name, found.architecture, found.heads, found.keys):
            rows = layout.from_llama_cpp(rows, number)
        weights[name] = torch.from_numpy(rows.copy() if not rows.flags.writeable else rows).to(precision)
    return weights


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
