"""Long work of an app, one of its kind at a time: in a thread of its own, watched by many pages, stopped and gone on
with, and behind the people who ask."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Generic, Literal, TypeVar

from trag.errors import SHOWN, TragError, in_one_line, told

log = logging.getLogger(__name__)

PACE = 0.2
"""Seconds between two looks whether people are still being answered."""
PATIENCE = 30.0
"""Seconds that closing waits for what is being done to be ended, and what is kept to be whole."""

State = Literal["running", "waiting", "stopping", "stopped", "interrupted", "done", "failed"]
OVER: tuple[State, ...] = ("stopped", "interrupted", "done", "failed")

About = TypeVar("About")


@dataclass(frozen=True, slots=True)
class JobStatus(Generic[About]):
    """How far the work has come; `about` is what it says of itself. "waiting" while people are answered; "interrupted"
    is what an app that ended left behind. `left` is in seconds, None until it can be told. `problem` and `hint` say why
    it failed, and `public`, where it is not empty, what is said in their place to others than admins."""

    about: About
    state: State = "running"
    left: float | None = None
    problem: str = ""
    hint: str = ""
    public: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it by itself."""
        return self.state in OVER


class BackgroundJob(Generic[About]):
    """The work that goes on, or went on last: `now`. Whoever says what the work is begins it by `_start`, and tells of
    it by `_tell`."""

    def __init__(self, name: str, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        """`name` is what people call it, with its article. `ready` returns when questions can be answered, and raises
        why they cannot; `busy` is whether anybody is being answered."""
        self.now: JobStatus[About] | None = None
        self._name = name
        self._ready = ready
        self._busy = busy
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._part: tuple[str, float, int] | None = None  # which, since when, and how much of it was done then

    def stop(self) -> None:
        """End it where it is, so that it can go on later."""
        with self._lock:
            if self.now and not self.now.over:
                self._stop.set()
                self._change()

    def dismiss(self) -> None:
        """Say no more of what is over."""
        with self._lock:
            if self.now and self.now.over:
                self.now = None

    def close(self) -> None:
        """Stop, and wait a while for it."""
        self.stop()
        if self._thread:
            self._thread.join(PATIENCE)

    def _refuse_second(self) -> None:
        """Raises TragError while one goes on."""
        if self.now and not self.now.over:
            raise TragError(f"{self._name} is running already.", "Wait until it has ended, or stop it.")

    def _start(self, about: About, work: Callable[[threading.Event], bool]) -> None:
        """Begin. `work` ends soon after the event that it is given is set, and gives whether it came to its end. Raises
        TragError while one goes on."""
        with self._lock:
            self._refuse_second()
            self._stop = threading.Event()
            self._part = None
            self.now = JobStatus(about)
            self._thread = threading.Thread(target=self._run, args=(work, self._stop), name=self._name, daemon=True)
            self._thread.start()

    def _run(self, work: Callable[[threading.Event], bool], stop: threading.Event) -> None:
        try:
            self._ready()
            finished = work(stop)
        except SHOWN as error:
            shown = told(error)
            public = "" if shown is error else in_one_line(shown)
            self._change(state="failed", problem=error.message, hint=error.hint, public=public)
        except Exception:
            # Pages must not follow for ever what has ended.
            log.exception("a fault in what runs by itself: %s", self._name)
            self._change(state="failed", problem="A fault in the program.", hint="Its log says more.")
        else:
            self._change(state="done" if finished else "stopped", left=None)

    def _tell(self, about: About, *, part: str = "", done: int = 0, total: int = 0, left: float | None = None) -> None:
        """What there is to say now: `done` of `total` of a `part`, from whose pace the time left is told where the work
        does not know it better."""
        if self._part is None or self._part[0] != part:
            self._part = part, monotonic(), done
        _, began, at_first = self._part
        if left is None and done > at_first:
            left = (monotonic() - began) / (done - at_first) * (total - done)
        self._change(about=about, state="running", left=left)

    def _give_way(self) -> None:
        """Wait while people are answered, unless it is to stop."""
        while self._busy() and not self._stop.is_set():
            self._change(state="waiting")
            self._stop.wait(PACE)
        self._change(state="running")

    def _change(self, **news: object) -> None:
        with self._lock:
            if self.now is None:
                return
            now = replace(self.now, **news)  # type: ignore[arg-type]
            self.now = replace(now, state="stopping", left=None) if self._stop.is_set() and not now.over else now
