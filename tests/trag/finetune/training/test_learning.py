"""What is computed fast is what torch and PEFT compute, and a block is learned as its questions would be alone."""

from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.dataset.examples import Example
from trag.finetune.training import base as bases
from trag.finetune.training.blocks import Block, Part, fit, packed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("length", [1, 128, 300], ids=["one token", "one band", "two bands and a rest"])
def test_attention_in_bands_is_attention(length: int) -> None:
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    from trag.finetune.training.attention import _attend

    torch.manual_seed(1)
    query = torch.randn(1, 6, length, 8, requires_grad=True)
    key, value = (torch.randn(1, 2, length, 8, requires_grad=True) for _ in range(2))
    seen = torch.ones(length, length, dtype=torch.bool).tril()
    seen[length // 2 :, length // 4 : length // 2] = False
    mask = torch.zeros(length, length).masked_fill(~seen, torch.finfo(torch.float32).min)[None, None]
    weight = torch.randn(1, length, 6, 8)
    fast, _ = _attend(torch.nn.Module(), query, key, value, mask, 0.3)
    slow = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=0.3, enable_gqa=True).transpose(1, 2)
    torch.testing.assert_close(fast, slow)
    for found, wanted in zip(*gradients((fast * weight, slow * weight), (query, key, value)), strict=True):
        torch.testing.assert_close(found, wanted)


def gradients(outputs, inputs):
    import torch

    return [torch.autograd.grad(output.sum(), inputs) for output in outputs]


def test_a_projection_and_its_adapter_are_those_of_peft() -> None:
    import torch
    from peft import LoraConfig
    from peft.tuners.lora import Linear

    from trag.finetune.training.adapting import _Projection

    torch.manual_seed(1)
    config = LoraConfig(r=4, lora_alpha=12, init_lora_weights=False)
    whole = torch.nn.Linear(10, 6)
    fast, slow = (kind(whole, "default", config=config, r=4, lora_alpha=12) for kind in (_Projection, Linear))
    slow.load_state_dict(fast.state_dict())
    x = torch.randn(1, 7, 10, requires_grad=True)
    weight = torch.randn(1, 7, 6)
    torch.testing.assert_close(fast(x), slow(x))
    for module in (fast, slow):
        (module(x) * weight).sum().backward()
    torch.testing.assert_close(fast.lora_A["default"].weight.grad, slow.lora_A["default"].weight.grad)
    torch.testing.assert_close(fast.lora_B["default"].weight.grad, slow.lora_B["default"].weight.grad)
    by_fast, by_slow = gradients((fast(x) * weight, slow(x) * weight), (x,))
    torch.testing.assert_close(by_fast, by_slow)


def test_the_loss_of_a_block_is_that_of_its_questions_alone(tiny: Path, lessons: tuple[Example, ...]) -> None:
    import torch

    from trag.finetune.training.learning import Learner

    base = bases.find(tiny.parent, str(tiny))
    together = fit(lessons[:1], bases.vocabulary(base), 4096).blocks[0]
    assert len(together.parts) == 2
    learner = Learner(base, rank=2, alpha=4, seed=1)
    learner._model.float()
    learner._precision = torch.float32
    alone = []
    for part in together.parts:
        tokens = together.tokens[: together.context] + together.tokens[part.start : part.end]
        moved = Part(0, part.answer - part.start + together.context, len(tokens))
        alone.append(Block(tokens, 0, (moved,)))
    assert learner.loss([together]) == pytest.approx(learner.loss(alone), rel=1e-5)
    apart = [learner.loss([one]) * len(one.learned) for one in alone]
    assert len(list(packed(alone))) == 1
    assert learner.loss(alone) * sum(len(one.learned) for one in alone) == pytest.approx(sum(apart), rel=1e-5)


def test_a_state_taken_up_goes_on_as_before(tiny: Path, lessons: tuple[Example, ...]) -> None:
    from trag.finetune.training.learning import Learner

    base = bases.find(tiny.parent, str(tiny))
    blocks = fit(lessons[:4], bases.vocabulary(base), 4096).blocks
    first, second = (Learner(base, rank=2, alpha=4, seed=seed) for seed in (1, 2))
    first.learn(blocks, 0.01)
    second.restore(first.state())
    losses = [[learner.learn(blocks, 0.01) for _ in range(3)] for learner in (first, second)]
    assert losses[0] == losses[1]
    assert losses[0][-1] < losses[0][0]
    assert all((first.weights()[name] == value).all() for name, value in second.weights().items())
    with pytest.raises(TragError, match="another rank than 3"):
        Learner(base, rank=3, alpha=4, seed=1).restore(first.state())


def test_weights_of_four_bits_learn_through_peft_at_the_rank_of_the_paper(tiny: Path) -> None:
    """On the processor, where bitsandbytes is installed; no test here has a GPU."""
    pytest.importorskip("bitsandbytes")
    import torch

    from trag.finetune.training import adapting, learning, quantized

    model = bases.load(bases.find(tiny.parent, str(tiny)), torch.bfloat16)
    quantized.quantize(model)
    model.to("cpu")
    assert model.model.layers[0].self_attn.q_proj.weight.dtype == torch.uint8
    whole = adapting.adapted(model, rank=learning.default_rank(quantized=True), alpha=128, seed=1)
    assert {value.shape[0] for name, value in whole.named_parameters() if "lora_A" in name} == {64}
    trained = [value for value in whole.parameters() if value.requires_grad]
    optimizer, tokens = torch.optim.AdamW(trained, lr=0.01), torch.tensor([[5, 900, 17, 4, 8, 9]])
    losses = []
    for _ in range(4):
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
