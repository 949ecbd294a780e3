"""A model with a LoRA adapter to train on all seven projections of every layer (PEFT).

Plain LoRA computes a projection and its adapter together, in the fewest passes over memory; over 4-bit weights
(QLoRA) it is PEFT's own.  Knows nothing about what is learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import Linear

from trag.finetune.training.layout import PROJECTIONS, Rows

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

_NAME = "default"  # what PEFT calls the only adapter


def adapted(model: LlamaForCausalLM, *, rank: int, alpha: int, seed: int) -> PeftModel:
    """The model with an adapter that changes nothing yet; its weights are float32 and depend on `seed` alone."""
    config = LoraConfig(
        r=rank,
        lora_alpha=alpha,
        target_modules=[place.rsplit(".", 1)[-1] for place in PROJECTIONS.values()],
        bias="none",
        task_type="CAUSAL_LM",
    )
    if not getattr(model, "is_loaded_in_4bit", False):
        config._register_custom_module({torch.nn.Linear: _Projection})
    torch.manual_seed(seed)
    whole = get_peft_model(model, config)
    if not isinstance(whole, PeftModel):
        raise TypeError(type(whole))
    return whole


def parameters(module: str, down: Rows, up: Rows) -> tuple[tuple[str, Rows], ...]:
    """The halves of what changes a module, each with the name of its parameter in an adapted model."""
    return (
        (f"base_model.model.{module}.lora_A.{_NAME}.weight", down),
        (f"base_model.model.{module}.lora_B.{_NAME}.weight", up),
    )


class _Projection(Linear):
    """PEFT's adapted projection, computed by _Adapted."""

    def forward(self, x: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        down, up = self.lora_A[_NAME].weight, self.lora_B[_NAME].weight
        whole = self.base_layer
        output: torch.Tensor = _Adapted.apply(x, whole.weight, whole.bias, down, up, self.scaling[_NAME])  # type: ignore[no-untyped-call]
        return output


class _Adapted(torch.autograd.Function):
    """x weight' + bias + scale (x down') up', without a gradient for the weight and the bias. x: [..., inputs]."""

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        down: torch.Tensor,
        up: torch.Tensor,
        scale: float,
    ) -> torch.Tensor:
        shape = x.shape
        rows = x.reshape(-1, shape[-1])
        down, up = down.to(x.dtype), (up * scale).to(x.dtype)
        inner = rows @ down.T
        output = torch.nn.functional.linear(rows, weight, bias).addmm_(inner, up.T)
        ctx.save_for_backward(rows, weight, inner, down, up)
        ctx.scale, ctx.shape = scale, shape
        return output.view(*shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        rows, weight, inner, down, up = ctx.saved_tensors
        gradient = gradients[0].reshape(-1, weight.shape[0])
        to_inner = gradient @ up
        to_up = (gradient.T @ inner).float() * ctx.scale
        to_down = (to_inner.T @ rows).float()
        to_x = (gradient @ weight).addmm_(to_inner, down).view(ctx.shape) if ctx.needs_input_grad[0] else None
        return to_x, None, None, to_down, to_up, None
