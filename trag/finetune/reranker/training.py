"""python -m trag.finetune.reranker.training FOLDER: the reranker that ships, learned from examples/training.

organizations -> listings -> weights -> trag/reranking/shipped.safetensors. Goes on where it was stopped.

Of each listing, one or two texts that answer by their words and a few that do not compete with the choice that none
answers: the loss is the negative logarithm of the share that the right ones get together.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import torch
from safetensors.torch import save
from torch import Tensor

from store.files import write_atomic
from store.passage import Passage
from trag import embed, low_rank, retrieve
from trag.errors import SHOWN
from trag.evaluate.cases import Case, names_section
from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.training import checkpoints, plan
from trag.finetune.training.checkpoints import LossPoint, State
from trag.finetune.training.plan import TrainingSettings
from trag.lexical import numbers, stems
from trag.machine import cores
from trag.reranking import network
from trag.reranking.reranker import SHIPPED

SETTINGS = TrainingSettings(learning_rate=5e-4, epochs=1.0, accumulation=8, checkpoint_seconds=120, held_out=200)
TEXTS = 6
"""Texts of a listing that a step learns from."""
_LIKE = 7  # the texts likest to the question, from which all but one of the wrong ones are drawn
_TWO = 0.4  # share of the listings of which two answering texts are learned from
_STEEPEST = 1.0
_BATCH = 32
_HELD_OUT = 10  # one organization in so many
_NEAREST = 8
"""Passages of a listing beside those of the section that a case names: those with most words of its question."""
_TELLING = 0.55
"""Share of the right answer's words that a text must hold to be taken for one that answers."""
_AS_GOOD, _NEARLY = 0.02, 0.7
"""How much less than the best text another may hold and answer too, and the share of it from which it might."""
_ASKED = 0.25
"""What the words of the question weigh against those of the answer."""
_POLARITY = re.compile(r"^(?:yes|no)\b[,.;: ]*", re.I)


@dataclass(frozen=True, slots=True)
class Listing:
    """A question with texts: the places of those that answer it, and of those that might, which teach nothing."""

    question: str
    texts: tuple[str, ...]
    answering: tuple[int, ...]
    unsure: tuple[int, ...] = ()

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the texts that do not answer."""
        known = {*self.answering, *self.unsure}
        return tuple(place for place in range(len(self.texts)) if place not in known)


def listings(cases: Sequence[Case], passages: Sequence[Passage]) -> Iterator[Listing]:
    """The cases about documents, and those to refuse; without those whose answer no text holds by its words."""
    for case in cases:
        if not case.document:
            continue
        own = [one for one in passages if names_section(case, one.document, one.section)]
        asked = stems(case.question)
        others = sorted(
            (one for one in passages if one not in own),
            key=lambda one: -len(asked & stems(f"{one.section} {one.text}")),
        )
        lines = ((one, line) for one in (*own, *others[:_NEAREST]) for line in retrieve.lines_of(one))
        texts = tuple(dict.fromkeys(retrieve.headed(one, line) for one, line in lines))
        if case.refuse:
            yield Listing(case.question, texts, ())
        elif found := _answering(case.question, case.answer, texts):
            yield Listing(case.question, texts, *found)


def _answering(question: str, answer: str, texts: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The places of the texts that hold the answer, and of those that nearly do; None where none holds enough."""
    wanted, asked = _words(_POLARITY.sub("", answer)), stems(question)
    shares = []
    for text in texts:
        held = _words(text)
        share = len(wanted & held) / len(wanted) if wanted else 0.0
        shares.append(share + (_ASKED if wanted else 1.0) * len(asked & held) / max(1, len(asked)))
    best = max(shares, default=0.0)
    if best < _TELLING:
        return None
    return (
        tuple(place for place, share in enumerate(shares) if share >= best - _AS_GOOD),
        tuple(place for place, share in enumerate(shares) if _NEARLY * best <= share < best - _AS_GOOD),
    )


