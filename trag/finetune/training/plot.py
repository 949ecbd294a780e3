"""The losses of a training as a table and as a picture.

losses -> loss.csv, loss.svg.  Knows nothing about training.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from trag.finetune.training.checkpoints import Measured

_WIDTH, _HEIGHT, _EDGE = 720, 360, 48
_SMOOTHED = 0.1  # how much a new step moves the line that is drawn
_LINES = 4


def table(losses: Sequence[Measured], held_out: Sequence[Measured]) -> bytes:
    """CSV: step, loss, held_out; the latter where it was measured."""
    rows = {one.step: [one.step, f"{one.loss:.5f}", ""] for one in losses}
    for one in held_out:
        rows.setdefault(one.step, [one.step, "", ""])[2] = f"{one.loss:.5f}"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([["step", "loss", "held_out"], *(rows[step] for step in sorted(rows))])
    return text.getvalue().encode()


def picture(losses: Sequence[Measured], held_out: Sequence[Measured]) -> bytes:
    """SVG: the loss of every step smoothed, and the held-out losses as points on a line."""
    every = [*losses, *held_out]
    last = max((one.step for one in every), default=1) or 1
    top = max((one.loss for one in every), default=1.0) or 1.0

    def place(one: Measured) -> str:
        x = _EDGE + one.step / last * (_WIDTH - 2 * _EDGE)
        return f"{x:.1f},{_HEIGHT - _EDGE - one.loss / top * (_HEIGHT - 2 * _EDGE):.1f}"

    def line(points: Sequence[Measured], colour: str) -> str:
        corners = " ".join(map(place, points))
        return f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>'

    def words(x: float, y: float, text: str, colour: str = "#555", anchor: str = "start") -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>Loss of the training</title>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
    ]
    for number in range(_LINES + 1):
        y = _HEIGHT - _EDGE - number / _LINES * (_HEIGHT - 2 * _EDGE)
        parts.append(f'<line x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(words(_EDGE - 6, y + 4, f"{top * number / _LINES:.2f}", anchor="end"))
    parts += [
        line(_smooth(losses), "#8aa4c8"),
        line(held_out, "#b3501b"),
        *(f'<circle cx="{x}" cy="{y}" r="3" fill="#b3501b"/>' for x, y in (place(one).split(",") for one in held_out)),
        words(_EDGE, _HEIGHT - _EDGE + 20, "0"),
        words(_WIDTH - _EDGE, _HEIGHT - _EDGE + 20, f"step {last}", anchor="end"),
        words(_EDGE, 24, "loss of the steps, smoothed", "#5b7aa6"),
        words(_EDGE + 200, 24, "held out", "#b3501b"),
        "</svg>",
    ]
    return "\n".join(parts).encode()


def _smooth(losses: Sequence[Measured]) -> list[Measured]:
    smoothed: list[Measured] = []
    for one in losses:
        before = smoothed[-1].loss if smoothed else one.loss
        smoothed.append(Measured(one.step, before + _SMOOTHED * (one.loss - before)))
    return smoothed
