"""make adapter: the adapter that ships, made anew: examples/training -> dataset -> training -> trag/finetune/shipped/.

`python -m trag.finetune.shipping FOLDER` keeps everything on the way in FOLDER and goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from trag.errors import SHOWN
from trag.finetune import stages
from trag.finetune.dataset import corpus
from trag.finetune.training import base as bases
from trag.finetune.training import export, plan, run
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.training_process import Preparing, Report, Step
from trag.llm import files
from trag.llm.files import SHIPPED
from trag.models import adapters
from trag.models.adapters import Manifest

SETTINGS = TrainingSettings(
    rank=8,
    all_projections=True,
    learning_rate=3e-4,
    warm_up=0.025,
    epochs=2.0,
    accumulation=4,
    longest=4096,
    checkpoint_seconds=240,
)


def main(arguments: list[str] | None = None) -> int:
    """Make it, or go on: 0 when it is there, 1 when it was stopped or something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m trag.finetune.shipping", description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where dataset and training are kept")
    folder = parser.parse_args(arguments).folder
    if status := corpus.main([str(folder / "dataset")]):
        return status
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    order = Plan(folder / "dataset", settings=SETTINGS)
    try:
        plan.write(folder / "training", order)
        _train(folder / "training", order, stop)
        if stop.is_set():
            sys.stderr.write("Stopped; the same command goes on from here.\n")
            return 1
        found = run.trained(folder / "training")
        assert found
        file = SHIPPED / files.ADAPTER_FILE
        export.adapter(run.adapter(folder / "training"), bases.find(order.base), file)
        adapters.ship(
            Manifest(
                id="shipped",
                made=datetime.now(UTC),
                base_name=files.base_name(""),
                base_sha256=files.base_sha256(""),
                adapter_sha256=files.sha256_of(file),
                dataset_sha256=found.dataset_sha256,
                settings=stages.described(found, order.settings),
                by="make adapter",
            )
        )
    except SHOWN as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return 1
    return 0


def _train(folder: Path, order: Plan, stop: threading.Event) -> None:
    from tqdm import tqdm

    with tqdm(unit="step", file=sys.stderr, disable=None) as bar:

        def say(what: Report) -> None:
            if isinstance(what, Preparing):
                bar.set_description(what.doing)
            elif isinstance(what, Step):
                bar.total, bar.n = what.steps, what.step
                bar.set_description(f"loss {what.loss:.3f}, {what.tokens_per_second:.0f} tokens/s", refresh=False)
                bar.refresh()

        run.train(folder, order, say, stop)


if __name__ == "__main__":
    sys.exit(main())