def _words(text: str) -> set[str]:
    return set(stems(text)) | {f"= {number}" for number in numbers(text)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, or go on: 0 when it is done, 1 when something is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m trag.finetune.reranker.training", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help="where the training is kept")
    folder = parser.parse_args(arguments).folder
    try:
        learned, held_out = list[Listing](), list[Listing]()
        for number, place in enumerate(sorted(path for path in CORPUS.iterdir() if path.is_dir())):
            one = corpus.read(place)
            (learned if number % _HELD_OUT else held_out).extend(listings(one.cases, one.passages))
        trained = train(folder / "reranking", tuple(learned), tuple(held_out), SETTINGS)
        write_atomic(SHIPPED, save({name: value.half() for name, value in trained.items()}))
    except SHOWN as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return 1
    return 0


def train(
    folder: Path, learned: Sequence[Listing], held_out: Sequence[Listing], settings: TrainingSettings
) -> dict[str, Tensor]:
    """What is learned from the first listings, by the name of the parameter; the others are measured on.

    Keeps in `folder` where it stands. A training that was stopped and gone on with gives the same.
    """
    from tqdm import tqdm

    torch.manual_seed(settings.seed)
    torch.set_num_threads(cores())
    folder.mkdir(parents=True, exist_ok=True)
    model = network.learning(embed.embedded_folder(), network.fast_precision(gpu=False))
    pairs = network.Pairs(embed.embedded_folder())
    values = {name: value for name, value in model.named_parameters() if value.requires_grad}
    optimizer = torch.optim.AdamW(values.values(), lr=0.0)
    kind = checkpoints.fingerprint(
        settings=settings, texts=TEXTS, listings=hashlib.sha256(repr(learned).encode()).hexdigest()
    )
    steps = plan.steps(settings, len(learned))
    state = State(kind)
    if (found := checkpoints.load(folder)) and found[0].kind == kind:
        state = found[0]
        checkpoints.take_up(found[1], values, optimizer)
    saved = monotonic()
    losses = list(state.losses)
    with tqdm(total=steps, initial=state.step, unit="step", file=sys.stderr, disable=None) as bar:
        for step in range(state.step, steps):
            batch = plan.batch(settings, learned, step)
            chosen = [_chosen(listing, random.Random(f"{settings.seed} {step} {n}")) for n, listing in enumerate(batch)]
            loss = _loss(model, pairs, batch, chosen)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(values.values(), _STEEPEST)
            for group in optimizer.param_groups:
                group["lr"] = plan.learning_rate(settings, step, steps)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(LossPoint(step + 1, loss.item()))
            recent = losses[-50:]
            bar.set_description(f"loss {sum(one.loss for one in recent) / len(recent):.3f}", refresh=False)
            bar.update()
            if monotonic() - saved > settings.checkpoint_seconds or step + 1 == steps:
                state = State(kind, step + 1, losses=tuple(losses))
                checkpoints.save(folder, state, checkpoints.tensors_of(values, optimizer))
                saved = monotonic()
    right, apart = measure(model, pairs, held_out[: settings.held_out])
    sys.stderr.write(f"Held out: the best text answers in {right:.1%}; answered above unanswered in {apart:.1%}.\n")
    return low_rank.learned(model)


def measure(model: network.Network, pairs: network.Pairs, held_out: Sequence[Listing]) -> tuple[float, float]:
    """Of the listings with an answer, the share whose best text is one; and how often the best text of such a listing
    stands above that of one without (area under the curve)."""
    right = 0
    answered: list[float] = []
    unanswered: list[float] = []
    with torch.no_grad():
        for listing in held_out:
            texts = listing.texts
            odds = torch.cat(
                [
                    model(*pairs.encode([listing.question] * len(part), part))
                    for part in (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
                ]
            )
            (answered if listing.answering else unanswered).append(float(odds.max()))
            right += int(odds.argmax()) in listing.answering
    above = sum(one > other for one in answered for other in unanswered)
    return right / max(1, len(answered)), above / max(1, len(answered) * len(unanswered))


def _chosen(listing: Listing, chance: random.Random) -> tuple[list[int], list[int]]:
    """The places of the texts to learn from: those that answer, and those that do not."""
    most = 2 if chance.random() < _TWO else 1
    right = chance.sample(listing.answering, min(most, len(listing.answering)))
    asked = stems(listing.question)
    ranked = sorted(listing.others, key=lambda place: chance.random() - len(asked & stems(listing.texts[place])))
    like, rest = ranked[:_LIKE], ranked[_LIKE:]
    number = TEXTS - len(right) - bool(rest)
    return right, chance.sample(like, min(number, len(like))) + chance.sample(rest, min(1, len(rest)))


def _loss(
    model: network.Network,
    pairs: network.Pairs,
    batch: Sequence[Listing],
    chosen: Sequence[tuple[list[int], list[int]]],
) -> Tensor:
    read = [
        (listing.question, listing.texts[place])
        for listing, (right, wrong) in zip(batch, chosen, strict=True)
        for place in (*right, *wrong)
    ]
    order = sorted(range(len(read)), key=lambda place: len(read[place][0]) + len(read[place][1]))
    parts = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
    odds = torch.cat([model(*pairs.encode(*zip(*(read[place] for place in part), strict=True))) for part in parts])
    odds = odds[torch.tensor(order).argsort()]
    losses, start = [], 0
    for right, wrong in chosen:
        end = start + len(right) + len(wrong)
        everything = torch.cat((odds[start:end], odds.new_zeros(1)))  # the last: none of them answers
        share = odds[start : start + len(right)] if right else odds.new_zeros(1)
        losses.append(everything.logsumexp(0) - share.logsumexp(0))
        start = end
    return torch.stack(losses).mean()


if __name__ == "__main__":
    sys.exit(main())
