"""The encoder that suggests steps, learned from gold workflows; goes on where it was stopped.

requests, catalogue -> epochs of pairs -> small changes to all-MiniLM-L6-v2

Vectors are means over the tokens, of unit length. The loss is that of Hadsell et al. (2006) as Bechard and Marquez
Ayala (2024) have it, equation 3, with distances D = 1 - cosine. After each epoch it is measured how many of the steps
and tables of the held-out requests are found, and the best epoch is kept. (Triggers are learned too.)
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import torch
from safetensors.torch import save
from torch import Tensor
from torch.nn.functional import normalize, relu
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoTokenizer, BertModel

from store.files import write_atomic
from trag import embed, low_rank
from trag.evaluate.workflows import cases
from trag.finetune.steps import pairs
from trag.finetune.steps.pairs import Catalogue, Drawn, Near, Request
from trag.finetune.training import checkpoints, plan
from trag.finetune.training.checkpoints import LossPoint, State
from trag.finetune.training.plan import TrainingSettings

if TYPE_CHECKING:
    import numpy as np

WORKFLOWS = Path(__file__).parents[3] / "bench" / "workflows"
"""The requests that ship with their workflows."""
SETTINGS = TrainingSettings(learning_rate=5e-4, epochs=3.0, accumulation=16)
MARGIN = 0.5
_STEEPEST = 1.0
_LEARNING = 3
"""Layers that learn, of the 6: the upper ones."""
_BATCH = 32
_LONGEST = 128
"""Tokens of a text; the end of a longer one is not read."""
_SEEN = (15, 10, 15)
"""How many of each kind are looked at when it is measured: the steps and tables as in the paper, section 4.2."""


def contrastive(similar: Tensor, right: Tensor) -> Tensor:
    """The mean loss of pairs (n,) by the cosines of their vectors, of which some are `right`, the others not."""
    distance = 1 - similar
    return 0.5 * torch.where(right, distance**2, relu(MARGIN - distance) ** 2).mean()


@dataclass(frozen=True, slots=True)
class Learned:
    """The file of what was learned, and of the steps, tables and triggers of held-out requests the shares that the
    encoder then finds by the whole request alone."""

    file: Path
    found: tuple[float, ...]


def learn(folder: Path, ways: Sequence[Drawn]) -> Learned:
    """Learn from the requests that ship, or go on. Raises TragError where those are not."""
    shipped, others = (cases.read(WORKFLOWS / f"{name}.jsonl") for name in ("train", "dev"))
    catalogue = pairs.catalogue(shipped.book)
    learned, held_out = pairs.requests(shipped), pairs.requests(others)
    name = "-".join(ways)
    trained = train(folder / name, catalogue, learned, held_out, ways)
    file = folder / f"{name}.safetensors"
    write_atomic(file, save({key: value.half() for key, value in trained.items()}))
    encode = embed.open_embedder("", file).embed_passages
    return Learned(file, measure(catalogue, held_out, encode([one.text for one in held_out]), encode(catalogue.texts)))


class Encoder:
    """The encoder as it learns. Its lower layers stay, so what they make of a text is worked out once."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.bert: BertModel = BertModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
        self.bert.eval()  # type: ignore[no-untyped-call]
        self.bert.pooler = None
        self._lower, self._upper = self.bert.encoder.layer[:-_LEARNING], self.bert.encoder.layer[-_LEARNING:]
        self.bert.requires_grad_(False)
        low_rank.change(self._upper)

    def read(self, texts: Sequence[str]) -> list[Tensor]:
        """What the lower layers make of each text, (tokens, d)."""
        found: list[Tensor] = []
        for text in texts:
            tokens = self._tokenizer(text, truncation=True, max_length=_LONGEST, return_tensors="pt")
            with torch.no_grad():
                states = self.bert.embeddings(tokens["input_ids"])
                for layer in self._lower:
                    states = layer(states)
            found.append(states[0])
        return found

    def vectors(self, texts: Sequence[Tensor]) -> Tensor:
        """The vectors (n, d) of texts that were `read`."""
        # Texts of about the same length together, so that little padding is computed.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found = []
        for start in range(0, len(order), _BATCH):
            part = [texts[place] for place in order[start : start + _BATCH]]
            states = pad_sequence(part, batch_first=True)
            mask = pad_sequence([text.new_ones(len(text)) for text in part], batch_first=True)
            for layer in self._upper:
                states = layer(states, (mask == 1)[:, None, None])
            found.append(normalize((states * mask.unsqueeze(-1)).sum(1), dim=1))
        return torch.cat(found)[torch.tensor(order).argsort()]


