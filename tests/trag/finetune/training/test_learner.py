"""A packed sequence is learned as its examples would be alone, and what was stopped goes on as before."""

from dataclasses import replace
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.dataset.examples import Example
from trag.finetune.training import base as bases
from trag.finetune.training.packing import fit, pack, row
from trag.finetune.training.plan import TrainingSettings

pytestmark = pytest.mark.slow
SETTINGS = TrainingSettings(rank=2, alpha=4)
PROJECTIONS = [f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")]


def test_the_loss_of_a_sequence_is_that_of_its_examples_alone(
    either: Path, lessons: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from trag.finetune.training import learner as learners
    from trag.finetune.training.learner import Learner

    monkeypatch.setattr(learners, "fast_precision", lambda gpu: torch.float32)
    base = bases.find(str(either))
    rows = [row(one, bases.GgufVocabulary(base)) for one in lessons[:5]]
    learner = Learner(base, SETTINGS)
    together, alone = list(pack(rows, 4096)), [packed for one in rows for packed in pack([one], 4096)]
    assert (len(together), len(alone)) == (1, 5)
    assert learner.loss(together) == pytest.approx(learner.loss(alone), rel=1e-5)
    tokens = torch.tensor([rows[0].prompt + rows[0].answer])
    labels = tokens.clone()
    labels[0, : len(rows[0].prompt)] = -100
    with torch.no_grad():
        assert learner.loss(alone[:1]) == pytest.approx(learner._model(tokens, labels=labels).loss.item(), rel=1e-5)


def test_a_state_taken_up_goes_on_as_before(either: Path, lessons: tuple[Example, ...]) -> None:
    from trag.finetune.training.learner import Learner

    base = bases.find(str(either))
    sequences = fit(lessons[:8], bases.GgufVocabulary(base), 4096).sequences
    first, second = (Learner(base, replace(SETTINGS, seed=seed)) for seed in (1, 2))
    first.learn(sequences, 0.01)
    second.restore(first.state())
    losses = [[learner.learn(sequences, 0.01) for _ in range(3)] for learner in (first, second)]
    assert losses[0] == losses[1]
    assert losses[0][-1] < losses[0][0]
    assert all((first.weights()[name] == value).all() for name, value in second.weights().items())
    with pytest.raises(TragError, match="another rank than 3"):
        Learner(base, replace(SETTINGS, rank=3)).restore(first.state())


def test_a_gradient_that_is_no_number_leaves_the_weights_as_they_are(
    tiny_qwen2: Path, lessons: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from trag.finetune.training import learner as learners
    from trag.finetune.training.learner import Learner

    base, whole = bases.find(str(tiny_qwen2)), learners.cross_entropy
    sequences = fit(lessons[:2], bases.GgufVocabulary(base), 4096).sequences
    learner = Learner(base, SETTINGS)
    before = learner.weights()
    with monkeypatch.context() as patch:
        patch.setattr(learners, "cross_entropy", lambda *given, **named: whole(*given, **named) * float("inf"))
        learner.learn(sequences, 0.01)
    assert all((before[name] == value).all() for name, value in learner.weights().items())
    learner.learn(sequences, 0.01)
    assert any((before[name] != value).any() for name, value in learner.weights().items()), "it goes on after that"


@pytest.mark.parametrize(("every", "names"), [(False, {"q_proj", "v_proj"}), (True, set(PROJECTIONS))])
def test_query_and_value_are_adapted_or_all_projections(tiny_qwen2: Path, every: bool, names: set[str]) -> None:
    from trag.finetune.training.learner import Learner

    base = bases.find(str(tiny_qwen2))
    learner = Learner(base, replace(SETTINGS, all_projections=every))
    found = {name.split(".")[6] for name in learner.weights()}
    assert found == names
    assert len(learner.weights()) == 2 * 2 * len(found)


def test_weights_of_four_bits_learn_through_peft_at_the_rank_of_the_paper(tiny: Path) -> None:
    """On the processor, where bitsandbytes is installed; no test here has a GPU."""
    pytest.importorskip("bitsandbytes")
    import torch

    from trag.finetune.training import learner

    model = learner.quantized(bases.load(bases.find(str(tiny)), torch.bfloat16))
    assert type(model.lm_head) is torch.nn.Linear
    assert model.model.layers[0].self_attn.q_proj.weight.dtype == torch.uint8
    rank = learner.default_rank(quantized=True)
    whole = learner.adapted(model, rank=rank, alpha=128, seed=1, all_projections=True)
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
