"""The model that is fine-tuned: a local GGUF file, dequantized, or a local Hugging Face folder.

"" or a path -> Base -> weights in memory.  Knows nothing about adapters or training.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trag.errors import TragError
from trag.finetune.training import layout
from trag.finetune.training.packing import Vocabulary
from trag.finetune.training.vocabulary import GgufVocabulary
from trag.llm import files
from trag.llm.files import Header

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel

_ONLY = (
    "Only models of the architectures qwen2 (Qwen2.5, the embedded one) and llama (Llama 2 and its like, SmolLM2) are "
    "fine-tuned; use one of these."
)


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
        _check_folder(path)
        return Base(path, path.name, _folder_sha256(path))
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
    """The GGUF file that an adapter is for, though it may not say all that training on it would need. Raises TragError
    as `find` does."""
    found = files.find(model, "")
    _file_shape(files.read_header(found.model), found.model)
    template = found.template.read_text(encoding="utf-8") if found.template else ""
    return Base(found.model, files.base_name(model), files.base_sha256(model), template)


def check_twin(folder: Base, file: Base) -> None:
    """Raises TragError unless the GGUF file holds the weights of the Hugging Face folder, by their shape and by what
    scales each layer: that is kept whole in a file however its weights are packed, and hardly anything is the same in
    two trainings of one model."""
    if shape(folder) != shape(file) or not _is_alike(_scales_of_folder(folder.path), _scales_of_file(file.path)):
        raise TragError(
            f"{folder.path} does not hold the weights of {file.name}, the model in use: no adapter of it would fit.",
            "Name the folder that the GGUF file was made from; or convert the folder with llama.cpp's "
            "convert_hf_to_gguf.py, and set TRAG_MODEL to that file.",
        )


def vocabulary(base: Base) -> Vocabulary:
    """How the model in a GGUF file reads and writes tokens. Raises TragError when it does not say."""
    return GgufVocabulary(base.path, base.template)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model: `heads` ask and share `keys` keys, each `head_width` wide; a layer is `width` wide and `inner`
    within. It has that many `weights`, `outside` of them outside its layers."""

    architecture: str
    layers: int
    width: int
    inner: int
    heads: int
    keys: int
    head_width: int
    vocabulary: int
    weights: int
    outside: int


def shape(base: Base) -> Shape:
    """Read from the header of its file, or from config.json. Raises TragError when it is not all there."""
    return _folder_shape(base.path) if base.is_folder else _file_shape(files.read_header(base.path), base.path)


def load(base: Base, precision: torch.dtype) -> PreTrainedModel:
    """The model with its weights in `precision`, frozen, on the CPU. Raises TragError when they cannot be read."""
    from transformers import AutoModelForCausalLM

    if base.is_folder:
        try:
            model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
                base.path, dtype=precision, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise TragError(f"{base.path} cannot be loaded: {error}", "Copy the whole folder of the model.") from error
    else:
        model = _from_file(base.path, precision)
    # PEFT asks for it under its former name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
    model.requires_grad_(False)
    model.config.use_cache = False
    return model