def train(
    folder: Path,
    catalogue: Catalogue,
    learned: Sequence[Request],
    held_out: Sequence[Request],
    ways: Sequence[Drawn],
    settings: TrainingSettings = SETTINGS,
) -> dict[str, Tensor]:
    """What is learned from the first requests, by the name of the parameter; the others decide after which epoch.

    Keeps in `folder` where it stands after each. A training that was stopped and gone on with gives the same.
    """
    from tqdm import tqdm

    torch.manual_seed(settings.seed)
    folder.mkdir(parents=True, exist_ok=True)
    model = Encoder(embed.embedded_folder())
    values = {name: value for name, value in model.bert.named_parameters() if value.requires_grad}
    optimizer = torch.optim.AdamW(values.values(), lr=0.0)
    items = hashlib.sha256(repr((catalogue, learned, held_out)).encode()).hexdigest()
    state = State(checkpoints.fingerprint(settings=settings, ways=ways, wrong=pairs.WRONG, items=items))
    if (found := checkpoints.load(folder)) and found[0].kind == state.kind:
        state = found[0]
        checkpoints.take_up(found[1], values, optimizer)
    epoch = plan.steps(replace(settings, epochs=1.0), len(learned))
    steps = round(settings.epochs) * epoch
    near: dict[Drawn, Near] = {
        "random": pairs.anywhere(catalogue, learned),
        "bm25": pairs.near_by_words(catalogue, learned),
    }
    entries, asked, asked_held_out = (
        model.read(texts) for texts in (catalogue.texts, [one.text for one in learned], [one.text for one in held_out])
    )
    with tqdm(total=steps, initial=state.step, unit="step", file=sys.stderr, disable=None) as bar:
        while state.step < steps:
            if "ance" in ways:
                near["ance"] = pairs.near_by_vectors(catalogue, learned, _still(model, asked), _still(model, entries))
            chance, losses = random.Random(f"{settings.seed} {state.step}"), list(state.losses)
            order = chance.sample(range(len(learned)), len(learned))
            for step in range(state.step, state.step + epoch):
                start = (step - state.step) * settings.accumulation
                batch = order[start : start + settings.accumulation]
                wrong = [
                    pairs.wrong(catalogue, learned[place], [near[way][place] for way in ways], chance)
                    for place in batch
                ]
                about = [learned[place].about for place in batch]
                loss = _loss(model, [asked[place] for place in batch], entries, about, wrong)
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(values.values(), _STEEPEST)
                for group in optimizer.param_groups:
                    group["lr"] = plan.learning_rate(settings, step, steps)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                losses.append(LossPoint(step + 1, loss.item()))
                bar.set_description(f"loss {fmean(one.loss for one in losses[-50:]):.4f}", refresh=False)
                bar.update()
            shares = measure(catalogue, held_out, _still(model, asked_held_out), _still(model, entries))
            missed = LossPoint(state.step + epoch, 1 - fmean(shares))
            if all(missed.loss < one.loss for one in state.held_out):
                checkpoints.save_best(folder, low_rank.learned(model.bert))
            state = State(state.kind, missed.step, losses=tuple(losses), held_out=(*state.held_out, missed))
            checkpoints.save(folder, state, checkpoints.tensors_of(values, optimizer))
    return checkpoints.load_best(folder)


def measure(
    catalogue: Catalogue, requests: Sequence[Request], asked: np.ndarray, entries: np.ndarray
) -> tuple[float, ...]:
    """Of each kind how many of those that a request is about are the nearest to its vector, in the mean over requests.

    `asked` (n, d) are the vectors of the requests, `entries` (m, d) those of the catalogue.
    """
    found: list[list[float]] = [[] for _ in catalogue.kinds]
    for request, similar in zip(requests, asked @ entries.T, strict=True):
        for shares, kind, seen in zip(found, catalogue.kinds, _SEEN, strict=True):
            if about := {place for place in request.about if place in kind}:
                best = similar[kind.start : kind.stop].argsort()[::-1][:seen] + kind.start
                shares.append(len(about & {*best.tolist()}) / len(about))
    return tuple(fmean(shares) if shares else 1.0 for shares in found)


def _still(model: Encoder, texts: Sequence[Tensor]) -> np.ndarray:
    with torch.no_grad():
        return model.vectors(texts).numpy()


def _loss(
    model: Encoder,
    asked: Sequence[Tensor],
    entries: Sequence[Tensor],
    about: Sequence[Sequence[int]],
    wrong: Sequence[Sequence[int]],
) -> Tensor:
    """The loss of some requests, each of which, and each entry, is read once, however many pairs it is in."""
    places = sorted({*chain(*about, *wrong)})
    vectors = model.vectors([*asked, *(entries[place] for place in places)])
    rows = {place: row for row, place in enumerate(places, len(asked))}
    found = [
        (number, rows[place], is_right)
        for is_right, drawn in ((True, about), (False, wrong))
        for number, of_one in enumerate(drawn)
        for place in of_one
    ]
    first, second, right = (torch.tensor(column) for column in zip(*found, strict=True))
    return contrastive((vectors[first] * vectors[second]).sum(1), right)
