"""Training goes on where it was stopped or killed, comes to the same adapter, and says why when it cannot."""

import json
import math
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from store import StoreError
from store.files import lock
from trag.errors import TragError
from trag.evaluate import runs
from trag.finetune.dataset.examples import Example, write
from trag.finetune.training import base as bases
from trag.finetune.training import checkpoints, plan, run
from trag.finetune.training import plan as plans
from trag.finetune.training.base import Base
from trag.finetune.training.checkpoints import LossPoint
from trag.finetune.training.packing import Packed
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.training_process import Failed, Finished, Needed, Paused, Report, Step, decode

ROOT = Path(__file__).parents[4]
SETTINGS = TrainingSettings(epochs=2.0, accumulation=4, learning_rate=1.0, warm_up=0.25, seed=5)
SEQUENCES = [Packed((number,), (-1,), ()) for number in range(10)]


def train(folder: Path, order: Plan, stop: threading.Event | None = None) -> list[Report]:
    """What it says."""
    said: list[Report] = []
    run.train(folder, order, said.append, stop or threading.Event())
    return said


def start(folder: Path, order: Plan) -> subprocess.Popen[str]:
    """The process of its own."""
    plans.write(folder, order)
    command = [sys.executable, "-m", "trag.finetune.training", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def after_step(process: subprocess.Popen[str], step: int) -> None:
    """Waits until that step is done."""
    for line in process.stdout:
        record = decode(line)
        if isinstance(record, Step) and record.step == step:
            return
    raise AssertionError(process.communicate()[1])


def weights(folder: Path) -> bytes:
    return (run.adapter(folder) / "adapter_model.safetensors").read_bytes()


def test_each_epoch_learns_from_every_example_once_in_an_order_of_its_own() -> None:
    assert plan.steps(SETTINGS, 10) == 5

    def order(settings: TrainingSettings) -> list[int]:
        return [one.tokens[0] for step in range(5) for one in plan.batch(settings, SEQUENCES, step)]

    places = order(SETTINGS)
    first, second = places[:10], places[10:]
    assert sorted(first) == sorted(second) == list(range(10))
    assert len({tuple(first), tuple(second), tuple(range(10))}) == 3
    assert places != order(replace(SETTINGS, seed=6))


def test_the_learning_rate_rises_and_then_falls_to_nothing() -> None:
    rates = [plan.learning_rate(SETTINGS, step, 20) for step in range(20)]
    assert rates[:6] == sorted(rates[:6])
    assert rates[5] == pytest.approx(1.0)
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert 0 < rates[-1] < 0.02


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rnak": 4}, 'unknown key "rnak"'),
        ({"rank": 4.5}, '"rank" must be a whole number'),
        ({"epochs": "two"}, '"epochs" must be a number'),
        (
            {"epochs": 0, "accumulation": -1},
            '"epochs" must be more than 0, found 0; "accumulation" must be more than 0, found -1',
        ),
        ({"warm_up": 1}, '"warm_up" must be less than 1, found 1'),
        ({"dataset": None}, '"dataset" must be a text, found null'),
        ({"four_bits": 1}, '"four_bits" must be true or false'),
        ({"accumulation": True}, '"accumulation" must be a whole number'),
        ({"model": 3}, '"model" must be a text, found 3'),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_settings_that_make_no_sense_are_refused_all_at_once(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    order = Plan(tmp_path / "dataset", "", replace(SETTINGS, epochs=1.5))
    plans.write(tmp_path, order)
    assert plans.read(tmp_path) == order
    file = tmp_path / plans.FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(TragError, match=said):
        plans.read(tmp_path)


def test_what_makes_a_training_another_one(tmp_path: Path) -> None:
    base = Base(tmp_path / "m.gguf", "m", "b")
    kept = run.fingerprint(base, "d", SETTINGS)
    assert run.fingerprint(base, "d", replace(SETTINGS, checkpoint_seconds=9)) == kept
    assert run.fingerprint(base, "d", replace(SETTINGS, all_projections=True)) != kept
    assert run.fingerprint(base, "e", SETTINGS) != kept


def test_losses_are_a_table() -> None:
    losses, held_out = [LossPoint(1, 2.0), LossPoint(2, 1.0)], [LossPoint(0, 2.5), LossPoint(2, 1.5)]
    assert checkpoints.loss_table(losses, held_out).decode() == (
        "step,loss,held_out\n0,,2.50000\n1,2.00000,\n2,1.00000,1.50000\n"
    )


def test_it_ends_early_once_the_held_out_loss_falls_no_more() -> None:
    for losses in ([3, 2, 1], [1, 2], [3, 1, 2, 0.5]):
        assert not run.falls_no_more(losses, patience=2)
    for losses in ([1, 2, 1.5], [3, 1, 1, 1]):
        assert run.falls_no_more(losses, patience=2)


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    assert checkpoints.load(tmp_path) is None
    (tmp_path / "checkpoint.safetensors").write_bytes(b"half")
    with pytest.raises(TragError, match=r"checkpoint\.safetensors is damaged"):
        checkpoints.load(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_and_stopped_it_comes_to_the_same_adapter(plan: Plan, tmp_path: Path) -> None:
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    process = start(disturbed, plan)
    after_step(process, 2)
    with pytest.raises(StoreError, match="already in use"), lock(disturbed):
        pytest.fail("a second one may train in the folder")
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert run.trained(disturbed) is None

    process = start(disturbed, plan)
    after_step(process, 4)
    process.terminate()
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert isinstance(decode(out.splitlines()[-1]), Paused), out

    assert isinstance(train(disturbed, plan)[-1], Finished)
    train(undisturbed, plan)
    assert weights(disturbed) == weights(undisturbed)
    assert (disturbed / "loss.csv").read_bytes() == (undisturbed / "loss.csv").read_bytes()
    done = run.trained(disturbed)
    assert (done.steps, done.examples, done.rank, done.alpha, done.too_long) == (6, 36, 4, 8, 0)
    assert done.loss_after < done.loss_before


@pytest.mark.slow
def test_a_finished_one_is_not_trained_again_and_not_mixed_with_another(
    plan: Plan, tmp_path: Path, lessons: tuple[Example, ...]
) -> None:
    folder = tmp_path / "training"
    said = train(folder, plan)
    steps = [record for record in said if isinstance(record, Step)]
    assert [record.step for record in steps] == list(range(1, 7))
    assert steps[-1].seconds_left == 0
    needed = [place for place, record in enumerate(said) if isinstance(record, Needed)]
    assert needed == [said.index(steps[0]) - 3], "what it takes is said before the model is loaded"
    done = run.trained(folder)
    assert (done.base_sha256, done.weights, done.four_bits) == (bases.find(plan.base).sha256, "", False)
    assert done.commit == runs.commit()
    assert {"loss.csv", "adapter", "trained.json"} <= {path.name for path in folder.iterdir()}
    assert not any(isinstance(record, Step) for record in train(folder, plan))
    others = replace(plan, settings=replace(plan.settings, seed=9))
    with pytest.raises(TragError, match="another base or dataset"):
        train(folder, others)
    (plan.dataset / "held_out.jsonl").write_bytes(write(lessons[35:]))
    with pytest.raises(TragError, match="another base or dataset"):
        train(folder, plan)


@pytest.mark.slow
def test_a_loss_that_is_no_number_ends_it_with_a_reason(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trag.finetune.training.learner.Learner.learn", lambda *_: math.nan)
    with pytest.raises(TragError, match="no number any more after step 0") as refused:
        train(tmp_path / "training", plan)
    assert "lower learning rate" in refused.value.hint
    assert run.trained(tmp_path / "training") is None


def goes_on_after(step: int, folder: Path, order: Plan) -> None:
    kept = checkpoints.load(folder)
    assert kept[0].step == step
    assert [record.step for record in train(folder, order) if isinstance(record, Step)] == [*range(step + 1, 7)]


def faults() -> list[tuple[Exception, str, str]]:
    import torch

    return [
        (torch.AcceleratorError("CUDA error: device lost"), "The GPU gave out: CUDA error: device lost", ""),
        (torch.OutOfMemoryError("CUDA out of memory"), "The memory is used up", "smaller `longest`"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes"), "The memory is used up", "smaller"),
        (MemoryError(), "The memory is used up", "smaller `longest`"),
        (RuntimeError("shapes do not match"), "", ""),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5), ids=["lost GPU", "GPU memory", "memory", "memory of Python", "a bug"])
def test_what_gives_out_in_mid_training_leaves_a_checkpoint_that_is_gone_on_with(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    from trag.finetune.training.learner import Learner

    fault, message, hint = faults()[number]
    learn, steps = Learner.learn, count()

    def failing(self: Learner, sequences: Sequence[Packed], rate: float) -> float:
        if next(steps) == 3:
            raise fault
        return learn(self, sequences, rate)

    with monkeypatch.context() as faulty:
        faulty.setattr(Learner, "learn", failing)
        with pytest.raises((TragError, RuntimeError)) as stopped:
            train(tmp_path / "training", plan)
    if message:
        assert isinstance(stopped.value, TragError)
        assert message in stopped.value.message
        assert hint in stopped.value.hint
        assert "The last checkpoint is kept" in stopped.value.hint
    else:
        assert stopped.value is fault, "a fault of the program is not called a lack of memory"
    goes_on_after(3, tmp_path / "training", plan)


@pytest.mark.slow
def test_a_disk_that_fills_in_mid_training_leaves_a_checkpoint_that_is_gone_on_with(plan: Plan, tmp_path: Path) -> None:
    """No file of the process may grow any more from the second step on."""
    folder = tmp_path / "training"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def say(what: Report) -> None:
        if isinstance(what, Step) and what.step == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))

    try:
        with pytest.raises(StoreError, match="No space is left for") as failed:
            run.train(folder, plan, say, threading.Event())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "What was saved before is intact" in failed.value.hint
    assert not [path for path in folder.iterdir() if path.name.endswith(".unfinished")]
    goes_on_after(1, folder, plan)


@pytest.mark.slow
def test_four_bits_without_a_gpu_are_refused_before_anything_is_loaded(plan: Plan, tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    packed = replace(plan, settings=replace(plan.settings, four_bits=True))
    with pytest.raises(TragError, match="in 4 bits on an NVIDIA GPU alone") as refused:
        train(tmp_path / "training", packed)
    assert "--four-bits" in refused.value.hint
    assert not (tmp_path / "training" / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_a_dataset_that_teaches_nothing_is_refused(plan: Plan, tmp_path: Path, lessons: tuple[Example, ...]) -> None:
    file = plan.dataset / "train.jsonl"
    for left, said in (
        (write(replace(one, answer="Ada.") for one in lessons), "holds one answer"),
        (write(lessons[:1]), "at least 20 are needed"),
        (None, "cannot be read"),
    ):
        file.write_bytes(left) if left else (plan.dataset / "held_out.jsonl").unlink()
        with pytest.raises(TragError, match=said):
            train(tmp_path / "training", plan)
    assert not (tmp_path / "training" / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_two_processes_do_not_train_in_one_folder(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    with lock(tmp_path / "training"):  # as a training does: see above
        second = start(tmp_path / "training", plan)
        out, _ = second.communicate(timeout=60)
    failed = decode(out.splitlines()[-1])
    assert isinstance(failed, Failed)
    assert second.returncode == 1
    assert "already in use" in failed.message