def _from_file(path: Path, precision: torch.dtype) -> PreTrainedModel:
    """A GGUF model, one tensor dequantized after the other: transformers' own way reads all of the file's words twice
    over, and takes twice the memory."""
    import torch
    from transformers import AutoModelForCausalLM

    about = files.read_header(path)
    found = _file_shape(about, path)
    config = _config(found, about)
    weights = _weights(path, found, precision)
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    model.load_state_dict(weights, assign=True, strict=False)
    model.tie_weights()
    missing = [name for name, value in model.named_parameters() if value.is_meta]
    if missing:
        raise TragError(f"{path} lacks weights: {', '.join(missing[:5])}.", "Copy the file again.")
    model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its tables are no weights, and were meta
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
    """The weights as transformers names and orders them."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    weights = {}
    for tensor in GGUFReader(path).tensors:
        if not (name := layout.parameter(tensor.name)):
            raise TragError(f"{path} has a weight that no such model has: {tensor.name}.", _ONLY)
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


def _file_shape(about: Header, path: Path) -> Shape:
    """The shape of a GGUF model. Raises TragError unless it is one that can be trained."""
    architecture = about.text("general.architecture")
    experts = about.number(f"{architecture}.expert_count")
    if architecture not in layout.ARCHITECTURES or experts:
        kind = f"{architecture} with {experts} experts" if experts else architecture
        raise TragError(f"{path} cannot be fine-tuned: its architecture is '{kind}'.", _ONLY)

    def number(key: str) -> int:
        if not (value := about.number(f"{architecture}.{key}")):
            raise TragError(
                f"{path} does not say its {architecture}.{key}.", "Convert the model again with a current llama.cpp."
            )
        return value

    heads, width = number("attention.head_count"), number("embedding_length")
    return _shape(
        architecture,
        layers=number("block_count"),
        width=width,
        inner=number("feed_forward_length"),
        heads=heads,
        keys=about.number(f"{architecture}.attention.head_count_kv") or heads,
        head_width=about.number(f"{architecture}.attention.key_length") or width // heads,
        vocabulary=about.tensors["token_embd.weight"][1],
        tied="output.weight" not in about.tensors,
    )


def _folder_shape(folder: Path) -> Shape:
    config = _folder_config(folder)
    try:
        heads, width = config["num_attention_heads"], config["hidden_size"]
        return _shape(
            config["model_type"],
            layers=config["num_hidden_layers"],
            width=width,
            inner=config["intermediate_size"],
            heads=heads,
            keys=config.get("num_key_value_heads") or heads,
            head_width=config.get("head_dim") or width // heads,
            vocabulary=config["vocab_size"],
            tied=config.get("tie_word_embeddings", False),
        )
    except KeyError as error:
        raise TragError(f"{folder / 'config.json'} does not say {error}.", "Copy the whole folder again.") from error


def _shape(
    architecture: str,
    *,
    layers: int,
    width: int,
    inner: int,
    heads: int,
    keys: int,
    head_width: int,
    vocabulary: int,
    tied: bool,
) -> Shape:
    outside = vocabulary * width * (1 if tied else 2)
    layer = 2 * width * head_width * (heads + keys) + 3 * width * inner
    weights = layers * layer + outside
    return Shape(architecture, layers, width, inner, heads, keys, head_width, vocabulary, weights, outside)


def _scales_of_file(path: Path) -> dict[str, torch.Tensor]:
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    scales = [tensor for tensor in GGUFReader(path).tensors if tensor.name.endswith("_norm.weight")]
    found = {layout.parameter(one.name): dequantize(one.data, one.tensor_type).copy() for one in scales}
    return {name: torch.from_numpy(rows) for name, rows in found.items()}


def _scales_of_folder(folder: Path) -> dict[str, torch.Tensor]:
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


def _is_alike(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    import torch

    # Their last digits may have been rounded to 16 bits on the way.
    return one.keys() == other.keys() and all(
        one[name].shape == other[name].shape and torch.allclose(one[name], other[name], rtol=1e-3, atol=0)
        for name in one
    )


def _folder_config(folder: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TragError(
            f"{folder} is no Hugging Face folder: its config.json cannot be read.",
            "Copy the whole folder of the model.",
        ) from error
    return config


def _check_folder(folder: Path) -> None:
    """Raises TragError unless the folder holds a model that can be trained, in safetensors."""
    config = _folder_config(folder)
    if config.get("model_type") not in layout.ARCHITECTURES:
        raise TragError(f"{folder} cannot be fine-tuned: its architecture is '{config.get('model_type')}'.", _ONLY)
    if not any(folder.glob("*.safetensors")):
        raise TragError(
            f"{folder} holds no weights as safetensors.", "Convert them; other formats can run programs when they load."
        )


def _folder_sha256(folder: Path) -> str:
    """Of the shape and the weights, file after file."""
    digest = hashlib.sha256()
    for file in [folder / "config.json", *sorted(folder.glob("*.safetensors"))]:
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()
