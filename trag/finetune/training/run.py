"""The training: from a dataset to an adapter, going on where it was stopped or killed.

Plan -> sequences -> steps, checkpoints, held-out losses -> the best weights -> adapter.

`python -m trag.finetune.training FOLDER` is the process of its own in which it runs: it reads FOLDER/settings.json and
says how far it is on stdout (training_process.py).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from store import StoreError, disk_full
from store.files import lock, write_atomic
from trag.errors import SHOWN, TragError, in_one_line
from trag.evaluate.runs import commit
from trag.finetune.dataset import folders
from trag.finetune.dataset.examples import Example
from trag.finetune.training import base as bases
from trag.finetune.training import checkpoints, estimate, initial_adapter, packing, plan
from trag.finetune.training.base import Base
from trag.finetune.training.checkpoints import LossPoint, State
from trag.finetune.training.initial_adapter import InitialAdapter
from trag.finetune.training.packing import Fitted, Packed
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.training_process import (
    Estimate,
    Failed,
    Finished,
    Paused,
    Preparing,
    Report,
    Say,
    Step,
    encode,
)

if TYPE_CHECKING:
    from trag.finetune.training.learner import Learner

_NICENESS = 10  # people's answers go first
_TRAINED = "trained.json"
_ADAPTER = "adapter"
_GOING_ON = "The last checkpoint is kept: start it again to go on from there."
_NO_MEMORY = "can't allocate memory"  # what torch says on a CPU, for which it has no kind of error


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of a training, for the GGUF file `base_name`; losses are held-out ones, before it and of what was kept.

    `weights` says which Hugging Face folder it was trained on, "" for that file itself. `too_long` examples were left
    out; `tokens` were read in all; `commit` is that of the program.
    """

    base_name: str
    base_sha256: str
    dataset_sha256: str
    rank: int
    alpha: int
    steps: int
    stopped_early: bool
    loss_before: float
    loss_after: float
    examples: int
    too_long: int
    tokens: int
    seconds: float
    weights: str = ""
    four_bits: bool = False
    commit: str = ""
    all_projections: bool = False


def adapter(folder: Path) -> Path:
    """Where the adapter of a finished training lies, as PEFT reads it."""
    return folder / _ADAPTER


def trained(folder: Path) -> Trained | None:
    """What came of the training in `folder`, None where it is not finished."""
    path = folder / _TRAINED
    return Trained(**json.loads(path.read_text(encoding="utf-8"))["trained"]) if path.exists() else None


def fingerprint(
    base: Base, dataset_sha256: str, settings: TrainingSettings, begun: InitialAdapter | None = None
) -> str:
    """What tells a training from another."""
    values = asdict(replace(settings, checkpoint_seconds=0))
    return checkpoints.fingerprint(
        base=base.sha256, dataset=dataset_sha256, adapter=begun.sha256 if begun else "", settings=values
    )


