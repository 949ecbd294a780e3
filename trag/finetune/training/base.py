"""The model that is fine-tuned: a local GGUF file, dequantized, or a local Hugging Face folder.

"" or a path -> Base -> weights in memory.  Knows nothing about adapters or training.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trag.errors import TragError
from trag.finetune.training import layout
from trag.finetune.training.blocks import Vocabulary
from trag.finetune.training.vocabulary import GgufVocabulary
from trag.llm import files, header
from trag.llm.header import Header

if TYPE_CHECKING:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

_LLAMA = "Only models of the llama architecture are fine-tuned (Llama 2 and its like, SmolLM2); use one of these."


@dataclass(frozen=True, slots=True)
class Base:
    """A GGUF file or a Hugging Face folder, and the sha256 of its weights; of the embedded model that of the published
    file, whatever it was prepared into on this machine."""

    path: Path
    name: str
    sha256: str
    template: str = ""
    """The chat template of a GGUF file that carries none, from the file beside it."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a Hugging Face folder."""
        return self.path.is_dir()


def find(home: Path, model: str) -> Base:
    """The base that `model` names: a GGUF file, a Hugging Face folder, or "" for the embedded model as the assistant of
    `home` runs it (prepared there the first time).

    Reads all of it for its sha256. Raises TragError when it is missing, damaged, or no llama model.
    """
    path = Path(model).expanduser().absolute()
    if model and path.is_dir():
        _check_folder(path)
        return Base(path, path.name, _folder_sha256(path))
    file = files.find(home, model, "").model
    about = header.read(file)
    if about.text("llama.rope.scaling.type") not in ("", "none") or "rope_freqs.weight" in about.tensors:
        raise TragError(
            f"{file} cannot be fine-tuned from its GGUF file: its positions are scaled, and the file does not say "
            "how in full.",
            "Name its Hugging Face folder: python -m trag finetune --base FOLDER",
        )
    return find_file(home, model)


def find_file(home: Path, model: str) -> Base:
    """The GGUF file that an adapter is for, though it may not say all that training on it would need. Raises TragError
    as `find` does."""
    found = files.find(home, model, "")
    _config_of(header.read(found.model), found.model)
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
    """Sizes of a llama model: `heads` ask and share `keys` keys, each `head_width` wide; a layer is `width` wide and
    `inner` within. It has that many `weights`, `outside` of them outside its layers."""

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
    config = _config(base)
    layers, width, inner, heads = (
        config.num_hidden_layers,
        config.hidden_size,
        config.intermediate_size,
        config.num_attention_heads,
    )
    keys, head_width = config.num_key_value_heads or heads, config.head_dim or width // heads
    outside = config.vocab_size * width * (1 if config.tie_word_embeddings else 2)
    layer = 2 * width * head_width * (heads + keys) + 3 * width * inner
    return Shape(layers, width, inner, heads, keys, head_width, config.vocab_size, layers * layer + outside, outside)


def load(base: Base, precision: torch.dtype) -> LlamaForCausalLM:
    """The model with its weights in `precision`, frozen, on the CPU. Raises TragError when they cannot be read."""
    import torch
    from transformers import LlamaForCausalLM

    if base.is_folder:
        try:
            model = LlamaForCausalLM.from_pretrained(
                base.path, dtype=precision, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise TragError(f"{base.path} cannot be loaded: {error}", "Copy the whole folder of the model.") from error
    else:
        config = _config(base)
        weights = _weights(base.path, config, precision)
        with torch.device("meta"):
            model = LlamaForCausalLM(config)
        model.load_state_dict(weights, assign=True, strict=False)
        model.tie_weights()
        missing = [name for name, value in model.named_parameters() if value.is_meta]
        if missing:
            raise TragError(f"{base.path} lacks weights: {', '.join(missing[:5])}.", "Copy the file again.")
        model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its tables are no weights, and were meta
    # PEFT asks for it under its former name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
    model.requires_grad_(False)
    model.config.use_cache = False
    return model


def _config(base: Base) -> LlamaConfig:
    from transformers import LlamaConfig

    if base.is_folder:
        return LlamaConfig.from_pretrained(base.path, local_files_only=True)
    return _config_of(header.read(base.path), base.path)


def _config_of(about: Header, path: Path) -> LlamaConfig:
    """The shape of a GGUF model, as if its positions were not scaled. Raises TragError unless it is a llama model."""
    architecture = about.text("general.architecture")
    experts = about.number("llama.expert_count")
    if architecture != "llama" or experts:
        kind = f"{architecture} with {experts} experts" if experts else architecture
        raise TragError(f"{path} cannot be fine-tuned: its architecture is '{kind}'.", _LLAMA)

    def number(key: str) -> int:
        if not (value := about.number(f"llama.{key}")):
            raise TragError(
                f"{path} does not say its llama.{key}.", "Convert the model again with a current llama.cpp."
            )
        return value

    heads, width = number("attention.head_count"), number("embedding_length")
    head_width = about.number("llama.attention.key_length") or width // heads
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=about.tensors["token_embd.weight"][1],
        hidden_size=width,
        intermediate_size=number("feed_forward_length"),
        num_hidden_layers=number("block_count"),
        num_attention_heads=heads,
        num_key_value_heads=about.number("llama.attention.head_count_kv") or heads,
        head_dim=head_width,
        max_position_embeddings=number("context_length"),
        rms_norm_eps=_real(about, "llama.attention.layer_norm_rms_epsilon", 1e-5),
        rope_parameters={"rope_type": "default", "rope_theta": _real(about, "llama.rope.freq_base", 10_000.0)},
        tie_word_embeddings="output.weight" not in about.tensors,
    )


def _real(about: Header, key: str, otherwise: float) -> float:
    value = about.metadata.get(key)
    return float(value) if isinstance(value, (int, float)) else otherwise


def _weights(path: Path, config: LlamaConfig, precision: torch.dtype) -> dict[str, torch.Tensor]:
    """The weights as transformers names and orders them."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    weights = {}
    for tensor in GGUFReader(path).tensors:
        if not (module := layout.module(tensor.name)):
            raise TragError(f"{path} has a weight that no llama model has: {tensor.name}.", _LLAMA)
        try:
            rows = dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            raise TragError(
                f"{path} holds {tensor.name} as {tensor.tensor_type.name}, which cannot be dequantized here.",
                "Use a Q8_0, Q4_K_M or F16 file of the same model.",
            ) from error
        if number := layout.turned(tensor.name, config.num_attention_heads, config.num_key_value_heads or 0):
            rows = layout.from_llama_cpp(rows, number)
        weights[f"{module}.weight"] = torch.from_numpy(rows.copy() if not rows.flags.writeable else rows).to(precision)
    return weights


def _scales_of_file(path: Path) -> dict[str, torch.Tensor]:
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    scales = [tensor for tensor in GGUFReader(path).tensors if tensor.name.endswith("_norm.weight")]
    found = {layout.module(one.name): dequantize(one.data, one.tensor_type).copy() for one in scales}
    return {f"{module}.weight": torch.from_numpy(rows) for module, rows in found.items()}


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
    """Raises TragError unless the folder holds a llama model in safetensors."""
    config = _folder_config(folder)
    if config.get("model_type") != "llama":
        raise TragError(f"{folder} cannot be fine-tuned: its architecture is '{config.get('model_type')}'.", _LLAMA)
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
