"""The page of the models: what answers; the models that may, fetched, sent, tried and used; the adapters, and how they
are made.

GET shows and changes nothing; POST does one thing and sends the browser on to a page.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Gt, Le
from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response

from trag.changed_settings import change_model, model_change, model_held_by
from trag.errors import SHOWN, TragError, joined
from trag.finetune import gate
from trag.finetune.running import FineTune
from trag.finetune.stages import training, works_of
from trag.finetune.training import plan, training_process
from trag.finetune.training.training_process import Needed
from trag.finetune.work_folders import MOST_SEED, STAGES
from trag.llm.files import base_name
from trag.machine import free_memory
from trag.models import catalogue
from trag.models.adapters import candidate_status
from trag.models.catalogue import by_hand
from trag.models.getting import ModelFetch
from trag.models.local import accepted_name, check_new, check_room, offered, offered_as, room, take_in
from trag.web.forms import Form, Upload, filled_in, received
from trag.web.language import gettext as _
from trag.web.language import later, percent, time_left
from trag.web.models.figures import HEIGHT, SHIPPED, WIDTH, Curve, answering, curve
from trag.web.models.trying import TryOut, five_questions
from trag.web.render import environment
from trag.web.responses import Denied, Notice, Notices, attachment, explain
from trag.web.visitors import named, where

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PATH = "/models"
TITLES = {
    "dataset": later("Dataset"),
    "train": later("Training"),
    "export": later("Export"),
    "measure": later("Measurement"),
}
SHOWN_PROMOTIONS = 20
MOST_PASSES = 20
"""Passes over the data that a fine-tune may be asked for."""


@dataclass(frozen=True, slots=True)
class _Begun:
    passes: Annotated[float, Gt(0), Le(MOST_PASSES)]
    seed: Annotated[int, Ge(1), Le(MOST_SEED)]


class ModelsPage:
    """What the routes share."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        self.home = home
        self.fine_tune = FineTune(home, ready, busy)
        self.fetch = ModelFetch(home.records.audit)
        self.trial = TryOut(home, busy)
        self.notices = Notices()
        self._taking = threading.Lock()

    def close(self) -> None:
        """End what goes on, so that it can go on later."""
        for job in (self.trial, self.fetch, self.fine_tune):
            job.close()

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
        router.post("/uploads")(self.upload)
        router.post("/get")(self.get)
        router.post("/get/stop")(self.stop_fetch)
        router.post("/get/dismiss")(self.dismiss_fetch)
        router.post("/try")(self.attempt)
        router.post("/try/stop")(self.stop_trial)
        router.post("/try/dismiss")(self.dismiss_trial)
        router.post("/use")(self.use)
        router.post("/use/back")(self.go_back)
        return router

    def show(self, request: Request) -> Response:
        """Everything there is to see and to do. `before` is the adapter that a roll-back leads to, "" for the one that
        ships, None for none; `passes` is how many a fine-tune that begins now usually makes."""
        losses, needed = self._losses()
        now, folder, settings = answering(self.home), self.home.folder / "models", self.home.settings
        changed = model_change(self.home)
        return _page(
            "list",
            answering=now,
            candidates=self.home.candidates.all(),
            promotions=self.home.records.promotions.all()[:SHOWN_PROMOTIONS],
            before=self.home.adapter_before(),
            offered=offered(self.home.folder),
            in_use="" if settings.model_url else catalogue.path_of(settings.model),
            model=settings.model,
            held=model_held_by(self.home),
            changed=changed,
            called=base_name,
            free=free_memory(),
            folder=str(folder.absolute()),
            largest=room(folder),
            by_hand=by_hand,
            going=self.fine_tune.now,
            fetch=self.fetch.now,
            trial=self.trial.now,
            curve=losses,
            needed=needed,
            passes=plan.chosen({}, from_adapter=bool(now.adapter)).epochs,
            most_passes=MOST_PASSES,
            notice=self.notices.said(request),
        )

    def progress(self) -> Response:
        losses, needed = self._losses()
        going, fetch, trial = self.fine_tune.now, self.fetch.now, self.trial.now
        return _page("progress", going=going, fetch=fetch, trial=trial, curve=losses, needed=needed)

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
        told = _("The model answers without an adapter from now on.")
        if name:
            told = _("%(name)s answers from now on.") % {"name": name}
        return self.notices.go(PATH, Notice(told, more=(_("Answers under way keep the one that they began with."),)))

    def measure(self, request: Request, id: str) -> Response:
        """Hold an adapter against the one that answers."""
        self.home.candidates.get(id)
        self.fine_tune.measure(id, by=named(request))
        return self.notices.go(PATH)

    def remove(self, request: Request, id: str) -> Response:
        """Forget an adapter, and the fine-tune that it came of."""
        self.fine_tune.remove(id)
        log.info("%s removed an adapter", named(request))
        told = _("The adapter %(name)s is removed, and the dataset that it learned from.") % {"name": id}
        return self.notices.go(PATH, Notice(told, more=(_("What it was measured by stays under Quality."),)))

    # Models

    async def upload(self, request: Request) -> Response:
        """Keep the body as a model of this home. `name` is what its file is called."""
        folder = self.home.folder / "models"
        try:
            name = accepted_name(request.query_params.get("name", ""))
            length = request.headers.get("content-length", "")
            if not length.isdecimal():
                raise TragError(
                    later("Nobody says how large %(name)s is.", name=name), later("Send it with its length.")
                )
            await run_in_threadpool(check_new, name, int(length), folder)
            async with received(request.stream(), folder) as file:
                architecture = await run_in_threadpool(self._take_in, file, name, request)
        except SHOWN as error:
            return JSONResponse({"detail": _(joined((error.message, error.hint)))}, status_code=422)
        more = (_("A model of the kind %(kind)s. Try it before anybody relies on it.") % {"kind": architecture},)
        page = self.notices.go(f"{PATH}#files", Notice(_("%(name)s is here.") % {"name": name}, more=more)).headers[
            "location"
        ]
        return JSONResponse({"page": page}, status_code=201)

    def _take_in(self, file: Upload, name: str, request: Request) -> str:
        with self._taking:
            architecture = take_in(file.path, name, self.home.folder / "models")
        self.home.records.audit.add(named(request), "model added", name, where=where(request), result=file.sha256)
        return architecture

    def get(self, request: Request, form: Form) -> Response:
        """Fetch a model of the catalogue, or go on with it."""
        self.fetch.begin(catalogue.named(form.get("model", "")), by=named(request), where=where(request))
        return self.notices.go(PATH)

    def stop_fetch(self) -> Response:
        self.fetch.stop()
        return self.notices.go(PATH)

    def dismiss_fetch(self) -> Response:
        self.fetch.dismiss()
        return self.notices.go(PATH)

    def attempt(self, request: Request, form: Form) -> Response:
        """Have a model answer five questions beside the present one."""
        self._check_free()
        model = offered_as(form.get("model", ""), self.home.folder)
        self.trial.begin(model, five_questions(self.home, self._usual()), by=named(request), where=where(request))
        return self.notices.go(PATH)

    def stop_trial(self) -> Response:
        self.trial.stop()
        return self.notices.go(PATH)

    def dismiss_trial(self) -> Response:
        self.trial.dismiss()
        return self.notices.go(PATH)

    def use(self, request: Request, form: Form) -> Response:
        """Let a model answer from now on, unless another was chosen since the admin looked."""
        self._check_free()
        return self._change(request, offered_as(form.get("model", ""), self.home.folder).setting, form)

    def go_back(self, request: Request, form: Form) -> Response:
        """Let the model before answer again."""
        self._check_free()
        changed = model_change(self.home)
        if changed is None:
            raise TragError(later("No other model was chosen here before, so there is nothing to go back to."))
        return self._change(request, changed.before, form)

    def _change(self, request: Request, model: str, form: Form) -> Response:
        if self.fine_tune.now and not self.fine_tune.now.over:
            raise TragError(
                later("A fine-tune is running on the present model."), later("Wait until it has ended, or stop it.")
            )
        if known := next((each for each in offered(self.home.folder) if each.setting == model), None):
            check_room(known)
        seen = form.get("instead_of", "")
        change_model(self.home, model, by=named(request), where=where(request), instead_of=seen)
        log.info("%s chose the model %s", named(request), base_name(model))
        told = _("%(name)s answers from now on.")
        if self.home.adapter_name:
            told = _("%(name)s answers from now on with %(adapter)s.")
        told %= {"name": base_name(model), "adapter": self.home.adapter_name}
        return self.notices.go(PATH, Notice(told, more=(_("Answers under way keep the one that they began with."),)))

    def _check_free(self) -> None:
        if self.trial.now and not self.trial.now.over:
            raise TragError(
                later("%(name)s is being tried.", name=self.trial.now.about.name),
                later("Wait until that has ended, or stop it."),
            )
        if held := model_held_by(self.home):
            raise TragError(
                later("%(setting)s says which model answers, and counts more than this page.", setting=held),
                later("Take it out there."),
            )

    def _usual(self) -> tuple[str, ...]:
        """The questions that the Ask page begins with where nobody has chosen any."""
        from trag.web.ask import examples

        library = self.home.records.library
        passages = chain.from_iterable(library.passages(each.name) for each in library.documents())
        return examples(self.home.organization.chart, passages)


def mount(app: FastAPI, home: Home, *, ready: Callable[[], object], busy: Callable[[], bool]) -> ModelsPage:
    """The routes of the page in `app`, to be closed. `ready` returns when questions can be answered, and raises why
    they cannot; `busy` is whether people are being answered: they go first."""
    page = ModelsPage(home, ready, busy)
    app.include_router(page.router())
    explain(app)
    return page


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
