"""The one fine-tune of an app, or the one measurement of an adapter.

Training itself runs in a process of its own, which outlives an app that is killed: the next one finds it, and follows
it. An app that is closed ends it. What was ended or interrupted waits to be gone on with.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from trag.background import BackgroundJob, JobStatus, State
from trag.errors import TragError
from trag.finetune.stages import StageProgress, begin, carry_out, measure, remove, training, works_of
from trag.finetune.training import training_process
from trag.finetune.work_folders import Work

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Tuning:
    """A fine-tune: `work` as it was kept when it was begun, or when it ended; `told` is what its stage said last."""

    work: Work
    told: StageProgress


class FineTune(BackgroundJob[Tuning]):
    """The fine-tune of one home that runs, or ran last."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        """See BackgroundJob."""
        super().__init__("A fine-tune", ready, busy)
        self._home = home
        self._take_up("interrupted")

    def begin(self, *, by: str, seed: int, settings: Mapping[str, float]) -> Work:
        """A new fine-tune. Raises TragError while another one runs or waits, and for settings that there are not."""
        with self._lock:
            self._refuse_second()
            if works_of(self._home).unfinished():
                raise TragError("The last fine-tune is not finished.", "Go on with it, or discard it.")
            work = begin(self._home, by=by, seed=seed, settings=settings)
            self._carry_on(work)
        return work

    def go_on(self) -> None:
        """With the one that was stopped, interrupted or failed. Raises TragError when there is none."""
        with self._lock:
            self._refuse_second()
            work = works_of(self._home).unfinished()
            if work is None:
                raise TragError("There is no fine-tune to go on with.", "Begin a new one.")
            self._carry_on(work)

    def measure(self, candidate: str, *, by: str) -> None:
        """Hold an adapter against the one that answers. Raises TragError while anything else is under way."""
        work = Work("", datetime.now(UTC), by, 0, stage="measure", candidate=candidate)

        def run(stop: threading.Event) -> bool:
            finished = measure(self._home, candidate, partial(self._say, work), stop)
            if finished:
                self._now_is(replace(work, stage="done"))
            return finished

        self._start(Tuning(work, StageProgress("measure")), run)

    def remove(self, candidate: str) -> None:
        """Forget an adapter and its fine-tune. Raises TragError while it is measured, and as `stages.remove` does."""
        with self._lock:
            names = {candidate, *(work.id for work in works_of(self._home).of(candidate))}
            shown = self.now if self.now and {self.now.about.work.id, self.now.about.work.candidate} & names else None
            if shown and not shown.over:
                raise TragError(f"{candidate} is being measured.", "Wait until that has ended, or stop it.")
            remove(self._home, candidate)
            if shown:
                self._take_up("stopped")

    def discard(self) -> None:
        """Forget one that is over, with its checkpoints; a candidate that came of it stays."""
        with self._lock:
            if self.now and self.now.over:
                if self.now.about.work.id:
                    works_of(self._home).remove(self.now.about.work)
                self._take_up("stopped")

    def dismiss(self) -> None:
        """Say no more of one that is done, and again what is left to go on with."""
        with self._lock:
            if self.now and self.now.state == "done":
                self._take_up("stopped")

    def _take_up(self, left: State) -> None:
        """What there is to go on with: one that still trains is followed, another is said to be what it is `left`."""
        work, self.now = works_of(self._home).unfinished(), None
        if work is None:
            return
        folder = training(self._home, work)
        if training_process.is_running(folder):
            self._carry_on(work)
            return
        steps = training_process.steps(training_process.said(folder))
        last = steps[-1] if steps else None
        told = StageProgress(work.stage, "", last.step if last else 0, last.steps if last else 0, last)
        self.now = JobStatus(Tuning(work, told), left)

    def _carry_on(self, work: Work) -> None:
        def run(stop: threading.Event) -> bool:
            try:
                carry_out(self._home, work, partial(self._say, work), stop)
            finally:  # also where a stage failed: every one before it is whole
                ended = works_of(self._home).get(work.id)
                self._now_is(ended)
            return ended.finished

        self._start(Tuning(work, StageProgress(work.stage)), run)

    def _say(self, work: Work, told: StageProgress) -> None:
        left = told.step.seconds_left if told.step else None
        self._tell(Tuning(work, told), part=f"{told.stage} {told.doing}", done=told.done, total=told.total, left=left)
        if told.stage == "measure":
            self._give_way()

    def _now_is(self, work: Work) -> None:
        if self.now:
            self._tell(replace(self.now.about, work=work))
