"""The one fine-tune of an app: in a thread of its own, watched by many pages, stopped and gone on with.

Training itself runs in a process that outlives this one: an app that is started again finds it, and follows it; what
was interrupted otherwise waits to be gone on with. Knows nothing about requests or pages.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Literal

from trag.errors import SHOWN, TragError
from trag.finetune import child
from trag.finetune.stages import Told, carry_out, check, measure, training, works_of
from trag.finetune.training.progress import Step
from trag.finetune.work import Work

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PACE = 0.2
"""Seconds between two looks whether people are still being answered."""
PATIENCE = 20.0
"""Seconds that closing waits. Training that was asked to end does so by itself, at its next checkpoint."""

State = Literal["running", "waiting", "stopping", "stopped", "interrupted", "done", "failed"]
OVER: tuple[State, ...] = ("stopped", "interrupted", "done", "failed")


@dataclass(frozen=True, slots=True)
class Going:
    """How far a fine-tune has come. "waiting" while people are answered; "interrupted" is what an app that ended left
    behind. `left` is in seconds, None until it can be told. `problem` and `hint` say why it failed."""

    work: Work
    state: State
    told: Told
    left: float | None = None
    problem: str = ""
    hint: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it by itself."""
        return self.state in OVER

    @property
    def step(self) -> Step | None:
        """The last step of training, None before the first."""
        return self.told.step


class FineTune:
    """The fine-tune of one home that runs, or ran last. `ready` returns when questions can be answered, and raises why
    they cannot; `busy` is whether anybody is being answered."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        self._home = home
        self._ready = ready
        self._busy = busy
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._stage: tuple[str, float, int] | None = None  # which, since when, and where it was then
        self.now: Going | None = None
        self._take_up("interrupted")

    def begin(self, *, by: str, seed: int, settings: Mapping[str, float]) -> Work:
        """A new fine-tune. Raises TragError while another one is under way or waits to be gone on with, and for
        settings that there are not."""
        with self._lock:
            self._refuse_second()
            check(settings)
            if works_of(self._home).unfinished():
                raise TragError("The last fine-tune is not finished.", "Go on with it, or discard it.")
            work = works_of(self._home).begin(by=by, seed=seed, settings=settings)
            self._start(work)
        return work

    def go_on(self) -> None:
        """With the one that was stopped, interrupted or failed. Raises TragError when there is none."""
        with self._lock:
            self._refuse_second()
            work = works_of(self._home).unfinished()
            if work is None:
                raise TragError("There is no fine-tune to go on with.", "Begin a new one.")
            self._start(work)

    def measure(self, candidate: str, *, by: str) -> None:
        """Hold an adapter against the one that answers. Raises TragError while anything else is under way."""
        with self._lock:
            self._refuse_second()
            self._start(Work("", datetime.now(UTC), by, 0, stage="measure", candidate=candidate))

    def stop(self) -> None:
        """End it where it is, so that it can go on later."""
        with self._lock:
            if self.now and not self.now.over:
                self._stop.set()
                self.now = replace(self.now, state="stopping", left=None)

    def discard(self) -> None:
        """Forget one that is over, with its checkpoints; a candidate that came of it stays."""
        with self._lock:
            if self.now and self.now.over:
                if self.now.work.id:
                    works_of(self._home).remove(self.now.work)
                self._take_up("stopped")

    def dismiss(self) -> None:
        """Say no more of one that is done."""
        with self._lock:
            if self.now and self.now.state == "done":
                self._take_up("stopped")

    def close(self) -> None:
        """Stop, and wait a while for it."""
        self.stop()
        if self._thread:
            self._thread.join(PATIENCE)

    def _take_up(self, left: State) -> None:
        """What there is to go on with: one that still trains is followed, another is said to be what it is `left`."""
        work, self.now = works_of(self._home).unfinished(), None
        if work is None:
            return
        folder = training(self._home, work)
        steps = child.steps(child.said(folder))
        last = steps[-1] if steps else None
        told = Told(work.stage, "", last.step if last else 0, last.steps if last else 0, last)
        if child.is_running(folder):
            self._start(work)
        else:
            self.now = Going(work, left, told)

    def _refuse_second(self) -> None:
        if self.now and not self.now.over:
            raise TragError("A fine-tune is running already.", "Wait until it has ended, or stop it.")

    def _start(self, work: Work) -> None:
        self._stop = threading.Event()
        self._stage = None
        self.now = Going(work, "running", Told(work.stage))
        self._thread = threading.Thread(target=self._run, args=(work, self._stop), name="fine-tune", daemon=True)
        self._thread.start()

    def _run(self, work: Work, stop: threading.Event) -> None:
        try:
            self._ready()
            if work.id:
                work = carry_out(self._home, work, self._progress(stop), stop)
            elif measure(self._home, work, self._progress(stop), stop):
                work = replace(work, stage="done")
        except SHOWN as error:
            work = works_of(self._home).get(work.id) if work.id else work
            self._tell(work=work, state="failed", problem=error.message, hint=error.hint)
        except Exception:
            # Pages must not follow for ever what has ended.
            log.exception("a fault while fine-tuning")
            self._tell(state="failed", problem="A fault in the program.", hint="Its log says more.")
        else:
            self._tell(work=work, state="done" if work.finished else "stopped", left=None)

    def _progress(self, stop: threading.Event) -> Callable[[Told], None]:
        def progress(told: Told) -> None:
            self._tell(told=told, left=self._left(told), state="stopping" if stop.is_set() else "running")
            while told.stage == "measure" and self._busy() and not stop.is_set():
                self._tell(state="waiting")
                stop.wait(PACE)

        return progress

    def _left(self, told: Told) -> float | None:
        """Seconds until the stage is done."""
        if told.step:
            return told.step.seconds_left
        if self._stage is None or self._stage[0] != f"{told.stage} {told.doing}":
            self._stage = f"{told.stage} {told.doing}", monotonic(), told.done
        _, began, at_first = self._stage
        done = told.done - at_first
        return (monotonic() - began) / done * (told.total - told.done) if done > 0 else None

    def _tell(self, **news: object) -> None:
        with self._lock:
            if self.now is not None:
                self.now = replace(self.now, **news)  # type: ignore[arg-type]