def train(folder: Path, order: Plan, say: Say, stop: threading.Event) -> Trained | None:
    """Learn until the plan is carried out, the held-out loss falls no more, or `stop` is set; None for the last.

    Goes on from what `folder` holds; with the same plan on the same CPU the adapter is the same bit by bit, however
    often it was stopped. Raises TragError when dataset or base cannot be used, another training was begun in the
    folder, the loss is no number any more, and memory or the GPU gives out."""
    folder.mkdir(parents=True, exist_ok=True)
    sides, dataset_sha256 = folders.read(order.dataset)
    say(Preparing("checking the base model"))
    base, model = bases.pair(order.base, order.model)
    begun, settings = initial_adapter.of(order, model)
    kind = fingerprint(base, dataset_sha256, settings, begun)
    done = trained(folder)
    found = None if done else checkpoints.load(folder)
    state = found[0] if found else State(kind)
    if (json.loads((folder / _TRAINED).read_bytes())["kind"] if done else state.kind) != kind:
        raise TragError(
            f"{folder} holds a training on another base or dataset, from another adapter, or with other settings.",
            "Put those back to go on with it, or begin a new one in an empty folder.",
        )
    if done:
        say(Finished(done.steps, done.loss_after, done.stopped_early))
        return done
    fitted, held = _fitted(model, sides, settings, say)
    say(estimate.needed(folder, base, settings, fitted))
    import torch
    from safetensors import SafetensorError

    try:
        learner = _learner(base, settings, begun, say)
        if found:
            learner.restore(found[1])
        held_out = random.Random(settings.seed).sample(held.sequences, min(settings.held_out, len(held.sequences)))
        state, finished = _learn(folder, settings, learner, fitted.sequences, held_out, state, say, stop)
    except torch.AcceleratorError as error:
        raise TragError(f"The GPU gave out: {error}", _GOING_ON) from error
    except (RuntimeError, MemoryError) as error:
        if not isinstance(error, (torch.OutOfMemoryError, MemoryError)) and _NO_MEMORY not in str(error):
            raise
        raise TragError("The memory is used up.", f"Set a smaller `longest` or `rank`. {_GOING_ON}") from error
    steps = plan.steps(settings, len(fitted.sequences))
    if not finished:
        say(Paused(state.step, steps))
        return None
    try:
        learner.write(checkpoints.load_best(folder), folder / _ADAPTER)
    except (OSError, SafetensorError) as error:
        raise TragError(f"{folder / _ADAPTER} cannot be written: {error}", f"Is the disk full? {_GOING_ON}") from error
    result = Trained(
        base_name=model.name,
        base_sha256=model.sha256,
        dataset_sha256=dataset_sha256,
        rank=learner.rank,
        alpha=learner.alpha,
        steps=state.step,
        stopped_early=state.step < steps,
        loss_before=state.held_out[0].loss,
        loss_after=min(one.loss for one in state.held_out),
        examples=fitted.examples,
        too_long=fitted.too_long,
        tokens=state.tokens,
        seconds=round(state.seconds, 1),
        weights=f"{base.name} {base.sha256[:12]}" if base.is_folder else "",
        four_bits=learner.quantized,
        commit=commit(),
        all_projections=settings.all_projections,
    )
    write_atomic(folder / _TRAINED, json.dumps({"kind": kind, "trained": asdict(result)}, indent=2).encode())
    say(Finished(result.steps, result.loss_after, result.stopped_early))
    return result


def measure(folder: Path, order: Plan) -> Estimate:
    """What the training would take, by its shape and by one step that is measured; nothing is kept.

    Raises TragError when the dataset or the base cannot be used, and when it cannot fit.
    """

    def say(_: Report) -> None:
        pass

    sides, _ = folders.read(order.dataset)
    base, model = bases.pair(order.base, order.model)
    begun, settings = initial_adapter.of(order, model)
    fitted, _ = _fitted(model, sides, settings, say)
    found = estimate.needed(folder, base, settings, fitted)
    learner = _learner(base, settings, begun, say)
    planned = _planned(settings, fitted.sequences)
    learner.learn(planned[0][:1], 0.0)  # the first one also sets things up
    started = monotonic()
    learner.learn(planned[0], 0.0)
    speed = _tokens(planned[0]) / (monotonic() - started)
    tokens = sum(map(_tokens, planned))
    return Estimate(**asdict(found), steps=len(planned), tokens=tokens, tokens_per_second=speed, seconds=tokens / speed)


def _fitted(
    model: Base, sides: tuple[Sequence[Example], Sequence[Example]], settings: TrainingSettings, say: Say
) -> tuple[Fitted, Fitted]:
    say(Preparing("turning the examples into tokens"))
    vocabulary = bases.GgufVocabulary(model)
    learned, held_out = (packing.fit(side, vocabulary, settings.longest) for side in sides)
    return learned, held_out


def _learner(base: Base, settings: TrainingSettings, begun: InitialAdapter | None, say: Say) -> Learner:
    say(Preparing("loading the base model"))
    from trag.finetune.training.learner import Learner

    return Learner(base, settings, begun)


def _planned(settings: TrainingSettings, sequences: Sequence[Packed]) -> list[list[Packed]]:
    return [plan.batch(settings, sequences, step) for step in range(plan.steps(settings, len(sequences)))]


def _tokens(batch: Sequence[Packed]) -> int:
    return sum(len(one.tokens) for one in batch)


