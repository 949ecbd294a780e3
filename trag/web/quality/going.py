"""The one evaluation of an app: in a thread of its own, watched by many pages, stopped and gone on with.

Between two of its questions it lets everybody who asks go first. Knows nothing about requests or pages.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Literal

from trag.errors import SHOWN, TragError
from trag.evaluate.cases import Case
from trag.evaluate.running import evaluate, results_of

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PACE = 0.2
"""Seconds between two looks whether people are still being answered."""
PATIENCE = 30.0
"""Seconds that closing waits for the answer that is being written to be ended."""

Step = Literal["starting", "asking", "waiting", "stopping", "stopped", "done", "failed"]
OVER: tuple[Step, ...] = ("stopped", "done", "failed")


@dataclass(frozen=True, slots=True)
class Going:
    """How far an evaluation has come: `done` of `total` answers, `system` being asked; "waiting" while people are
    answered. `run` is "" until it is kept. `left` is in seconds, None until it can be told. `problem` and `hint` say
    why it failed."""

    name: str
    systems: tuple[str, ...]
    step: Step = "starting"
    run: str = ""
    system: str = ""
    done: int = 0
    total: int = 0
    left: float | None = None
    problem: str = ""
    hint: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.step in OVER


class Evaluation:
    """The evaluation of one home that runs, or ran last. `ready` returns when questions can be answered, and raises why
    they cannot; `busy` is whether anybody is being answered."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        self._home = home
        self._ready = ready
        self._busy = busy
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.now: Going | None = None

    def begin(self, cases: Sequence[Case], name: str, systems: Sequence[str], *, resume: str = "") -> None:
        """Ask these questions, or go on with the run `resume`. Raises TragError while another one is under way."""
        with self._lock:
            if self.now and not self.now.over:
                raise TragError("An evaluation is running already.", "Wait until it has ended, or stop it.")
            self._stop = threading.Event()
            self.now = Going(name, tuple(systems), run=resume)
            asked = (cases, name, systems, resume, self._stop)
            self._thread = threading.Thread(target=self._run, args=asked, name="evaluation", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End it where it is, so that it can go on later."""
        with self._lock:
            if self.now and not self.now.over:
                self._stop.set()
                self.now = replace(self.now, step="stopping", left=None)

    def dismiss(self) -> None:
        """Say no more of one that is over."""
        with self._lock:
            if self.now and self.now.over:
                self.now = None

    def close(self) -> None:
        """Stop, and wait for what is kept to be whole."""
        self.stop()
        if self._thread:
            self._thread.join(PATIENCE)

    def _run(
        self, cases: Sequence[Case], name: str, systems: Sequence[str], resume: str, stop: threading.Event
    ) -> None:
        try:
            self._ready()
            progress = self._progress({run.id for run in results_of(self._home).runs()}, stop)
            run = evaluate(self._home, cases, name, systems, resume=resume, progress=progress, stop=stop)
        except SHOWN as error:
            self._tell(step="failed", problem=error.message, hint=error.hint)
        except Exception:
            # Pages must not follow for ever what has ended.
            log.exception("a fault while evaluating")
            self._tell(step="failed", problem="A fault in the program.", hint="Its log says more.")
        else:
            self._tell(step="done" if run.finished else "stopped", run=run.id, left=None)

    def _progress(self, earlier: set[str], stop: threading.Event) -> Callable[[str, int, int], None]:
        """What `evaluate` tells before each question, held up while people are answered."""
        first: tuple[float, int] | None = None

        def progress(system: str, done: int, total: int) -> None:
            nonlocal first
            if first is None:
                first = monotonic(), done
                self._tell(run=self.now.run if self.now and self.now.run else self._begun(earlier))
            began, at_first = first
            answered = done - at_first
            left = (monotonic() - began) / answered * (total - done) if answered else None
            self._tell(step="asking", system=system, done=done, total=total, left=left)
            while self._busy() and not stop.is_set():
                self._tell(step="waiting")
                stop.wait(PACE)
            self._tell(step="asking")

        return progress

    def _begun(self, earlier: set[str]) -> str:
        return next((run.id for run in results_of(self._home).runs() if run.id not in earlier), "")

    def _tell(self, **news: object) -> None:
        with self._lock:
            if self.now is None:
                return
            if self.now.step == "stopping" and news.get("step") not in OVER:
                news = {key: value for key, value in news.items() if key not in ("step", "left")}
            self.now = replace(self.now, **news)  # type: ignore[arg-type]
