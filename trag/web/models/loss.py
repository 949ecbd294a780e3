"""The losses of a training as the lines of a plot.

steps -> Curve, in units of the plot.  Knows nothing about colours or pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trag.finetune.training.training_process import Step

WIDTH, HEIGHT = 600.0, 180.0
MOST = 240
"""Corners of a line: more could not be told apart."""
_SMOOTHED = 0.15
"""How much a new step moves the line."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the scale: where it is, and what it says."""

    at: float
    said: str


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn in WIDTH x HEIGHT, y downwards: the loss of the steps, smoothed, as corners of a line; the held-out
    losses as places; and what lies where on the scale. `last` and `last_held_out` are the newest."""

    steps: int
    last: float
    last_held_out: float | None
    line: str
    held_out: tuple[tuple[float, float], ...]
    ticks: tuple[Tick, ...]


def curve(steps: Sequence[Step]) -> Curve | None:
    """None before the second step."""
    if len(steps) < 2:
        return None
    smooth: list[tuple[int, float]] = []
    for each in steps:
        before = smooth[-1][1] if smooth else each.loss
        smooth.append((each.step, before + _SMOOTHED * (each.loss - before)))
    measured: dict[float, int] = {}
    for each in steps:
        if each.held_out is not None:
            measured.setdefault(each.held_out, each.step)
    top = max([loss for _, loss in smooth] + list(measured)) * 1.08 or 1.0
    whole = max(steps[-1].steps, 1)

    def place(step: float, loss: float) -> tuple[float, float]:
        return round(WIDTH * step / whole, 1), round(HEIGHT * (1 - loss / top), 1)

    every = max(1, len(smooth) // MOST)
    corners = [place(*each) for each in [*smooth[:-1:every], smooth[-1]]]
    return Curve(
        steps=whole,
        last=smooth[-1][1],
        last_held_out=steps[-1].held_out,
        line=" ".join(f"{x},{y}" for x, y in corners),
        held_out=tuple(place(step - 1, loss) for loss, step in measured.items()),
        ticks=tuple(Tick(place(0, top * share)[1], f"{top * share:.2f}") for share in (0.0, 0.5, 1 / 1.08)),
    )
