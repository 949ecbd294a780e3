"""The one measurement of an app: an evaluation, a self-audit or a needle test, as a background job.

Between two of its questions it lets everybody who asks go first, and it goes on only while whoever began it may read
every document.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from trag.background import BackgroundJob
from trag.errors import TragError
from trag.evaluate import needle
from trag.evaluate.cases import Case
from trag.evaluate.grammar import audit as audits
from trag.evaluate.running import evaluate, results_of
from trag.evaluate.runs import Results, Run
from trag.progress import Cancelled, Progress
from trag.web.language import later

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Evaluating:
    """A measurement: `name` is that of its questions; `done` of `total` answers are there, and `system` is being asked,
    "" before the first question. `run` is "" until it is kept; of a needle test that goes on, until it is whole.
    `left_out` counts the questions that a needle test had to leave out."""

    name: str
    systems: tuple[str, ...]
    run: str = ""
    system: str = ""
    done: int = 0
    total: int = 0
    kind: Literal["run", "audit", "needle"] = "run"
    left_out: int = 0


Ask = Callable[[Progress, threading.Event], Run]
Prepare = Callable[[Evaluating, Progress], tuple[Evaluating, Ask]]
"""Makes ready what is asked; gives what is known of it by then, and what asks it."""


class Evaluation(BackgroundJob[Evaluating]):
    """The measurement of one home that runs, or ran last. To begin one takes `allowed`: whether who began it may read
    every document, asked before each question. Raises TragError while another one is under way."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        super().__init__("An evaluation", ready, busy)
        self._home = home

    def begin(
        self,
        cases: Sequence[Case],
        name: str,
        systems: Sequence[str],
        *,
        allowed: Callable[[], bool],
        resume: str = "",
    ) -> None:
        """Ask these questions, or go on with the run `resume`."""

        def ask(progress: Progress, stop: threading.Event) -> Run:
            return evaluate(self._home, cases, name, systems, resume=resume, progress=progress, stop=stop)

        about = Evaluating(name, tuple(systems), resume)
        self._begin(about, results_of(self._home), lambda about, _: (about, ask), allowed)

    def begin_audit(self, system: str, *, allowed: Callable[[], bool]) -> None:
        """Ask a system what a database made from the chart and the documents knows."""

        def prepare(about: Evaluating, preparing: Progress) -> tuple[Evaluating, Ask]:
            audit = audits.prepare_home(self._home, progress=preparing)
            resume = audits.unfinished(self._home, audit, about.systems)

            def ask(progress: Progress, stop: threading.Event) -> Run:
                return audits.run_audit(self._home, audit, about.systems, resume=resume, progress=progress, stop=stop)

            return replace(about, run=resume), ask

        about = Evaluating("the chart and the documents", (system,), kind="audit")
        self._begin(about, results_of(self._home), prepare, allowed)

    def begin_needle(self, cases: Sequence[Case], name: str, *, allowed: Callable[[], bool]) -> None:
        """Ask these questions with what answers them at each place of a prompt."""

        def prepare(about: Evaluating, preparing: Progress) -> tuple[Evaluating, Ask]:
            found, left_out = needle.needles(self._home, cases, progress=preparing)
            about = replace(about, left_out=len(left_out))
            return about, lambda progress, _: needle.measure(self._home, found, name, progress=progress)

        about = Evaluating(name, (), kind="needle")
        self._begin(about, needle.results_of(self._home), prepare, allowed)

    def _begin(self, about: Evaluating, results: Results, prepare: Prepare, allowed: Callable[[], bool]) -> None:
        def pause(stop: threading.Event) -> None:
            self._give_way()
            if stop.is_set():
                raise Cancelled
            if not allowed():
                raise TragError(
                    later("A document was closed to whoever began this."),
                    later("Somebody who may read all of them can go on."),
                )

        def work(stop: threading.Event) -> bool:
            """Whether every answer is there."""

            def asking(system: str, done: int, total: int) -> None:
                nonlocal about
                run = about.run or next((run.id for run in results.runs() if run.id not in earlier), "")
                about = replace(about, run=run, system=system, done=done, total=total)
                self._tell(about, done=done, total=total)
                if done < total:
                    pause(stop)

            nonlocal about
            try:
                about, ask = prepare(about, lambda step, done, total: pause(stop))
                earlier = {run.id for run in results.runs()}
                run = ask(asking, stop)
            except Cancelled:
                return False
            done = run.total if run.finished else about.done
            self._tell(replace(about, run=run.id, done=done, total=run.total))
            return run.finished is not None

        self._start(about, work)
