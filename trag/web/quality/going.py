"""The one evaluation of an app.

Between two of its questions it lets everybody who asks go first. Knows nothing about requests or pages.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from trag.evaluate.cases import Case
from trag.evaluate.running import evaluate, results_of
from trag.undertaking import Undertaking

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(frozen=True, slots=True)
class Evaluating:
    """An evaluation: `name` is that of its questions; `done` of `total` answers are there, and `system` is being asked,
    "" before the first question. `run` is "" until it is kept."""

    name: str
    systems: tuple[str, ...]
    run: str = ""
    system: str = ""
    done: int = 0
    total: int = 0


class Evaluation(Undertaking[Evaluating]):
    """The evaluation of one home that runs, or ran last."""

    def __init__(self, home: Home, ready: Callable[[], object], busy: Callable[[], bool]) -> None:
        """See Undertaking."""
        super().__init__("An evaluation", ready, busy)
        self._home = home

    def begin(self, cases: Sequence[Case], name: str, systems: Sequence[str], *, resume: str = "") -> None:
        """Ask these questions, or go on with the run `resume`. Raises TragError while another one is under way."""
        about = Evaluating(name, tuple(systems), resume)
        self._start(about, partial(self._ask, cases, about))

    def _ask(self, cases: Sequence[Case], about: Evaluating, stop: threading.Event) -> bool:
        """Whether every answer is there."""
        earlier = {run.id for run in results_of(self._home).runs()}

        def progress(system: str, done: int, total: int) -> None:
            nonlocal about
            about = replace(about, run=about.run or self._begun(earlier), system=system, done=done, total=total)
            self._tell(about, done=done, total=total)
            self._give_way()

        run = evaluate(self._home, cases, about.name, about.systems, resume=about.run, progress=progress, stop=stop)
        self._tell(replace(about, run=run.id))
        return run.finished is not None

    def _begun(self, earlier: set[str]) -> str:
        """The run that was not there before."""
        return next((run.id for run in results_of(self._home).runs() if run.id not in earlier), "")
