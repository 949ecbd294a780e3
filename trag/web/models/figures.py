"""What the page of the models shows: what answers now and how fast, and the losses of a training as a plot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from store.versions import Promotion
from trag.errors import SHOWN, in_one_line
from trag.finetune import gate
from trag.finetune.training.training_process import Step
from trag.llm import files
from trag.llm.local import LocalModel
from trag.models import adapters
from trag.models.adapters import Baseline, Manifest, shipped
from trag.record import AnswerRecord

if TYPE_CHECKING:
    from trag.home import Home

SHIPPED = files.SHIPPED.name
"""What the adapter that comes with the program is called."""
WIDTH, HEIGHT = 600.0, 180.0
"""Of the plot of the losses."""
MOST = 240
"""Corners of a line: more could not be told apart."""
_LATE = 200
"""Answers that are looked at for their speed."""
_FEWEST = 8
"""Tokens that an answer must have to say anything about speed."""
_SMOOTHED = 0.15
"""How much a new step moves the line."""


@dataclass(frozen=True, slots=True)
class Speed:
    """The medians of so many answers: tokens written a second, and seconds to the first of them."""

    answers: int
    tokens_per_second: float
    first_token: float


@dataclass(frozen=True, slots=True)
class Answering:
    """What answers. `adapter` is "" for none; `manifest` says where it comes from, where that is known; `promotion` is
    the last one. `on_gpu` is None while the model is not loaded, `remote` is one behind an address, and `ships` whether
    an adapter for the model came with the program. `left_out` says why the promoted adapter does not answer, `fixed`
    which setting says what does, `problem` why nothing can answer. `against` is what adapters are compared with, None
    where there is nothing."""

    model: str
    sha256: str
    context: int
    adapter: str
    promoted: str
    manifest: Manifest | None = None
    promotion: Promotion | None = None
    speed: Speed | None = None
    on_gpu: bool | None = None
    remote: bool = False
    ships: bool = False
    left_out: str = ""
    fixed: str = ""
    problem: str = ""
    against: Baseline | None = None


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


def answering(home: Home) -> Answering:
    """Opens the model where it is not open yet, and loads nothing."""
    promotions, settings = home.records.promotions, home.settings
    promoted, last = promotions.current(), next(iter(promotions.all()), None)
    fixed = adapters.fixed_by(settings)
    try:
        model, left_out = home.model, adapters.why_left_out(settings, promoted, home.candidates)
    except SHOWN as error:
        return Answering("", "", 0, "", promoted, promotion=last, fixed=fixed, problem=in_one_line(error))
    identity = model.identity
    known = shipped() if identity.adapter == SHIPPED else None
    manifest = known or next((each for each in home.candidates.all() if each.id == identity.adapter), None)
    records = (AnswerRecord.from_json(each.record_json) for each in home.records.newest_answers(_LATE))
    return Answering(
        model=identity.name,
        sha256=identity.sha256,
        context=model.context,
        adapter=identity.adapter,
        promoted=promoted,
        manifest=manifest,
        promotion=last,
        speed=speed(records, sha256=identity.sha256, adapter=identity.adapter),
        on_gpu=model.runs_on_gpu if isinstance(model, LocalModel) else None,
        remote=not isinstance(model, LocalModel),
        ships=bool(files.adapter_file(settings.model, "")),
        left_out=left_out,
        fixed=fixed,
        against=gate.answering(home),
    )


def speed(records: Iterable[AnswerRecord], *, sha256: str, adapter: str) -> Speed | None:
    """That of the answers which this model wrote with this adapter, at once and to their end; None without any."""
    written = [
        record
        for record in records
        if (record.model.sha256, record.model.adapter) == (sha256, adapter)
        and record.checks.attempts == 1
        and not record.interrupted
        and record.tokens.completion >= _FEWEST
        and record.seconds.generate > 0
    ]
    if not written:
        return None
    rates = (record.tokens.completion / record.seconds.generate for record in written)
    return Speed(len(written), median(rates), median(record.seconds.first_token for record in written))


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
