"""A model that learns from packed sequences, a step at a time (torch, PEFT); on a GPU its weights may be of 4 bits.

sequences -> loss on the tokens of the answers -> gradients -> AdamW
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import LoraLayer
from torch.nn.functional import cross_entropy
from transformers import BitsAndBytesConfig

from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training import checkpoints, layout
from trag.finetune.training.base import Base
from trag.finetune.training.initial_adapter import InitialAdapter
from trag.finetune.training.packing import Packed
from trag.finetune.training.plan import TrainingSettings
from trag.machine import cores
from trag.reranking.network import fast_precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_BETAS = (0.9, 0.99)
_STEEPEST = 1.0
"""Norm to which the gradient of a step is cut."""
_UNSEEN = -1e4
"""What hides a token: not the least number there is, which fused kernels turn into minus infinity, and a block of these
into no number at all."""
_RANK, _RANK_QUANTIZED = 16, 64  # the latter as in T-RAG, section 5.2


class Learner:
    """A base with its adapter, on the GPU where there is one. Sequences go through one at a time, so none is padded."""

    def __init__(self, base: Base, settings: TrainingSettings, begun: InitialAdapter | None = None) -> None:
        """Loads the base. Raises TragError when it cannot be loaded, and when `begun` was made for another model.

        The weights are bfloat16 where that is fast, else float32; on a GPU 4-bit as `uses_four_bits` says. Those of the
        adapter are float32.
        """
        torch.set_num_threads(cores())
        torch.use_deterministic_algorithms(True, warn_only=True)
        # Every tensor here is written before it is read; filling each first takes a tenth of a step.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        # cuDNN's attention, which PyTorch takes on an H200 where a mask is given, is suspected of a loss that was no
        # number after 50 steps (docs/RESULTS.md).
        torch.backends.cuda.enable_cudnn_sdp(False)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._precision = fast_precision(self._device.type == "cuda")
        model = bases.load(base, self._precision)
        self.quantized = uses_four_bits(model.num_parameters(), asked=settings.four_bits)
        self._model = quantized(model) if self.quantized else model.to(self._device)  # type: ignore[arg-type]
        self.rank = settings.rank or default_rank(self.quantized)
        self.alpha = settings.alpha or 2 * self.rank
        self._whole = adapted(
            self._model,
            rank=self.rank,
            alpha=self.alpha,
            seed=settings.seed,
            all_projections=settings.all_projections,
        ).train()
        for module in self._whole.modules():
            if isinstance(module, LoraLayer):
                module.cast_input_dtype_enabled = False  # autocast does it, without a float32 copy on the way
        self._trained = {name: value for name, value in self._whole.named_parameters() if value.requires_grad}
        self._optimizer = torch.optim.AdamW(self._trained.values(), lr=0.0, betas=_BETAS, weight_decay=0.0)
        if begun:
            self._begin_from(begun)

    def _begin_from(self, adapter: InitialAdapter) -> None:
        scale = adapter.scale * self.rank / self.alpha
        with torch.no_grad():
            for module, (down, up) in adapter.halves.items():
                for half, rows in (("lora_A", down), ("lora_B", scale * up)):
                    value = self._trained.get(f"base_model.model.{module}.{half}.default.weight")
                    if value is None or value.shape != rows.shape:
                        raise TragError(
                            f"The adapter that the training begins from does not fit {module} of the model.",
                            "Was it made for another model? Set TRAG_ADAPTER=none to begin from the model itself.",
                        )
                    value.copy_(torch.from_numpy(rows))

    def learn(self, sequences: Sequence[Packed], rate: float) -> float:
        """One step: the loss of each token of the answers counts the same. Returns the loss before it."""
        tokens = sum(len(one.learned) for one in sequences)
        total = 0.0
        for one in sequences:
            loss = self._loss(one)
            (loss / tokens).backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        norm = torch.nn.utils.clip_grad_norm_(self._trained.values(), _STEEPEST)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        if torch.isfinite(norm):  # else the weights, which are worth something, would be no numbers either
            self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return total / tokens

    def loss(self, sequences: Sequence[Packed]) -> float:
        """The mean loss of the tokens of the answers."""
        with torch.no_grad():
            total = sum(self._loss(one).item() for one in sequences)
        return total / sum(len(one.learned) for one in sequences)

    def weights(self) -> dict[str, torch.Tensor]:
        """A copy of the adapter's weights, by the name of the parameter."""
        return {name: value.detach().cpu().clone() for name, value in self._trained.items()}

    def state(self) -> dict[str, torch.Tensor]:
        """Weights and optimizer: all that `restore` needs."""
        return checkpoints.tensors_of(self._trained, self._optimizer)

    def restore(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Take up a state that `state` gave. Raises TragError for that of an adapter of another rank."""
        if any(tensors[name].shape != value.shape for name, value in self._trained.items()):
            raise TragError(
                f"The checkpoint is that of an adapter of another rank than {self.rank}.",
                "Was it begun on a GPU that is missing now? Bring that back, or begin a new training.",
            )
        checkpoints.take_up(tensors, self._trained, self._optimizer)

    def write(self, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
        """The adapter with these weights as PEFT reads it: adapter_config.json and adapter_model.safetensors."""
        with torch.no_grad():
            for name, value in self._trained.items():
                value.copy_(weights[name])
        # The embedding is not trained; asked to find out, PEFT would look for the base on a hub.
        self._whole.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)

    def _loss(self, one: Packed) -> torch.Tensor:
        """The summed loss of the tokens of the answers. The head, a fifth of the work, is computed for these alone."""
        places, targets = torch.tensor(one.learned, device=self._device).T
        seen = torch.from_numpy(one.seen).to(self._device)
        mask = torch.zeros(seen.shape, dtype=self._precision, device=self._device)
        mask.masked_fill_(~seen, _UNSEEN)
        # A context each time: within one, autocast keeps the weights as it cast them first.
        with torch.autocast(self._device.type, self._precision, enabled=self._precision != torch.float32):
            hidden = self._model.model(
                input_ids=torch.tensor([one.tokens], device=self._device),
                position_ids=seen.sum(1)[None] - 1,
                attention_mask=mask[None, None],
                use_cache=False,
            ).last_hidden_state
            logits = self._model.lm_head(hidden[0, places])
        return cross_entropy(logits.float(), targets, reduction="sum")


def adapted(model: PreTrainedModel, *, rank: int, alpha: int, seed: int, all_projections: bool) -> PeftModel:
    """The model with an adapter that changes nothing yet; its weights are float32 and depend on `seed` alone."""
    names = layout.PROJECTIONS if all_projections else layout.FEW
    config = LoraConfig(
        r=rank,
        lora_alpha=alpha,
        target_modules=[layout.PROJECTIONS[name].rsplit(".", 1)[-1] for name in names],
        bias="none",
        task_type="CAUSAL_LM",
    )
    torch.manual_seed(seed)
    whole = get_peft_model(model, config)
    if not isinstance(whole, PeftModel):
        raise TypeError(type(whole))
    return whole


def default_rank(quantized: bool) -> int:
    """That of an adapter over weights of 4 bits, and over others."""
    return _RANK_QUANTIZED if quantized else _RANK


def uses_four_bits(weights: int, *, asked: bool) -> bool:
    """Whether so many weights are held in 4 bits on a GPU: where that is `asked`, or where they would take more than
    half of its memory in 16 bits. Raises TragError when it is asked without a GPU."""
    if asked and not torch.cuda.is_available():
        raise TragError(
            "Weights are held in 4 bits on an NVIDIA GPU alone, and torch finds none here.",
            "Begin with --new and without --four-bits; or train on a machine with a GPU, and with torch built for its "
            "CUDA.",
        )
    if not torch.cuda.is_available():
        return False
    return asked or 2 * weights > torch.cuda.get_device_properties(0).total_memory / 2


def quantized(model: PreTrainedModel) -> PreTrainedModel:
    """The model with every projection in its layers as one of 4 bits, NormalFloat4 with double quantization (QLoRA,
    sections 2 and 3; T-RAG, 5.2), on the GPU where there is one.

    What one layer needs for its gradients is computed again on the way back, which saves most of the memory. Raises
    TragError when bitsandbytes is not installed.
    """
    if not find_spec("bitsandbytes"):
        raise TragError(
            "The weights are to be held in 4 bits, as was asked for or as the GPU's memory wants it, and bitsandbytes, "
            "which packs them, is not installed.",
            "pip install -r requirements-gpu.txt",
        )
    how = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    packed: PreTrainedModel = type(model).from_pretrained(
        None, config=model.config, state_dict=model.state_dict(), dtype=torch.bfloat16, quantization_config=how
    )
    packed.activation_checkpointing_enable({"use_reentrant": False})
    return packed
