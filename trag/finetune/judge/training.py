"""The judge of briefings, learned from examples/training; goes on where it was stopped.

organizations -> pairs -> small changes to all-MiniLM-L6-v2 -> how many of the pairs of held-out organizations are right
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import torch
from safetensors.torch import save
from torch.nn.functional import binary_cross_entropy_with_logits

from store.files import write_atomic
from trag import embed, low_rank
from trag.evaluate.briefs import entailment
from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.judge import pairs
from trag.finetune.judge.pairs import Pair
from trag.finetune.training import checkpoints, plan
from trag.finetune.training.checkpoints import LossPoint, State
from trag.finetune.training.plan import TrainingSettings
from trag.machine import cores

SETTINGS = TrainingSettings(learning_rate=1.5e-3, epochs=0.4, accumulation=16, checkpoint_seconds=120, held_out=600)
_STEEPEST = 1.0
_HELD_OUT = 10  # one organization in so many
_BATCH = 16
_LONGEST = 420  # characters of evidence that is learned from


@dataclass(frozen=True, slots=True)
class Learned:
    """The file of what was learned, and of the pairs of held-out organizations the shares that are judged rightly, by
    how they were made."""

    file: Path
    right: tuple[tuple[str, float], ...]


def learn(folder: Path) -> Learned:
    """Learn from the organizations that ship, or go on. Raises TragError where those are not sound."""
    learned, held_out = list[Pair](), list[Pair]()
    for number, place in enumerate(sorted(path for path in CORPUS.iterdir() if path.is_dir())):
        written = corpus.read(place)
        chart = written.organization.chart
        units = [unit.name for unit in chart.units.values()] if chart else []
        chance = random.Random(f"{SETTINGS.seed} {place.name}")
        made = pairs.of_organization(written.passages, written.cases, units, chance)
        (learned if number % _HELD_OUT else held_out).extend(one for one in made if len(one.evidence) <= _LONGEST)
    held_out = random.Random(SETTINGS.seed).sample(held_out, min(SETTINGS.held_out, len(held_out)))
    trained = train(folder, learned, SETTINGS)
    file = folder / "judge.safetensors"
    write_atomic(file, save({name: value.half() for name, value in trained.items()}))
    return Learned(file, measure(entailment.merged(embed.embedded_folder(), file), held_out))


def train(folder: Path, learned: Sequence[Pair], settings: TrainingSettings) -> dict[str, torch.Tensor]:
    """What is learned from the pairs, by the name of the parameter.

    Keeps in `folder` where it stands. A training that was stopped and gone on with gives the same.
    """
    from tqdm import tqdm

    torch.manual_seed(settings.seed)
    torch.set_num_threads(cores())
    folder.mkdir(parents=True, exist_ok=True)
    model = entailment.learning(embed.embedded_folder())
    reader = entailment.Reader(embed.embedded_folder())
    values = {name: value for name, value in model.named_parameters() if value.requires_grad}
    optimizer = torch.optim.AdamW(values.values(), lr=0.0)
    kind = checkpoints.fingerprint(settings=settings, pairs=hashlib.sha256(repr(learned).encode()).hexdigest())
    steps = plan.steps(settings, len(learned))
    state = State(kind)
    if (found := checkpoints.load(folder)) and found[0].kind == kind:
        state = found[0]
        checkpoints.take_up(found[1], values, optimizer)
    saved, losses = monotonic(), list(state.losses)
    with tqdm(total=steps, initial=state.step, unit="step", file=sys.stderr, disable=None) as bar:
        for step in range(state.step, steps):
            batch = plan.batch(settings, learned, step)
            batch.sort(key=lambda one: len(one.evidence))  # those of about the same length together: little padding
            lost = 0.0
            for part in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                right = torch.tensor([float(one.supported) for one in part])
                loss = binary_cross_entropy_with_logits(_odds(model, reader, part), right, reduction="sum") / len(batch)
                loss.backward()  # type: ignore[no-untyped-call]
                lost += loss.item()
            torch.nn.utils.clip_grad_norm_(values.values(), _STEEPEST)
            for group in optimizer.param_groups:
                group["lr"] = plan.learning_rate(settings, step, steps)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(LossPoint(step + 1, lost))
            recent = losses[-50:]
            bar.set_description(f"loss {sum(one.loss for one in recent) / len(recent):.3f}", refresh=False)
            bar.update()
            if monotonic() - saved > settings.checkpoint_seconds or step + 1 == steps:
                state = State(kind, step + 1, losses=tuple(losses))
                checkpoints.save(folder, state, checkpoints.tensors_of(values, optimizer))
                saved = monotonic()
    return low_rank.learned(model)


def _odds(model: entailment.Network, reader: entailment.Reader, pairs: Sequence[Pair]) -> torch.Tensor:
    """The log-odds (n,) that each pair is supported, by the window that says most."""
    windows = reader.read([(one.evidence, one.before, one.sentence) for one in pairs])
    return torch.stack([odds.max() for odds in model(windows).split(windows.pairs.bincount().tolist())])


def measure(model: entailment.Network, held_out: Sequence[Pair]) -> tuple[tuple[str, float], ...]:
    """The shares of pairs that are judged rightly, by how they were made, all together first."""
    reader = entailment.Reader(embed.embedded_folder())
    asked, right = Counter[str](), Counter[str]()
    with torch.inference_mode():
        for start in range(0, len(held_out), _BATCH):
            part = held_out[start : start + _BATCH]
            for one, odds in zip(part, _odds(model, reader, part).tolist(), strict=True):
                for how in ("all", one.how):
                    asked[how] += 1
                    right[how] += (odds > 0) == one.supported
    return tuple((how, right[how] / asked[how]) for how in ("all", *sorted(asked.keys() - {"all"})))