def _learn(
    folder: Path,
    settings: TrainingSettings,
    learner: Learner,
    sequences: Sequence[Packed],
    held_out: Sequence[Packed],
    state: State,
    say: Say,
    stop: threading.Event,
) -> tuple[State, bool]:
    """Steps until the end, or until `stop`: where it stands then, and whether it is finished."""
    planned = _planned(settings, sequences)
    steps = len(planned)
    every = max(1, steps // settings.evaluations)
    saved, learning, read, measuring = monotonic(), 0.0, 0, 0.0
    if not state.held_out:
        say(Preparing("measuring the loss before it learns"))
    while True:
        started = monotonic()
        is_measured = any(one.step == state.step for one in state.held_out)
        due = (state.step % every == 0 or state.step == steps) and not is_measured
        if due:
            loss = _sound(learner.loss(held_out), settings, state.step)
            if all(loss < before.loss for before in state.held_out):
                checkpoints.save_best(folder, learner.weights())
            state = replace(state, held_out=(*state.held_out, LossPoint(state.step, loss)))
            measuring = monotonic() - started
        over = state.step == steps or falls_no_more([one.loss for one in state.held_out], settings.patience)
        if due or over or stop.is_set() or monotonic() - saved >= settings.checkpoint_seconds:
            checkpoints.save(folder, state, learner.state())
            write_atomic(folder / "loss.csv", checkpoints.loss_table(state.losses, state.held_out))
            saved = monotonic()
        if over or stop.is_set():
            return state, over
        began, batch = monotonic(), planned[state.step]
        loss = _sound(learner.learn(batch, plan.learning_rate(settings, state.step, steps)), settings, state.step)
        learning, read = learning + monotonic() - began, read + _tokens(batch)
        state = replace(
            state,
            step=state.step + 1,
            seconds=state.seconds + monotonic() - started,
            tokens=state.tokens + _tokens(batch),
            losses=(*state.losses, LossPoint(state.step + 1, loss)),
        )
        tokens_left = sum(map(_tokens, planned[state.step :]))
        left = tokens_left * learning / read + measuring * math.ceil((steps - state.step) / every)
        say(Step(state.step, steps, loss, state.held_out[-1].loss, read / learning, left))


def _sound(loss: float, settings: TrainingSettings, step: int) -> float:
    if not math.isfinite(loss):
        raise TragError(
            f"The loss is no number any more after step {step}, so nothing can be learned from here.",
            f"Begin a new training with a lower learning rate than {settings.learning_rate:g}.",
        )
    return loss


def falls_no_more(losses: Sequence[float], patience: int) -> bool:
    """Whether the last `patience` losses are no better than the best before them."""
    return len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience])


def yield_to_others() -> None:
    """Let whatever else runs on this machine go first. To be called before torch is imported."""
    os.nice(_NICENESS)
    # Threads that wait for each other give up the processor: on 2 busy cores 7 times as much was learned so.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def main() -> None:
    """Train as FOLDER/settings.json says. SIGTERM and SIGINT stop it after the step that it is at. With --estimate it
    trains nothing, and says an Estimate as JSON."""
    parser = argparse.ArgumentParser(prog="python -m trag.finetune.training", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--estimate", action="store_true")
    words = parser.parse_args()
    yield_to_others()
    if not words.estimate:
        _train(words.folder)
        return
    try:
        sys.stdout.write(json.dumps(asdict(measure(words.folder, plan.read(words.folder)))) + "\n")
    except SHOWN as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        sys.exit(1)


def _train(folder: Path) -> None:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints must not get among them

    def say(what: Report) -> None:
        try:
            print(encode(what), file=lines)
        except BrokenPipeError:  # nobody listens any more; the training goes on
            pass
        except OSError as error:
            raise disk_full(str(folder)) from error

    try:
        with lock(folder):
            train(folder, plan.read(folder), say, stop)
    except SHOWN as error:
        try:
            say(Failed(error.message, error.hint))
        except StoreError:  # the disk is full: what is left is the other file
            sys.stderr.write(f"{in_one_line(error)}\n")
        sys.exit(1)
