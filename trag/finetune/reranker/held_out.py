"""What the reranker is worth on organizations that it did not learn from, and its odds made to mean what they say.

network, listings -> of each the best text -> shares of right ones, and the calibration.  Knows nothing about learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from trag.finetune.reranker.examples import Listing
from trag.reranking import network

_BATCH = 32


@dataclass(frozen=True, slots=True)
class Best:
    """The log-odds of the likeliest text of a listing, whether it answers, and whether any text does."""

    odds: float
    right: bool
    answerable: bool


def best(model: network.Network, pairs: network.Pairs, listings: Sequence[Listing]) -> list[Best]:
    """The likeliest text of each listing."""
    found = []
    with torch.no_grad():
        for listing in listings:
            texts = [text.whole for text in listing.texts]
            parts = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
            odds = torch.cat([model(*pairs.encode([listing.question] * len(part), part)) for part in parts])
            place = int(odds.argmax())
            found.append(Best(float(odds[place]), place in listing.answering, bool(listing.answering)))
    return found


def shares(found: Sequence[Best]) -> tuple[float, float]:
    """Of the listings with an answer, the share whose best text is one; and how often the best text of such a listing
    stands above that of one without (area under the curve)."""
    answered = [one for one in found if one.answerable]
    unanswered = [one for one in found if not one.answerable]
    above = sum(one.odds > other.odds for one in answered for other in unanswered)
    right = sum(one.right for one in answered)
    return right / max(1, len(answered)), above / max(1, len(answered) * len(unanswered))


def calibrate(model: network.Network, factor: float, move: float) -> None:
    """Multiply the log-odds that the model gives, and then move them."""
    with torch.no_grad():
        model.scale.mul_(factor)
        model.scale[1].add_(move)
        model.head.mul_(factor)


def fitted(found: Sequence[Best]) -> tuple[float, float]:
    """By what log-odds are to be multiplied, and then moved, to be those with which the best text answers (Platt 1999,
    whose targets keep both finite). It learns among a few texts and chooses among many, so it says too much."""
    odds, right = (torch.tensor([getattr(one, name) for one in found]).double() for name in ("odds", "right"))
    yes, no = right.sum(), (1 - right).sum()
    wanted = torch.where(right > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
    fit = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([fit], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = binary_cross_entropy_with_logits(fit[0] * odds + fit[1], wanted)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    factor, move = fit.tolist()
    return factor, move
