"""The page of the models: what answers, the fine-tune that runs, the adapters that were made, and the model files.

GET shows and changes nothing; POST does one thing and sends the browser on to a page.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Gt, Le
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from trag.errors import TragError
from trag.finetune import gate
from trag.finetune.running import FineTune
from trag.finetune.stages import training, works_of
from trag.finetune.training import plan, training_process
from trag.finetune.training.training_process import Needed
from trag.finetune.work_folders import MOST_SEED, STAGES
from trag.models.adapters import candidate_status
from trag.models.catalogue import MODELS, by_hand
from trag.models.local import local_files, try_model
from trag.web.forms import Form, filled_in
from trag.web.models.figures import HEIGHT, SHIPPED, WIDTH, Curve, answering, curve
from trag.web.render import environment, percent, time_left
from trag.web.responses import Denied, Notice, Notices, attachment, explain
from trag.web.visitors import named

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PATH = "/models"
TITLES = {"dataset": "Dataset", "train": "Training", "export": "Export", "measure": "Measurement"}
SHOWN_PROMOTIONS = 20
MOST_PASSES = 20
"""Passes over the data that a fine-tune may be asked for."""


@dataclass(frozen=True, slots=True)
class _Begun:
    passes: Annotated[float, Gt(0), Le(MOST_PASSES)]
    seed: Annotated[int, Ge(1), Le(MOST_SEED)]


class ModelsPage:
    """What the routes share."""

    def __init__(self, home: Home, fine_tune: FineTune) -> None:
        self.home = home
        self.fine_tune = fine_tune
        self.notices = Notices()
        self._trying = threading.Lock()

    def router(self) -> APIRouter:
        router = APIRouter(prefix=PATH)
        router.get("")(self.show)
        router.get("/progress")(self.progress)
        router.post("/finetune")(self.begin)
        router.post("/finetune/go-on")(self.go_on)
        router.post("/finetune/stop")(self.stop)
        router.post("/finetune/discard")(self.discard)
        router.post("/finetune/dismiss")(self.dismiss)
        router.get("/finetune/{id}/{name}")(self.download)
        router.post("/adapters/{id}/promote")(self.promote)
        router.post("/adapters/{id}/measure")(self.measure)
        router.post("/adapters/{id}/remove")(self.remove)
        router.post("/rollback")(self.roll_back)
        router.post("/files/try")(self.attempt)
        return router

    def show(self, request: Request) -> Response:
        """Everything there is to see and to do. `before` is the adapter that a roll-back leads to, "" for the one that
        ships, None for none; `passes` is how many a fine-tune that begins now usually makes."""
        losses, needed = self._losses()
        now, folder = answering(self.home), self.home.folder / "models"
        return _page(
            "list",
            answering=now,
            candidates=self.home.candidates.all(),
            promotions=self.home.records.promotions.all()[:SHOWN_PROMOTIONS],
            before=self.home.adapter_before(),
            files=local_files(folder),
            folder=str(folder.absolute()),
            known=MODELS,
            by_hand=by_hand,
            going=self.fine_tune.now,
            curve=losses,
            needed=needed,
            passes=plan.chosen({}, from_adapter=bool(now.adapter)).epochs,
            most_passes=MOST_PASSES,
            notice=self.notices.said(request),
        )

    def progress(self) -> Response:
        losses, needed = self._losses()
        return _page("progress", going=self.fine_tune.now, curve=losses, needed=needed)

    # The fine-tune

    def begin(self, request: Request, form: Form) -> Response:
        asked = filled_in(_Begun, form)
        self.fine_tune.begin(by=named(request), seed=asked.seed, settings={"epochs": asked.passes})
        log.info("%s began a fine-tune", named(request))
        return self.notices.go(PATH)

    def go_on(self) -> Response:
        self.fine_tune.go_on()
        return self.notices.go(PATH)

    def stop(self) -> Response:
        self.fine_tune.stop()
        return self.notices.go(PATH)

    def discard(self, request: Request) -> Response:
        self.fine_tune.discard()
        log.info("%s discarded a fine-tune", named(request))
        return self.notices.go(PATH)

    def dismiss(self) -> Response:
        self.fine_tune.dismiss()
        return self.notices.go(PATH)

    def download(self, request: Request, id: str, name: str) -> Response:
        """The card of a dataset, or the losses of a training."""
        works = works_of(self.home)
        work = next((each for each in works.all() if each.id == id), None)
        places = {"card.md": "dataset/card.md", "loss.csv": "training/loss.csv"}
        file = works.place(work) / places[name] if work and name in places else None
        if file is None or not file.is_file():
            raise Denied
        return attachment(file.read_bytes(), f"{id}-{name}", "text/plain; charset=utf-8")

    def _losses(self) -> tuple[Curve | None, Needed | None]:
        """The losses of the training that goes on or went on last, and what it takes."""
        now = self.fine_tune.now
        if now is None or not now.about.work.id:
            return None, None
        said = training_process.said(training(self.home, now.about.work))
        needed = next((record for record in reversed(said) if isinstance(record, Needed)), None)
        return curve(training_process.steps(said)), needed

    # Adapters

    def promote(self, request: Request, form: Form, id: str) -> Response:
        """Let an adapter answer from now on, unless another was promoted since the admin looked."""
        self.home.promote("" if id == SHIPPED else id, by=named(request), instead_of=form.get("instead_of"))
        return self._promoted(request)

    def roll_back(self, request: Request, form: Form) -> Response:
        self.home.roll_back(by=named(request), instead_of=form.get("instead_of"))
        return self._promoted(request)

    def _promoted(self, request: Request) -> Response:
        name = self.home.adapter_name
        log.info("%s promoted the adapter %s", named(request), name or "none")
        told = f"{name} answers from now on." if name else "The model answers without an adapter from now on."
        return self.notices.go(PATH, Notice(told, more=("Answers under way keep the one that they began with.",)))

    def measure(self, request: Request, id: str) -> Response:
        """Hold an adapter against the one that answers."""
        self.home.candidates.get(id)
        self.fine_tune.measure(id, by=named(request))
        return self.notices.go(PATH)

    def remove(self, request: Request, id: str) -> Response:
        """Forget an adapter, and the fine-tune that it came of."""
        self.fine_tune.remove(id)
        log.info("%s removed an adapter", named(request))
        told = f"The adapter {id} is removed, and the dataset that it learned from."
        return self.notices.go(PATH, Notice(told, more=("What it was measured by stays under Quality.",)))

    # Model files

    def attempt(self, form: Form) -> Response:
        """Load a model file in a process of its own, and let it write."""
        folder, name = self.home.folder / "models", Path(form.get("file", "")).name
        if not self._trying.acquire(blocking=False):
            raise TragError("A model is being tried already.", "Wait until that has ended.")
        try:
            settings = self.home.settings
            one = try_model(settings.home, str(folder / name), context=settings.context, gpu_layers=settings.gpu_layers)
        finally:
            self._trying.release()
        how, place = one.trial, "GPU" if one.on_gpu else "CPU"
        told = (
            f"sha256 {one.sha256}",
            f"Loaded in {how.load_seconds:.1f} s on the {place}; {how.tokens_per_second:.0f} tokens a second; reads "
            f"{one.context:,} tokens at once.",
            f"It wrote: {' '.join(how.text.split())}",
        )
        return self.notices.go(f"{PATH}#files", Notice(f"{name} can answer.", more=told))


def mount(app: FastAPI, home: Home, *, ready: Callable[[], object], busy: Callable[[], bool]) -> FineTune:
    """The routes of the page in `app`. `ready` returns when questions can be answered, and raises why they cannot;
    `busy` is whether people are being answered: they go first."""
    fine_tune = FineTune(home, ready, busy)
    app.include_router(ModelsPage(home, fine_tune).router())
    explain(app)
    return fine_tune


def _page(name: str, **values: object) -> HTMLResponse:
    """The page or a part of it; the template escapes what it is given."""
    template = environment().get_template(f"models/{name}.html")
    html = template.render(
        here=PATH,
        height=HEIGHT,
        beside=gate.measured_against,
        most_seed=MOST_SEED,
        percent=percent,
        standing=candidate_status,
        stands=gate.status_sentence,
        stages=[stage for stage in STAGES if stage != "done"],
        time_left=time_left,
        titles=TITLES,
        width=WIDTH,
        **values,
    )
    return HTMLResponse(html)
