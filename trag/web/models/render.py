"""The page of the models as HTML: records in, text out.

Every template escapes what it is given. Knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trag.finetune import summary
from trag.finetune.candidates import standing
from trag.finetune.work import MOST_SEED, STAGES
from trag.models.catalogue import MODELS, by_hand
from trag.web.models.loss import HEIGHT, WIDTH, Curve
from trag.web.render import environment, percent, time_left

if TYPE_CHECKING:
    from store.versions import Promotion
    from trag.background import JobStatus
    from trag.finetune.candidates import Manifest
    from trag.finetune.running import Tuning
    from trag.finetune.training.progress import Needed
    from trag.models.local import LocalFile
    from trag.web.models.answering import Answering
    from trag.web.notices import Notice

TITLES = {"dataset": "Dataset", "train": "Training", "export": "Export", "measure": "Measurement"}
SHOWN_PROMOTIONS = 20
MOST_PASSES = 20.0
"""Passes over the data that a fine-tune may be asked for."""


def models(
    answering: Answering,
    candidates: Sequence[Manifest],
    promotions: Sequence[Promotion],
    *,
    before: str | None,
    files: Sequence[LocalFile],
    folder: Path,
    going: JobStatus[Tuning] | None,
    curve: Curve | None,
    needed: Needed | None,
    passes: float,
    notice: Notice | None,
) -> str:
    """The whole page. `before` is the adapter that a roll-back leads to, "" for the one that ships, None for none;
    `passes` is how many a fine-tune that begins now usually makes."""
    return _page(
        "list",
        answering=answering,
        candidates=candidates,
        promotions=promotions[:SHOWN_PROMOTIONS],
        before=before,
        files=files,
        folder=str(folder),
        known=MODELS,
        by_hand=by_hand,
        going=going,
        curve=curve,
        needed=needed,
        passes=passes,
        most_passes=MOST_PASSES,
        notice=notice,
    )


def progress(going: JobStatus[Tuning] | None, curve: Curve | None, needed: Needed | None) -> str:
    """How far the fine-tune has come that runs, or how the last one ended."""
    return _page("progress", going=going, curve=curve, needed=needed)


def _page(name: str, **values: object) -> str:
    template = environment().get_template(f"models/{name}.html")
    return template.render(
        here="/models",
        height=HEIGHT,
        beside=summary.beside,
        most_seed=MOST_SEED,
        percent=percent,
        standing=standing,
        stands=summary.stands,
        stages=[stage for stage in STAGES if stage != "done"],
        time_left=time_left,
        titles=TITLES,
        width=WIDTH,
        **values,
    )
