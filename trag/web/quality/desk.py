"""What the pages of the evaluations share: the home, its runs and sets of questions, what runs now, and notices.

Knows nothing about HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from trag.errors import TragError
from trag.evaluate.runs import Results, Run
from trag.web.documents.notices import Notice, Notices
from trag.web.quality.figures import Figures
from trag.web.quality.going import Evaluation
from trag.web.quality.pairing import Answer, numbered
from trag.web.quality.sets import CaseSets

if TYPE_CHECKING:
    from trag.home import Home


@dataclass(slots=True)
class Desk:
    """The evaluations of one home, for every page."""

    home: Home
    results: Results
    sets: CaseSets
    evaluation: Evaluation
    figures: Figures
    notices: Notices = field(default_factory=Notices)

    def run(self, run_id: str) -> Run | None:
        """The run of an id, None when there is none."""
        return next((run for run in self.results.runs() if run.id == run_id), None)

    def answers(self, run: Run) -> tuple[Answer, ...]:
        """The answers that a run has by now. Raises TragError when they are damaged."""
        return numbered(self.results.results(run.id))

    def is_running(self, run: Run) -> bool:
        """Whether answers are being added to a run."""
        now = self.evaluation.now
        return now is not None and not now.over and now.run == run.id

    def refuse_if_running(self, run: Run) -> None:
        """Raises TragError for a run that must not be touched now."""
        if self.is_running(run):
            raise TragError("This evaluation is running.", "Stop it first.")

    def notice(self, request: Request) -> Notice | None:
        """What was done a moment ago, as the address says."""
        return self.notices.find(request.query_params.get("told", ""))

    def go(self, path: str, notice: Notice | None = None) -> Response:
        """Send the browser on to a page of ours, which says the notice."""
        start, _, place = path.partition("#")
        if notice:
            start += ("&" if "?" in start else "?") + urlencode({"told": self.notices.keep(notice)})
        return RedirectResponse(start + (f"#{place}" if place else ""), 303)
